import { createHash } from 'node:crypto';

/**
 * The id that a thing of gza's has in Linear: made from what it is, in the form of a UUID of version 4, which Linear
 * takes from its clients. So a creation that is repeated after a lost answer finds what it made.
 */
export function entityId(...parts: readonly string[]): string {
  const hash = createHash('sha256')
    .update(['gza', ...parts].join('\0'))
    .digest('hex');
  const variant = '89ab'.charAt(Number.parseInt(hash.charAt(16), 16) & 3);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `4${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isEntityId(text: string): boolean {
  return uuid.test(text);
}

/** `ENG-12`, as people write an issue. */
export function issueNumber(text: string): { readonly team: string; readonly number: number } | null {
  const [, team, number] = /^([A-Za-z][A-Za-z0-9]{0,9})-(\d{1,9})$/.exec(text) ?? [];
  return team && number ? { team: team.toUpperCase(), number: Number(number) } : null;
}
