/** Files that `gza init` writes. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type Did = 'created' | 'kept' | 'updated' | 'extended';

export interface Written {
  readonly path: string;
  readonly did: Did;
  /** For an updated file: what is new in it. */
  readonly what?: readonly string[];
}

/** Keeps an existing file unless `renews` is set. */
export function writeFile(root: string, path: string, text: string, renews: boolean): Did {
  const file = join(root, path);
  const isThere = existsSync(file);
  if (isThere && (!renews || readFileSync(file, 'utf8') === text)) return 'kept';
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return isThere ? 'updated' : 'created';
}
