/** The beginning and the end of an output that is too long: what was started, and how it ended. */
const cutStart = '[… ';
const cutEnd = ' characters were left out here …]';

export function keepEnds(text: string, headChars: number, tailChars: number): string {
  const left = text.length - headChars - tailChars;
  if (left <= 0) return text;
  return joinEnds(text.slice(0, headChars), left, text.slice(text.length - tailChars));
}

export function joinEnds(head: string, charsCut: number, tail: string): string {
  return charsCut <= 0 ? head + tail : `${head}\n${cutStart}${charsCut}${cutEnd}\n${tail}`;
}

export function isCutLine(line: string): boolean {
  return line.startsWith(cutStart) && line.endsWith(cutEnd);
}
