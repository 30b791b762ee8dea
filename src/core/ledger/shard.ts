/**
 * Which part of the base ledger holds a task. Fixed for ever: the shard is in the path, and a write must know
 * it from the id alone. FNV-1a over the id's UTF-16 units, folded to six bits.
 */
export const shardCount = 64;

export const shardNames: readonly string[] = Array.from({ length: shardCount }, (_, n) =>
  n.toString(16).padStart(2, '0'),
);

export function shardOf(id: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) {
    hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193) >>> 0;
  }
  return shardNames[(hash ^ (hash >>> 16)) & (shardCount - 1)] as string;
}
