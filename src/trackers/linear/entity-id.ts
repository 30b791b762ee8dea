import { createHash } from 'node:crypto';

/**
 * The id of gza's own objects in Linear. It is derived from what they are, as a version 4 UUID, which Linear
 * accepts from clients. So a creation that is repeated after a lost answer finds the existing object.
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

/** Parses an issue name such as `ENG-12`. */
export function issueNumber(text: string): { readonly team: string; readonly number: number } | null {
  const [, team, number] = /^([A-Za-z][A-Za-z0-9]{0,9})-(\d{1,9})$/.exec(text) ?? [];
  return team && number ? { team: team.toUpperCase(), number: Number(number) } : null;
}
