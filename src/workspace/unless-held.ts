/** git reads the files with its rules in a work tree, and waits for ever at a pipe that has the name of one. */
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { GzaError } from '../core/errors.ts';

const rules: ReadonlySet<string> = new Set(['.gitignore', '.gitattributes', '.gitmodules']);
const rulesBytesMax = 5 << 20;
const patienceMs = 1000;
const foldersMax = 200_000;

/** Runs git; when that takes its time, looks whether it can end at all, and stops it if not. */
export async function unlessHeld<T>(treeDir: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const done = new AbortController();
  const look = async () => {
    const odd = await oddRules(treeDir, done.signal);
    if (odd !== null) stop.abort(odd);
  };
  const timer = setTimeout(() => void look(), patienceMs);
  try {
    return await run(stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new GzaError('world', `git cannot read ${treeDir}: ${String(stop.signal.reason)}`);
  } finally {
    clearTimeout(timer);
    done.abort();
  }
}

async function oddRules(treeDir: string, signal: AbortSignal): Promise<string | null> {
  const folders = [''];
  for (let count = 0; count < foldersMax && !signal.aborted; count += 1) {
    const folder = folders.pop();
    if (folder === undefined) return null;
    const entries = await readdir(path.join(treeDir, folder), { withFileTypes: true }).catch(() => []);
    for (const { name } of entries.filter((entry) => rules.has(entry.name))) {
      const file = path.join(folder, name);
      const stats = await lstat(path.join(treeDir, file)).catch(() => null);
      if (stats?.isFile() && stats.size > rulesBytesMax) return `${file} has ${stats.size} bytes`;
      if (stats && !stats.isFile() && !stats.isSymbolicLink() && !stats.isDirectory())
        return `${file} is no plain file`;
    }
    for (const entry of entries) if (entry.isDirectory()) folders.push(path.join(folder, entry.name));
  }
  return null;
}
