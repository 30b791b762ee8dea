import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const foldersMax = 100_000;

/** False when it could not be removed. Caches like Go's are made read-only, so that a plain removal fails. */
export function removeHome(home: string): boolean {
  if (remove(home)) return true;
  makeWritable(home);
  return remove(home);
}

function remove(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    return true;
  } catch {
    return false;
  }
}

/** Folders only, and none that is a link: `withFileTypes` does not follow them. */
function makeWritable(home: string): void {
  const folders = [home];
  for (let count = 0; count < foldersMax; count += 1) {
    const folder = folders.pop();
    if (folder === undefined) return;
    try {
      chmodSync(folder, 0o700);
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (entry.isDirectory()) folders.push(join(folder, entry.name));
      }
    } catch {
      // Gone, or someone else's: the removal tells.
    }
  }
}
