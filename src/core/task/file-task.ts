import type { Problem } from '../yaml/problem.ts';
import type { Milestone, Task, TaskSettings } from './task.ts';
import { longFields } from './task-fields.ts';

/** A task as a file in `tasks/` defines it. */
export interface FileTask {
  /** What the task or its file set; nothing from the configuration. */
  readonly task: Task;
  /** What the file's `defaults` set: a layer below the task's own values and its type's. */
  readonly defaults: TaskSettings;
  /** From the repository's top folder, with `/`. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Its age among file tasks: position by path, then inside the file. */
  readonly order: number;
  /** Lines of its fields, and of the file's as `defaults.<field>`. Only on a task that was read whole. */
  readonly lines?: Readonly<Record<string, number>>;
}

/** Without what `ready` and its kin do not need of a task; thousands are read at once. */
export function withoutLongFields({ task, lines: _lines, ...rest }: FileTask): FileTask {
  const slim = { ...task, content: '' };
  for (const name of longFields) delete slim[name];
  return { ...rest, task: slim };
}

export interface TaskFileRead {
  readonly tasks: readonly FileTask[];
  /** Milestones that are named or described in the file. */
  readonly milestones: readonly Milestone[];
  readonly problems: readonly Problem[];
}
