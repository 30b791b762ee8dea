export const titleCharactersMax = 80;
const lineBreak = /[\n\r\v\f\u0085\u2028\u2029]/;

/** The first line that says something, without the marks of a heading. */
export function titleOf(content: string): string {
  const lines = content.split(lineBreak).map((line) => line.replace(/^\s*#+\s+/, '').trim());
  const line = lines.find((one) => one !== '') ?? '';
  const characters = [...line];
  if (characters.length <= titleCharactersMax) return line;
  const cut = characters.slice(0, titleCharactersMax - 1).join('');
  return `${cut.trimEnd()}…`;
}
