import type { Cache } from '../system/cache.ts';
import { parseSnapshot, type Snapshot } from './snapshot.ts';

/** The last snapshot from the cache, or null when there is none that can be read. */
export function knownSnapshot(cache: Cache, name: string, key: string): Snapshot | null {
  const text = cache.get(name, key);
  if (text === null) return null;
  try {
    return parseSnapshot(text);
  } catch {
    return null;
  }
}
