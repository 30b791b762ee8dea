import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { normalisePath } from '../../core/task/declared-files.ts';

export interface MissingFile {
  readonly path: string;
  readonly because: string;
}

/**
 * The files that are not there. A link is no file: it may show anything, also something outside of the tree, and
 * so may all below a folder that is one.
 */
export function missingFiles(treeDir: string, paths: readonly string[]): MissingFile[] {
  return [...new Set(paths)].flatMap((path) => {
    const because = whyMissing(treeDir, path);
    return because === null ? [] : [{ path, because }];
  });
}

function whyMissing(treeDir: string, path: string): string | null {
  const parts = normalisePath(path).split('/');
  if (path.startsWith('/') || path.includes('\0') || parts.includes('..'))
    return 'is outside of the work tree';
  if (parts[0]?.toLowerCase() === '.git') return 'is inside .git, which is not part of the work';
  for (let count = 1; count < parts.length; count += 1) {
    const folder = stat(treeDir, parts.slice(0, count));
    if (folder === null) return 'does not exist';
    if (folder.isSymbolicLink()) return `is below ${parts.slice(0, count).join('/')}, a link`;
    if (!folder.isDirectory()) return 'does not exist';
  }
  const found = stat(treeDir, parts);
  if (found === null) return 'does not exist';
  if (found.isSymbolicLink()) return 'is a link, not a file';
  if (path.endsWith('/')) return found.isDirectory() ? null : 'is not a folder';
  return found.isFile() ? null : 'is not a file';
}

function stat(treeDir: string, parts: readonly string[]): Stats | null {
  try {
    return lstatSync(join(treeDir, ...parts));
  } catch {
    return null;
  }
}
