/**
 * Outside text on one line of bounded width. Control, format and line characters become spaces, so that a title
 * can neither break a list nor move a terminal's cursor; wide characters count two columns.
 */
export function oneLine(text: string, columnsMax: number): string {
  // Nobody reads the tail of a huge text; looking at all of it would only cost time.
  const line = text
    .slice(0, columnsMax * 8)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  if (line.length < columnsMax || displayWidth(line) <= columnsMax) return line;
  let [cut, width] = ['', 0];
  for (const character of line) {
    width += displayWidth(character);
    if (width >= columnsMax) break;
    cut += character;
  }
  return `${cut.trimEnd()}…`;
}

/** Of an error or an answer, for a sentence. */
export function firstLine(text: string | undefined, columnsMax = 100): string {
  return oneLine(text?.trim().split('\n')[0] ?? '', columnsMax);
}

/** Columns a text takes: wide East Asian characters and emoji take two, combining marks none. */
export function displayWidth(text: string): number {
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) {
    if (/\p{Mn}|\p{Me}|\p{Cf}/u.test(character)) continue;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
