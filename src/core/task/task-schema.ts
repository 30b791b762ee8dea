/**
 * The schema of a task file, built from the table of fields. The names are those of the specifications. Where
 * several names mean one thing (`based_on`, `after`, `dependencies`, `depends_on`), each is accepted and the
 * rest of the program sees one.
 */
import * as z from 'zod';
import {
  isReservedName,
  type Task,
  type TaskSettings,
  taskIdPattern,
  titleCharactersMax,
  titleOf,
} from './task.ts';
import { allRows, isList, isSetting, namesOf } from './task-fields.ts';
import type { FieldRow } from './task-json.ts';

const promptCharsMax = 100_000;
const listItemsMax = 1000;

/** Errors show `title` as what was expected; errors and editors show `examples`. */
const id = z
  .string()
  .regex(taskIdPattern)
  .refine((name) => !isReservedName(name), 'is a name that a system keeps for itself')
  .meta({
    title: 'an id of letters, digits, ".", "_" and "-", at most 64, not beginning with "." or "-", no ".."',
    examples: ['add-login'],
  });
export const word = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((name) => name !== '__proto__', 'is a name that a system keeps for itself');
const text = z.string().trim().min(1).max(promptCharsMax);
export const line = z
  .string()
  .trim()
  .min(1)
  .max(2000)
  .regex(/^[^\r\n]*$/)
  .meta({ title: 'one line of text' });
const path = z
  .string()
  .trim()
  .regex(/^(?!\/)(?!.*(^|\/)\.\.(\/|$))[^\0\r\n\\]{1,500}$/)
  .meta({
    title: 'a path inside the repository, with / between folders and no ..',
    examples: ['src/login.ts'],
  });

const milestone = z.union([
  id,
  z
    .strictObject({ id, name: line.optional(), description: text.optional() })
    .describe('A milestone, described here.'),
]);
const title = line
  .refine((written) => Array.from(written).length <= titleCharactersMax)
  .meta({
    title: `one line of at most ${titleCharactersMax} characters`,
    maxLength: titleCharactersMax,
  });

const oneOrMany = (item: z.ZodType) => z.union([item, z.array(item).max(listItemsMax)]);

function valueSchema(name: string, { kind, values = [], range = [0, 0] }: FieldRow): z.ZodType {
  switch (kind) {
    case 'id':
      return id;
    case 'word':
      return word;
    case 'line':
      return name === 'title' ? title : line;
    case 'text':
      return text;
    case 'path':
      return path;
    case 'branch':
      return word;
    case 'model':
      return z
        .union([word, z.record(word, word)])
        .meta({ title: 'the name of a model, or a map with one for each agent' });
    case 'milestone':
      return milestone;
    case 'flag':
      return z.boolean();
    case 'choice':
      return z.enum(values as [string, ...string[]]);
    case 'count':
      return z.number().int().min(range[0]).max(range[1]);
    case 'minutes':
      return z.number().positive().max(10_080);
    case 'dollars':
      return z.number().positive().max(1_000_000);
    case 'names':
      return oneOrMany(word);
    case 'ids':
      return oneOrMany(id);
    case 'paths':
      return oneOrMany(path);
    case 'lines':
      return oneOrMany(text);
  }
}

/** One schema for each name that the field has in files. */
function schemasOf([name, row]: readonly [string, FieldRow]): [string, z.ZodOptional][] {
  const [first, ...others] = namesOf(name, row);
  const value = valueSchema(name, row).optional();
  const schema = row.example === undefined ? value : value.meta({ examples: [row.example] });
  return [
    [first!, schema.describe(row.about)],
    ...others.map(
      (other) => [other, schema.describe(`The same as \`${first}\`.`)] as [string, z.ZodOptional],
    ),
  ];
}

/** Built once, because several of the objects below share them. */
const made = allRows.map((row) => ({ row, schemas: schemasOf(row) }));

function fieldsWhere(holds: (name: string, row: FieldRow) => boolean): Record<string, z.ZodOptional> {
  return Object.fromEntries(made.filter(({ row }) => holds(...row)).flatMap(({ schemas }) => schemas));
}

export const idSchema = id;
const allFields = fieldsWhere(() => true);
export const settingFields = fieldsWhere(isSetting);

const defaultsSchema = z
  .strictObject(fieldsWhere((name, { shared }) => isSetting(name) || shared !== undefined))
  .describe('Values for the tasks of this file that do not set their own.');

export const taskSchema = z.strictObject(allFields).describe('One task.');

/** Fields that a file sets for all its tasks. */
export const headerSchema = z.strictObject({
  ...fieldsWhere((_, { shared }) => shared === 'file'),
  defaults: defaultsSchema.optional(),
});

export const manyTasksSchema = headerSchema
  .extend({
    tasks: z
      .array(taskSchema.extend({ id: id.describe('Names the task.') }))
      .describe('The tasks, in order.'),
  })
  .describe('Several tasks in one file.');

/** Checked values, under the names that the file used. */
export type TaskInput = Readonly<Record<string, unknown>>;

/**
 * State that gza records itself. In a task file these names are an error, which says where the value comes
 * from.
 */
export const stateFields: Readonly<Record<string, string>> = {
  status: 'it follows from what happened; to close a task by hand run `gza done <id>`',
  attempts: 'to start counting again run `gza reset <id>`',
  error: 'it is the error of the last failed try',
  notes: 'add one with `gza note <id> <text>`',
  created_at: 'it is recorded when the task is first seen',
  created_by: 'it is recorded when the task is first seen',
  completed_at: 'it is recorded when the task is completed',
  updated_at: 'see `gza log <id>`',
  closed_at: 'it is recorded when the task is closed',
  closed_commit: 'it is recorded when the task is closed',
  implementation_notes: 'they are what the agent reports',
  review_cycle: 'it counts as reviews are made',
  final_verdict: 'it is how the review ended; to approve run `gza edit <id> --verdict APPROVED`',
  verdict: 'to approve run `gza edit <id> --verdict APPROVED`',
  task_ids: 'name the milestone on each task',
  current_task_id: 'see `gza summary --json`',
};

/** Words of other tools → the names used here. */
export const taskSynonyms: Readonly<Record<string, string>> = {
  name: 'title',
  summary: 'title',
  description: 'prompt',
  body: 'prompt',
  instructions: 'prompt',
  text: 'prompt',
  kind: 'type',
  needs: 'depends_on',
  deps: 'depends_on',
  requires_tasks: 'depends_on',
  blocked_by: 'depends_on',
  labels: 'tags',
  epic: 'milestone',
  criteria: 'acceptance_criteria',
  files: 'files_to_modify',
  tests: 'test_files',
  timeout: 'timeout_minutes',
  max_cycles: 'max_review_cycles',
  review: 'create_review',
  retries: 'max_attempts',
  runner: 'agent',
  assignee: 'assigned_agent',
  complexity: 'estimated_complexity',
  cost: 'budget',
  test: 'verify',
  paths: 'allow',
  linear: 'linear_issue_id',
};

/** From the words of a file to a Task: aliases become one name, and a single value becomes a list of one. */

/** What the tasks of one file share. */
export interface SharedFields {
  /** Fields that a task inherits unless it sets its own. */
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

/** Splits the input into a task's own fields and its settings, which are resolved in layers. */
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

/** A milestone may be described where it is named; this returns only its id. */
function idOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'id' in value ? value.id : value;
}
