/**
 * Writers that lost a race wait for their turn, so that sixty-four at once need about two tries each instead of
 * dozens. Only a courtesy: the transaction decides. A turn that a killed process never gave back is over after
 * a moment, and where the file cannot be made everybody just tries.
 */
import { closeSync, lstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const turnMs = 1_500;
const waitMs = 5_000;

/** Answers how to give the turn back. */
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
