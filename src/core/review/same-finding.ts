/**
 * Whether two findings of two reviews are one: by place and words. A reviewer says the same thing in other words,
 * in another order, or of a file that was renamed meanwhile; numbers that differ make it another finding.
 */
import type { Finding } from './finding.ts';

const claimCharsMax = 240;
export const claimsKept = 30;

/** What a ledger keeps of a finding for this: its place and what it claims, on one line. */
export function claimLine({ file, line, claim }: Finding): string {
  const place = file === null ? '-' : line === null ? file : `${file}:${line}`;
  return `${place.replace(/\s/g, '_')} ${claim.replace(/[\s\p{C}]+/gu, ' ').trim()}`
    .slice(0, claimCharsMax)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim();
}

/** What a review claims, without the places: blockers first. */
export function claimsOf({ claims = [], findings = [] }: Claims): string[] {
  const isBlocker = (at: number) => findings[at]?.startsWith('!') === true;
  const bare = claims.map((one, at) => ({ isBlocker: isBlocker(at), claim: one.replace(/^\S+ /, '') }));
  return bare.toSorted((a, b) => Number(b.isBlocker) - Number(a.isBlocker)).map(({ claim }) => claim);
}

interface Claims {
  readonly claims?: readonly string[] | undefined;
  readonly findings?: readonly string[] | undefined;
}

interface Claim {
  readonly file: string;
  readonly words: ReadonlySet<string>;
  readonly numbers: string;
}

/** Both as `claimLine` gives them. */
export function isSameClaim(one: string, other: string): boolean {
  const [a, b] = [readClaim(one), readClaim(other)];
  const isOtherNumber = a.numbers !== '' && b.numbers !== '' && a.numbers !== b.numbers;
  if (isOtherNumber) return false;
  const fewest = Math.min(a.words.size, b.words.size);
  const shared = [...a.words].filter((word) => b.words.has(word)).length;
  // Of one file, half of the words; of two, nearly all.
  return fewest > 0 && shared / fewest >= (a.file === b.file ? 0.5 : 0.75) && shared >= Math.min(2, fewest);
}

const empty = new Set(
  'a an and are as at be because been but by can cannot could does for from has have if in into is it its line lines may must no not of on one or should so still than that the then there these this those to too was when which while will with without would'.split(
    ' ',
  ),
);

function readClaim(text: string): Claim {
  const at = text.indexOf(' ');
  const file = text.slice(0, at).replace(/:\d+$/, '');
  const said = text
    .slice(at + 1)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\b(?:lines?\s+|l)\d+(?:\s*[-–,]\s*l?\d+)?\b|[\w./-]{1,120}\.[a-z]{1,5}:\d+/g, ' ');
  const words = (said.match(/[\p{L}_$]{2,40}/gu) ?? []).filter((word) => !empty.has(word)).map(stem);
  const numbers = said.match(/\d+(?:\.\d+)?/g) ?? [];
  return { file: file.split('/').at(-1) ?? file, words: new Set(words), numbers: numbers.join(' ') };
}

function stem(word: string): string {
  return word.replace(/(?:ings?|ed|es|s|ly|ment)$/u, '').slice(0, 12) || word;
}
