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
