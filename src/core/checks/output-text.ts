/** What programs print for a terminal, as plain text: no colours, no lines written over by later ones. */

/** More than any report of tests that a person would read; the end is what counts. */
const outputCharsMax = 4_000_000;
const lineCharsMax = 8000;

// Control sequences, then commands that end with BEL or ESC \, then the remaining two-character ones.
const escapes =
  // oxlint-disable-next-line no-control-regex
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]P^_X][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]/g;
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

export function cleanLines(output: string): string[] {
  const text = output.slice(-outputCharsMax).replace(escapes, '');
  return text.split(/\r?\n/).map(cleanOutputLine);
}

export function cleanOutputLine(line: string): string {
  const shown = line.endsWith('\r') ? line.slice(0, -1) : line;
  return shown
    .slice(shown.lastIndexOf('\r') + 1)
    .slice(0, lineCharsMax)
    .replace(escapes, '')
    .replace(controls, '');
}

/** The beginning and the end of an output that is too long: what was started, and how it ended. */
export function keepEnds(text: string, headChars: number, tailChars: number): string {
  const left = text.length - headChars - tailChars;
  if (left <= 0) return text;
  return joinEnds(text.slice(0, headChars), left, text.slice(text.length - tailChars));
}

function joinEnds(head: string, charsCut: number, tail: string): string {
  return charsCut <= 0 ? head + tail : `${head}\n[… ${charsCut} characters were left out here …]\n${tail}`;
}
