export const titleCharactersMax = 80;

/** The first line of a text, without Markdown's heading marks, as a title. */
export function titleOf(content: string): string {
  const line = (content.trim().split('\n')[0] ?? '').replace(/^#+\s*/, '').trim();
  const characters = [...line];
  if (characters.length <= titleCharactersMax) return line;
  return `${characters.slice(0, titleCharactersMax - 1).join('')}…`;
}
