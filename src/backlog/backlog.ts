/** The tasks and the configuration of a repository, from its work tree or from a commit. */

import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { TextDecoder } from 'node:util';
import type { Config } from '../core/config/config.ts';
import { whyUnsafePath } from '../core/guard/unsafe-path.ts';
import { declaredFiles, type FileTask, type Milestone, type Task } from '../core/task/task.ts';
import type { Problem } from '../core/yaml/problem.ts';

export interface BacklogRead {
  /** Usable even when something in it is wrong: `problems` says what was left out. */
  readonly config: Config;
  /** By path, then position. Without content, user_story and acceptance_criteria unless read whole. */
  readonly tasks: readonly FileTask[];
  /** In the order of gza.yaml, then by id; with the names and descriptions that files give. */
  readonly milestones: readonly Milestone[];
  /** What is wrong inside the files; check-backlog.ts finds what is wrong between tasks. */
  readonly problems: readonly Problem[];
  /** The same as long as the same is read from the same place: a checksum over all paths and the digests of their contents. */
  readonly identity: string;
}

export interface Backlog {
  /** `whole` parses every file and includes the long texts. */
  read(options?: { readonly whole?: boolean }): Promise<BacklogRead>;
  /** One task with all its texts, from the file as it is now. */
  definition(id: string): Promise<FileTask | null>;
}

export const tasksFolder = 'tasks';
export const backlogFilesMax = 100_000;
export const fileBytesMax = 10 * 1024 * 1024;
export const backlogBytesMax = 100 * 1024 * 1024;

/** Whether a path under `tasks/` is a task file; hidden ones (an editor's lock, a `.git`) are not. */
export function isTaskFile(path: string): boolean {
  return /\.ya?ml$/.test(path) && !isIgnored(path);
}

export function isIgnored(path: string): boolean {
  return path.split('/').some((part) => part.startsWith('.') || part === 'node_modules');
}

/**
 * Links are refused, not followed: one that leads out of the repository would let a task file read anything.
 * The rule is the same in a commit, where nobody can tell what a link leads to.
 */
export function linkProblem(path: string): Problem | null {
  const mayHoldTasks = (/\.ya?ml$/.test(path) || !/\.[^/.]*$/.test(path)) && !isIgnored(path);
  if (!mayHoldTasks && path !== '.project-config.json') return null;
  return fileProblem(
    path,
    'is a symbolic link and was not followed',
    'the file itself, inside the repository',
  );
}

export function fileProblem(file: string, what: string, expected: string): Problem {
  return {
    file,
    line: 1,
    column: 1,
    message: `${file} ${what}`,
    expected,
    severity: 'error',
    wholeFile: true,
  };
}

export function misnamedConfig(): Problem {
  return fileProblem('gza.yml', 'is not read', 'gza.yaml: rename the file');
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a file, or what is wrong with its bytes: never a text with replacement characters in it. */
export function decodeText(file: string, bytes: Buffer): string | Problem {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return fileProblem(file, 'is UTF-16', 'UTF-8: save it with that encoding');
  }
  try {
    return utf8.decode(bytes);
  } catch {
    const good = firstBadByte(bytes);
    const before = bytes.subarray(0, good).toString('latin1').split('\n');
    const found = `the byte 0x${(bytes[good] ?? 0).toString(16).padStart(2, '0')}`;
    const column = (before.at(-1)?.length ?? 0) + 1;
    return {
      ...fileProblem(file, 'is not UTF-8', 'UTF-8: save it with that encoding'),
      line: before.length,
      column,
      found,
    };
  }
}

function firstBadByte(bytes: Buffer): number {
  const again = Buffer.from(bytes.toString('utf8'), 'utf8');
  let at = 0;
  while (at < bytes.length && bytes[at] === again[at]) at++;
  return at;
}

/** Sizes of the files that tasks name, as they are in the work tree. Links are not followed. */

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
