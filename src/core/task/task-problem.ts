import type { Problem } from '../yaml/problem.ts';
import type { FileTask } from './file-task.ts';
import type { Task } from './task.ts';

/** What binds a task to others. */
export type LinkedTask = Pick<Task, 'depends_on' | 'parent' | 'branch' | 'same_branch'>;

/** A mistake of a task as a whole, placed at one of its fields where the line is known. */
export function taskProblem(
  one: FileTask,
  field: string,
  message: string,
  more: Partial<Problem> = {},
): Problem {
  const { file, line, column, lines, task } = one;
  // The fields of a task stand in the column of the task.
  return { file, line: lines?.[field] ?? line, column, message, severity: 'error', task: task.id, ...more };
}
