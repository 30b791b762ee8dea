/**
 * Recognises the same finding in two reviews, by place and words. The wording, the order and the name of the
 * file may change, but other numbers make it another finding. Also makes stable fingerprints for findings and
 * other texts.
 */

const claimCharsMax = 240;
export const claimsKept = 30;

interface Claimed {
  readonly file: string | null;
  readonly line: number | null;
  readonly claim: string;
}

/** A finding as a ledger stores it for this comparison: place and claim on one line. */
export function claimLine({ file, line, claim }: Claimed): string {
  const place = file === null ? '-' : line === null ? file : `${file}:${line}`;
  return `${place.replace(/\s/g, '_')} ${claim.replace(/[\s\p{C}]+/gu, ' ').trim()}`
    .slice(0, claimCharsMax)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim();
}

/** The claims of a review without their places, blockers first. */
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
  readonly line: number | null;
  readonly words: ReadonlySet<string>;
  readonly numbers: string;
}

/** Compares two lines from `claimLine`. */
export function isSameClaim(one: string, other: string): boolean {
  const [a, b] = [readClaim(one), readClaim(other)];
  const isOtherNumber = a.numbers !== '' && b.numbers !== '' && a.numbers !== b.numbers;
  if (isOtherNumber || isOtherSubject(a, b)) return false;
  const fewest = Math.min(a.words.size, b.words.size);
  const shared = [...a.words].filter((word) => b.words.has(word)).length;
  // In the same file, half of the words must match. In different files, three quarters.
  return fewest > 0 && shared / fewest >= (a.file === b.file ? 0.5 : 0.75) && shared >= Math.min(2, fewest);
}

const nearLines = 10;

/**
 * Whether distant lines differ in one word only, as in "no check of the user" and "no check of the order".
 */
function isOtherSubject(a: Claim, b: Claim): boolean {
  const isNear = a.line === null || b.line === null || Math.abs(a.line - b.line) <= nearLines;
  const [words, others] = [[...a.words], [...b.words]];
  if (isNear || words.length !== others.length) return false;
  return words.filter((word, at) => word !== others[at]).length === 1;
}

const empty = new Set(
  'a an and are as at be because been but by can cannot could does for from has have if in into is it its line lines may must no not of on one or should so still than that the then there these this those to too was when which while will with without would'.split(
    ' ',
  ),
);

function readClaim(text: string): Claim {
  const at = text.indexOf(' ');
  const [, file = '', line] = /^(.*?)(?::(\d+))?$/.exec(text.slice(0, at)) ?? [];
  const said = text
    .slice(at + 1)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\b(?:lines?\s+|l)\d+(?:\s*[-–,]\s*l?\d+)?\b|[\w./-]{1,120}\.[a-z]{1,5}:\d+/g, ' ');
  const words = (said.match(/[\p{L}_$]{2,40}/gu) ?? []).filter((word) => !empty.has(word)).map(stem);
  const numbers = said.match(/\d+(?:\.\d+)?/g) ?? [];
  return {
    file: file.split('/').at(-1) ?? file,
    line: line === undefined ? null : Number(line),
    words: new Set(words),
    numbers: numbers.join(' '),
  };
}

function stem(word: string): string {
  return word.replace(/(?:ings?|ed|es|s|ly|ment)$/u, '').slice(0, 12) || word;
}

/**
 * A fingerprint of a finding that stays the same while the code around it moves. It covers the file and the
 * claim, without numbers, case, punctuation and white space. `ordinal`, from 0, separates findings that are
 * otherwise equal.
 */
export function fingerprint(file: string | null, claim: string, ordinal = 0): string {
  const parts = [file ?? '', normaliseClaim(claim)];
  if (ordinal > 0) parts.push(String(ordinal));
  return fnv1a64(parts.join('\0'));
}

function normaliseClaim(claim: string): string {
  const text = claim.normalize('NFKC').toLowerCase();
  const folded = text
    .replace(/\b(?:on |at |in )?lines?\s+\d+(?:\s*(?:[-–,]|to|and)\s*\d+)*/gu, ' ')
    .replace(/\bl\d+(?:-l?\d+)?\b/gu, ' ')
    .replace(/[^\p{L}\p{M}]+/gu, ' ')
    .trim();
  // A claim without letters can only be identified by its numbers and signs.
  return folded === '' ? text.replace(/\s+/g, ' ').trim() : folded;
}

/**
 * FNV-1a as 16 hex digits, over the text's UTF-16 units: low byte first, high byte only if it is not zero.
 * Computed in two 32-bit halves (the prime is 2^40 + 0x1b3), because bigints would take twenty times as long.
 */
export function fnv1a64(text: string): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  const add = (byte: number): void => {
    const mixed = (low ^ byte) >>> 0;
    const product = mixed * 0x1b3;
    low = product >>> 0;
    high = (high * 0x1b3 + Math.floor(product / 0x100000000) + ((mixed << 8) >>> 0)) >>> 0;
  };
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    add(unit & 0xff);
    if (unit > 0xff) add(unit >> 8);
  }
  return [high, low].map((half) => half.toString(16).padStart(8, '0')).join('');
}
