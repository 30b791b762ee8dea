/** Sizes of the files that tasks name, as they are in the work tree. Links are not followed. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { whyUnsafePath } from '../core/guard/unsafe-path.ts';
import { declaredFiles } from '../core/task/declared-files.ts';
import type { Task } from '../core/task/task.ts';

/** Files looked at for one call: the rest count as unknown. */
const filesSizedMax = 50_000;

/** Empty where there is no work tree: then a file to modify counts as one of usual size. */
export function fileSizes(root: string | null, tasks: readonly Task[]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  if (root === null) return sizes;
  const seen = new Set<string>();
  for (const file of tasks.flatMap((task) => declaredFiles(task))) {
    if (seen.size >= filesSizedMax) break;
    if (seen.has(file) || whyUnsafePath(file) !== null) continue;
    seen.add(file);
    const stats = lstatSync(join(root, file), { throwIfNoEntry: false });
    if (stats?.isFile()) sizes.set(file, stats.size);
  }
  return sizes;
}
