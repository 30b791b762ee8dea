/** Writes a change into a task file of the work tree: whole or not at all, and never over someone else's change. */
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { editTaskText, removeTaskText, type TaskChanges } from '../core/edit-task-text.ts';
import { GzaError } from '../core/errors.ts';
import { decodeText } from './decode-text.ts';

export interface TaskPlace {
  /** The repository's top folder. */
  readonly root: string;
  readonly file: string;
  readonly id: string;
}

export type { TaskChanges } from '../core/edit-task-text.ts';

export function editTaskFile(place: TaskPlace, changes: TaskChanges): void {
  change(place, (text) => editTaskText(place.file, text, place.id, changes));
}

/** Takes the task out of its file, and the file away when it was the only one. */
export function deleteTaskFromFile(place: TaskPlace): void {
  change(place, (text) => removeTaskText(place.file, text, place.id));
}

function change({ root, file }: TaskPlace, make: (text: string) => string | null): void {
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
