/** The beginning and the end of an output that is too long: what was started, and how it ended. */
export function keepEnds(text: string, headChars: number, tailChars: number): string {
  const left = text.length - headChars - tailChars;
  if (left <= 0) return text;
  return joinEnds(text.slice(0, headChars), left, text.slice(text.length - tailChars));
}

function joinEnds(head: string, charsCut: number, tail: string): string {
  return charsCut <= 0 ? head + tail : `${head}\n[… ${charsCut} characters were left out here …]\n${tail}`;
}
