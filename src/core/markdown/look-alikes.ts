/** Letters of other scripts that look like Latin ones, as they are used to forge a word. */
const twins: ReadonlyMap<string, string> = new Map(
  [
    ['АВЕКМНОРСТХУІЈЅԀԁɡ', 'ABEKMHOPCTXYIJSDdg'],
    ['авекмнорстхуіјѕһԛԝ', 'abekmhopctxyijshqw'],
    ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'],
    ['ανορτυχι', 'avoptuxi'],
  ].flatMap(([from = '', to = '']) => Array.from(from, (char, index) => [char, to.charAt(index)] as const)),
);

const hidden =
  /\u00AD|\u034F|\u061C|\u115F|\u1160|[\u17B4\u17B5]|[\u180B-\u180F]|[\u200B-\u200F]|[\u202A-\u202E]|[\u2060-\u206F]|\u3164|\uFEFF|\uFFA0|[\u{E0000}-\u{E007F}]/gu;

/** The text as it looks: what cannot be seen taken out, look-alike letters as the Latin ones. */
export function foldLookAlikes(text: string): string {
  const seen = text
    .normalize('NFKC')
    .replace(hidden, '')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '');
  let folded = '';
  for (const char of seen) folded += twins.get(char) ?? char;
  return folded;
}

/** Whether characters that cannot be seen (zero width, direction marks, tags) stand in the text. */
export function hasHiddenCharacters(text: string): boolean {
  // A zero-width joiner between two pictures makes one emoji of them.
  return (
    text
      .replace(/(?<=\p{Extended_Pictographic}\uFE0F?)\u200D(?=\p{Extended_Pictographic})/gu, '')
      .search(hidden) !== -1
  );
}
