/**
 * What a task file may say, made from the table of fields. The names are those of the specifications; where several
 * name one thing (`based_on`, `after`, `dependencies`, `depends_on`) each is taken and the rest of the program sees
 * one.
 */
import * as z from 'zod';
import { isReservedName, taskIdPattern } from './branch-name.ts';
import { type FieldRow, namesOf } from './field-row.ts';
import { allRows, isSetting } from './task-fields.ts';
import { titleCharactersMax } from './title.ts';

const promptCharsMax = 100_000;
const listItemsMax = 1000;

/** `title` is what an error says was expected; `examples` are shown in errors and by editors. */
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

function fieldsWhere(holds: (name: string, row: FieldRow) => boolean): Record<string, z.ZodOptional> {
  return Object.fromEntries(allRows.filter(([name, row]) => holds(name, row)).flatMap(schemasOf));
}

export const idSchema = id;
const allFields = fieldsWhere(() => true);
export const settingFields = fieldsWhere(isSetting);

const defaultsSchema = z
  .strictObject(fieldsWhere((name, { shared }) => isSetting(name) || shared !== undefined))
  .describe('Values for the tasks of this file that do not set their own.');

export const taskSchema = z.strictObject(allFields).describe('One task.');

/** What a file says for all its tasks. */
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

/** Checked values under the names that a file used. */
export type TaskInput = Readonly<Record<string, unknown>>;

/** What gza records about a task. Written into a task file these are an error that says where they come from. */
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

/** Words of other tools, and what they are called here. */
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
