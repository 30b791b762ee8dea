/** The files that a task says it will create or modify, as paths that can be compared. */
import type { Task } from './task.ts';

export type DeclaresFiles = Pick<Task, 'files_to_create' | 'files_to_modify'>;

/** `./a//b/../c` is `a/c`. A path that leaves the repository keeps its `..`. */
export function normalisePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/').normalize('NFC');
}

/** Normalised, without repetitions, in the order declared. */
export function normalisePaths(paths: readonly string[] | undefined): string[] {
  if (paths === undefined || paths.length === 0) return [];
  return [...new Set(paths.map(normalisePath))].filter((path) => path !== '');
}

export function declaredFiles(task: DeclaresFiles): string[] {
  return normalisePaths([...(task.files_to_create ?? []), ...(task.files_to_modify ?? [])]);
}
