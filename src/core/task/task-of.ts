/** From the words of a file to a Task: names that mean one thing become one, a single value becomes a list of one. */

import { type FieldRow, isList, namesOf } from './field-row.ts';
import type { Task, TaskSettings } from './task.ts';
import { allRows, isSetting } from './task-fields.ts';
import type { TaskInput } from './task-schema.ts';
import { titleOf } from './title.ts';

/** What the tasks of one file share. */
export interface Shared {
  /** Fields that a task takes over unless it sets its own. */
  readonly own: Partial<Task>;
  readonly settings: TaskSettings;
  readonly lines: Readonly<Record<string, number>>;
}

type Report = (message: string, field: string) => void;

export function taskOf(id: string, input: TaskInput, shared: Partial<Task>, report: Report): Task {
  const { own, settings } = fieldsOf(input, report);
  const { content: asked = '', ...merged } = { ...shared, ...own };
  const title = own.title ?? (asked === '' ? id : titleOf(asked));
  return { type: 'task', ...merged, ...settings, id, title, content: asked === '' ? title : asked };
}

/** Splits what a task (or a file's header) sets into fields that a task has and settings with layers. */
export function fieldsOf(input: TaskInput, report?: Report): { own: Partial<Task>; settings: TaskSettings } {
  const own: Record<string, unknown> = {};
  const settings: Record<string, unknown> = {};
  for (const [name, row] of allRows) {
    const value = valueOf(name, row, input, report);
    if (value !== undefined) (isSetting(name) ? settings : own)[name] = value;
  }
  return { own, settings };
}

function valueOf(name: string, row: FieldRow, input: TaskInput, report?: Report): unknown {
  const names = namesOf(name, row);
  const given = names.filter((one) => input[one] !== undefined);
  if (given.length === 0) return undefined;
  const values = given.map((one) => (row.kind === 'milestone' ? idOf(input[one]) : input[one]));
  if (isList(row)) {
    const all = values.flat();
    if (names.length === 1) return all;
    return all.length > 0 ? [...new Set(all)] : undefined;
  }
  const other = given.findIndex((_, index) => values[index] !== values[0]);
  if (other > 0)
    report?.(`${given[0]} and ${given[other]} are the same field: give one of them`, given[other]!);
  return values[0];
}

/** A milestone may be described where it is named. */
function idOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'id' in value ? value.id : value;
}
