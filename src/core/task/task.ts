/**
 * What should be done: a task as its author wrote it, with every field that a task may have under the name it
 * has in YAML, in the ledger and in `--json`: see task-fields.ts. A field that was not set is absent: the effective
 * value comes from the configuration (see settings.ts). Absent lists and texts keep a stored line short.
 */
import type { NeededFields, OwnFields, priorities, SettingFields, taskTypes } from './task-fields.ts';

export { complexities, priorities, taskTypes } from './task-fields.ts';

export type TaskType = (typeof taskTypes)[number];
export type Priority = (typeof priorities)[number];

export interface TaskSettings extends SettingFields {}

export interface Task extends NeededFields, OwnFields, TaskSettings {}

export interface Milestone {
  id: string;
  name?: string;
  description?: string;
}
