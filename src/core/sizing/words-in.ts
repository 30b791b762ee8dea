/** Finding words and phrases in the prose of a task. */

/** Longer texts are read so far; a task that long is over its token budget anyway. */
const proseCharactersMax = 50_000;

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

/** The first of the words or phrases that occurs, as it stands in the text. A `*` stands for any ending. */
export function firstOf(phrases: readonly string[], words: string): string | undefined {
  for (const phrase of phrases) {
    const found = occurrence(phrase, words);
    if (found !== undefined) return found;
  }
  return undefined;
}

function occurrence(phrase: string, words: string): string | undefined {
  if (!phrase.includes('*')) return words.includes(` ${phrase} `) ? phrase : undefined;
  const [start, ...rest] = phrase.split('* ');
  if (rest.length > 0) return inOrder([start!, ...rest], words);
  const at = words.indexOf(` ${phrase.slice(0, -1)}`);
  return at < 0 ? undefined : words.slice(at + 1, words.indexOf(' ', at + phrase.length));
}

/** `backward* compatib*`: word beginnings, one after the other. */
function inOrder(parts: readonly string[], words: string): string | undefined {
  const beginnings = parts.map((part) => part.replace(/\*$/, ''));
  const all = words.trim().split(' ');
  const at = all.findIndex((_, at) =>
    beginnings.every((start, i) => all[at + i]?.startsWith(start) ?? false),
  );
  return at < 0 ? undefined : all.slice(at, at + parts.length).join(' ');
}
