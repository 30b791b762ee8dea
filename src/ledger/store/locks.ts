/**
 * A process that is killed while git holds `<ref>.lock` leaves the file, and every later write fails. git
 * holds a lock for milliseconds, so one that is old and does not change has no holder.
 */
import { closeSync, linkSync, lstatSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../../git/repository.ts';

const lockAgeMs = 10_000;

/** Removes stale locks of these refs and of packed-refs; returns their paths. */
export function removeStaleLocks(repository: Repository, refs: readonly string[]): string[] {
  const paths = [...refs, 'packed-refs'].map((ref) => join(repository.commonDir, `${ref}.lock`));
  return paths.filter((path) => removeIfStale(repository, path));
}

function removeIfStale(repository: Repository, path: string): boolean {
  const before = lstatSync(path, { throwIfNoEntry: false });
  if (!before?.isFile() || Date.now() - before.mtimeMs < lockAgeMs) return false;
  // It is renamed first, because a live lock may have replaced it since the check.
  const scratch = join(repository.commonDir, 'gza');
  const aside = join(scratch, `stale-lock.${process.pid}.${Math.random().toString(36).slice(2)}`);
  try {
    mkdirSync(scratch, { recursive: true });
    renameSync(path, aside);
    const taken = lstatSync(aside);
    if (taken.ino !== before.ino || taken.mtimeMs !== before.mtimeMs) linkSync(aside, path);
    rmSync(aside, { force: true });
    return taken.ino === before.ino;
  } catch {
    return false;
  }
}

const turnMs = 1_500;
const waitMs = 5_000;

/**
 * Writers that lost a race take turns, so that sixty-four at once need about two tries each instead of
 * dozens. Only a courtesy: the transaction decides. A turn that a killed process never gave back expires
 * after a moment, and if the file cannot be made, nobody waits. Returns the function that gives the turn
 * back.
 */
export async function takeTurn(commonDir: string): Promise<() => void> {
  const path = join(commonDir, 'gza', 'turn');
  const started = process.uptime();
  while ((process.uptime() - started) * 1000 < waitMs) {
    const taken = tryTake(path);
    if (taken !== 'later') return taken === 'taken' ? () => rmSync(path, { force: true }) : () => {};
    await new Promise((resolve) => setTimeout(resolve, 2 + Math.random() * 20));
  }
  return () => {};
}

function tryTake(path: string): 'taken' | 'later' | 'never' {
  try {
    closeSync(openSync(path, 'wx'));
    return 'taken';
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return madeFolder(path) ? 'later' : 'never';
    if (code !== 'EEXIST') return 'never';
  }
  const held = lstatSync(path, { throwIfNoEntry: false });
  if (held && Date.now() - held.mtimeMs > turnMs) rmSync(path, { force: true, recursive: true });
  return 'later';
}

function madeFolder(path: string): boolean {
  try {
    mkdirSync(join(path, '..'), { recursive: true });
    return true;
  } catch {
    return false;
  }
}
