/** Writes tasks as the text of a task file, such that reading it gives the same tasks. */
import { stringify } from 'yaml';
import { taskFileHeader } from '../text/doctor/starter.ts';
import type { Milestone, Task } from './task.ts';

/** The names of fields, in the order in which people write them. */
const order = [
  'id',
  'title',
  'type',
  'priority',
  'group',
  'milestone',
  'parent',
  'depends_on',
  'files_to_create',
  'files_to_modify',
  'test_files',
  'acceptance_criteria',
  'user_story',
] as const satisfies readonly (keyof Task)[];

export interface TaskFileContent {
  /** Lines of a comment, placed below the schema's comment. */
  readonly about?: readonly string[];
  /** Fields that are written once for all tasks of the file. */
  readonly shared?: Readonly<Record<string, unknown>>;
  readonly tasks: readonly Task[];
  /** Each is described at the first task that names it. */
  readonly milestones?: readonly Milestone[];
}

export function taskFileText({ about = [], shared = {}, tasks, milestones }: TaskFileContent): string {
  const comment = about.map((line) => `# ${line.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')}\n`).join('');
  const head = Object.keys(shared).length > 0 ? stringify(shared, { lineWidth: 0 }) : '';
  return `${taskFileHeader()}${comment}${head}tasks:\n${taskItemsText(tasks, 2, milestones, shared)}`;
}

/** The items of `tasks:`, each with its dash at this column and a blank line between them. */
export function taskItemsText(
  tasks: readonly Task[],
  column: number,
  milestones: readonly Milestone[] = [],
  shared: Readonly<Record<string, unknown>> = {},
): string {
  const described = new Map(milestones.map((one) => [one.id, one]));
  const indent = ' '.repeat(column);
  return tasks
    .map((task) => {
      const milestone = described.get(task.milestone ?? '');
      described.delete(task.milestone ?? '');
      const fields = taskFields(task, milestone, shared);
      const text = stringify([fields], { lineWidth: 0, version: '1.2' }).trimEnd();
      return text
        .split('\n')
        .map((line) => (line === '' ? '' : `${indent}${line}`))
        .join('\n');
    })
    .map((text) => `${text}\n`)
    .join('\n');
}

/**
 * Leaves out empty fields, those that the file sets for all tasks, and those that the reader fills in itself.
 */
export function taskFields(
  task: Task,
  milestone?: Milestone,
  shared: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const { content, ...rest } = task;
  const fields: Record<string, unknown> = {};
  const names = [...order, ...Object.keys(rest).filter((name) => !order.some((one) => one === name))];
  for (const name of names) {
    const value = rest[name as keyof typeof rest];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    if (name in shared && shared[name] === value) continue;
    if (name === 'type' && value === 'task' && !('type' in shared)) continue;
    fields[name] = name === 'milestone' && milestone?.name ? milestone : value;
  }
  if (content.trim() !== task.title) fields['prompt'] = content;
  return fields;
}
