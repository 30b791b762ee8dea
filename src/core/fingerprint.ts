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

const prime = 0x100000001b3n;
const mask = 0xffffffffffffffffn;

/** FNV-1a over the text's UTF-16 units, low byte first, high byte only where there is one; 16 hex digits. */
export function fnv1a64(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    hash = ((hash ^ BigInt(unit & 0xff)) * prime) & mask;
    if (unit > 0xff) hash = ((hash ^ BigInt(unit >> 8)) * prime) & mask;
  }
  return hash.toString(16).padStart(16, '0');
}
