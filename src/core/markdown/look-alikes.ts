import { removeHidden } from './hidden-characters.ts';

/** Letters of other scripts that look like Latin ones, as they are used to forge a word. */
const twins: ReadonlyMap<string, string> = new Map(
  [
    ['АВЕКМНОРСТХУІЈЅԀԁɡ', 'ABEKMHOPCTXYIJSDdg'],
    ['авекмнорстхуіјѕһԛԝ', 'abekmhopctxyijshqw'],
    ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'],
    ['ανορτυχι', 'avoptuxi'],
  ].flatMap(([from = '', to = '']) => Array.from(from, (char, index) => [char, to.charAt(index)] as const)),
);

/** The text as it looks: what cannot be seen taken out, look-alike letters as the Latin ones. */
export function foldLookAlikes(text: string): string {
  const seen = removeHidden(text.normalize('NFKC'))
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '');
  let folded = '';
  for (const char of seen) folded += twins.get(char) ?? char;
  return folded;
}

/** A word of Latin letters with one in it that only looks like them; a word of another language is none. */
export function mixesAlphabets(text: string): boolean {
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}_]+/gu))
    if (/[A-Za-z]/.test(word) && Array.from(word).some((char) => twins.has(char))) return true;
  return false;
}
