/**
 * Moves refs that lie in files of their own as git does it: take every lock, compare every value, rename. Starting
 * git for it is a fifth of what `gza add` takes. Only the plain case, one ledger that exists and goes on: whatever
 * else there is (two that must move together even if this process is killed, one to create or to delete, a link, a
 * packed one, a held lock, a reflog) is left to git, with nothing changed.
 */
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../../git/open-repository.ts';
import { rememberTips } from '../tips.ts';
import type { Moved, RefMove } from './move-refs.ts';
import { localMirror } from './read-refs.ts';

/** Null: git must be asked. */
export function moveRefFiles(
  { commonDir, objectsDir, unusualRefs }: Pick<Repository, 'commonDir' | 'objectsDir' | 'unusualRefs'>,
  moves: readonly RefMove[],
): Moved | null {
  const ledgers = moves.filter(({ ref }) => !ref.startsWith(localMirror));
  if (unusualRefs || moves.length > 2 || ledgers.length !== 1 || !moves.every(isPlain)) return null;
  const locked: string[] = [];
  let renamed = 0;
  try {
    for (const { ref, from, to } of moves) {
      if (existsSync(join(commonDir, 'logs', ref))) return null;
      const path = join(commonDir, ref);
      const lock = openSync(`${path}.lock`, 'wx');
      locked.push(path);
      writeAndClose(lock, `${to}\n`);
      const found = valueOf(path);
      if (found !== from) return found === null ? null : 'lost';
    }
    // A `git gc --prune=now` beside this may have taken it: git refuses to name what is not there.
    if (!moves.every(({ to }) => isLoose(objectsDir, to as string))) return null;
    for (const path of locked) {
      renameSync(`${path}.lock`, path);
      renamed += 1;
    }
    rememberTips(commonDir, moves);
    return 'moved';
  } catch {
    return renamed > 0 ? 'unclear' : null;
  } finally {
    for (const path of locked.slice(renamed)) rmSync(`${path}.lock`, { force: true });
  }
}

/** git keeps a reflog of branches, of what was fetched and of notes; only it knows how. */
function isPlain({ ref, to, from }: RefMove): boolean {
  const isLogged = /^refs\/(heads|remotes|notes)\//.test(ref);
  return to !== null && from !== null && !isLogged && /^refs\/[!-~]+$/.test(ref);
}

function isLoose(objectsDir: string, oid: string): boolean {
  return existsSync(join(objectsDir, oid.slice(0, 2), oid.slice(2)));
}

/** A full disk lets a file be made and not written: the lock is taken before. */
function writeAndClose(file: number, text: string): void {
  try {
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}

function valueOf(path: string): string | null {
  if (!lstatSync(path).isFile()) return null;
  const text = readFileSync(path, 'latin1');
  return /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.test(text) ? text.trimEnd() : null;
}
