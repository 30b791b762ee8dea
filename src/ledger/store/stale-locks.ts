/**
 * A process killed while git held `<ref>.lock` leaves the file, and every later write fails. git holds a lock
 * for milliseconds; one that is old and does not change has no holder any more.
 */
import { linkSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../../git/open-repository.ts';

const lockAgeMs = 10_000;

/** Removes the stale locks of these refs and of packed-refs; answers the paths. */
export function removeStaleLocks(
  repository: Repository,
  refs: readonly string[],
  ageMs = lockAgeMs,
): string[] {
  const paths = [...refs, 'packed-refs'].map((ref) => join(repository.commonDir, `${ref}.lock`));
  return paths.filter((path) => removeIfStale(repository, path, ageMs));
}

function removeIfStale(repository: Repository, path: string, ageMs: number): boolean {
  const before = lstatSync(path, { throwIfNoEntry: false });
  if (!before?.isFile() || Date.now() - before.mtimeMs < ageMs) return false;
  // Taken away under another name first: between the look and the removal a live lock may have replaced it.
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
