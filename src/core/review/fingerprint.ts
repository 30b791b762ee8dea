/**
 * A name for a finding that stays the same while the code around it moves: of the file and what is claimed,
 * without numbers, case, punctuation and white space. Two findings that differ in nothing else are told apart
 * by their order (`ordinal`, from 0).
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
  // A claim of nothing but numbers and signs has only those to be known by.
  return folded === '' ? text.replace(/\s+/g, ' ').trim() : folded;
}

/**
 * FNV-1a over the text's UTF-16 units, low byte first, high byte only where there is one; 16 hex digits. In two
 * halves of 32 bits: the prime is 2^40 + 0x1b3, and a bigint for each character takes twenty times as long.
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
