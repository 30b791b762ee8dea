/**
 * Writes a change into a task file of the work tree: as a whole or not at all, and never over others'
 * changes.
 */
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { GzaError } from '../core/errors.ts';
import { editTaskText, removeTaskText, type TaskChanges } from '../core/task/edit-task-text.ts';
import { decodeText } from './backlog.ts';

export interface TaskPlace {
  /** The repository's top folder. */
  readonly root: string;
  readonly file: string;
  readonly id: string;
}

export type { TaskChanges } from '../core/task/edit-task-text.ts';

export function editTaskFile(place: TaskPlace, changes: TaskChanges): void {
  changeTaskFile(place, (text) => editTaskText(place.file, text, place.id, changes));
}

/** Removes the task from its file, and the file if it was the only task. */
export function deleteTaskFromFile(place: TaskPlace): void {
  changeTaskFile(place, (text) => removeTaskText(place.file, text, place.id));
}

/** Throws what `deleteTaskFromFile` would throw, and changes nothing. */
export function refuseDeletion(place: TaskPlace): void {
  changeTaskFile(place, (text) => {
    removeTaskText(place.file, text, place.id);
    return text;
  });
}

/** Changes the text of one file. `make` gets the whole text; if it returns null, the file is deleted. */
export function changeTaskFile(
  { root, file }: Omit<TaskPlace, 'id'>,
  make: (text: string) => string | null,
): void {
  const path = join(root, file);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) {
    throw new GzaError('input', `${file} is not a file in the work tree.`, {
      hint: 'Check out the branch that has it.',
    });
  }
  const before = readFileSync(path);
  const text = decodeText(file, before);
  if (typeof text !== 'string') throw new GzaError('input', `${text.message}. Expected: ${text.expected}`);
  const after = make(text);
  if (after === text) return;
  const scratch = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    if (after !== null) writeFileSync(scratch, after, { mode: stats.mode, flag: 'wx' });
    if (!readFileSync(path).equals(before)) throw changedMeanwhile(file);
    if (after === null) rmSync(path);
    else renameSync(scratch, path);
  } finally {
    rmSync(scratch, { force: true });
  }
}

function changedMeanwhile(file: string): GzaError {
  return new GzaError('lost', `${file} was changed by someone else meanwhile; nothing was written.`, {
    hint: 'Look at the file and run the command again.',
  });
}

/** Creates a file, which must not exist yet. */
export function writeNewTaskFile({ root, file }: Omit<TaskPlace, 'id'>, text: string): void {
  const path = join(root, file);
  refuseLinkedFolder(root, file);
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new GzaError('input', `${file} is there already; nothing was written.`, {
      hint: 'Move it away, or name another.',
    });
  }
}

/** What is written below `tasks/` must not end up somewhere else. */
function refuseLinkedFolder(root: string, file: string): void {
  const folder = dirname(file);
  const stats = lstatSync(join(root, folder), { throwIfNoEntry: false });
  if (stats?.isSymbolicLink())
    throw new GzaError('input', `${folder} is a symbolic link and was not followed.`);
}
