/** Finding words and phrases in the prose of a task. */

/** Longer texts are read so far; a task that long is over its token budget anyway. */
export const proseCharactersMax = 50_000;

/**
 * Prose as words with one space between and around. Code, and quoted lines, which are context and not what is
 * asked, are left out.
 */
export function proseWords(text: string): string {
  const prose = text
    .slice(0, proseCharactersMax)
    .replace(/```[\s\S]*?```/g, ' ')
    .replace(/^[ \t]*>.*$/gm, ' ')
    .replace(/`[^`\n]*`/g, ' ');
  return ` ${
    prose
      .toLowerCase()
      .match(/[\p{L}\p{N}+]+/gu)
      ?.join(' ') ?? ''
  } `;
}

/** The first of the words or phrases that occurs. `*` at the end of a word stands for any ending. */
export function firstOf(phrases: readonly string[], words: string): string | undefined {
  return phrases.find((phrase) => occurs(phrase, words));
}

function occurs(phrase: string, words: string): boolean {
  if (!phrase.includes('*')) return words.includes(` ${phrase} `);
  const [start, ...rest] = phrase.split('* ');
  if (rest.length === 0) return words.includes(` ${phrase.slice(0, -1)}`);
  return occursInOrder([start!, ...rest], words);
}

/** `backward* compatib*`: word beginnings, one after the other. */
function occursInOrder(parts: readonly string[], words: string): boolean {
  const beginnings = parts.map((part) => part.replace(/\*$/, ''));
  const all = words.trim().split(' ');
  return all.some((_, at) => beginnings.every((beginning, i) => all[at + i]?.startsWith(beginning) ?? false));
}
