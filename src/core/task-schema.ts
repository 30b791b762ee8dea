/**
 * Every field of a task file, once: what a field takes, the text that editors show for it, and the schema that
 * files are read with all come from here. The names are those of the specifications; where several name one
 * thing (`based_on`, `after`, `dependencies`, `depends_on`) each is taken and the rest of the program sees one.
 */
import * as z from 'zod';
import { taskIdPattern } from './branch-name.ts';
import { complexities, priorities, type Task, type TaskSettings, taskTypes } from './task.ts';

export const titleCharsMax = 80;
const promptCharsMax = 100_000;
const listItemsMax = 1000;

/** `title` is what an error says was expected; `examples` are shown in errors and by editors. */
const id = z
  .string()
  .regex(taskIdPattern)
  .meta({
    title: 'an id of letters, digits, ".", "_" and "-", at most 64, not beginning with "." or "-", no ".."',
    examples: ['add-login'],
  });
const word = z.string().trim().min(1).max(200);
const text = z.string().trim().min(1).max(promptCharsMax);
const line = z
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
const count = (min: number, max: number) => z.number().int().min(min).max(max);
const minutes = z.number().positive().max(10_080);

function list<T extends z.ZodType>(item: T) {
  return z.array(item).max(listItemsMax);
}

function oneOrMany<T extends z.ZodType>(item: T) {
  return z.union([item, list(item)]);
}

const dependencies = (what: string) =>
  oneOrMany(id)
    .optional()
    .meta({ description: what, examples: [['add-login']] });

/** Settings may stand on a task, in a file's `defaults`, in `task_types.<type>` and in the `defaults` of gza.yaml. */
export const settingsFields = {
  requires: z
    .enum(['completed', 'merged'])
    .optional()
    .describe(
      'When a dependency counts as met: its task is completed (default), or its pull request is merged.',
    ),
  approval: z
    .enum(['required', 'none'])
    .optional()
    .describe(
      '`required`: dependents wait until a person approves (`gza approve`) or the pull request is merged.',
    ),
  breakdown: z
    .boolean()
    .optional()
    .describe(
      'On a plan: its pull request holds the plan and the task file that it comes to; merging it approves both.',
    ),
  create_review: z
    .boolean()
    .optional()
    .describe('File a review task when this one is completed, and run it.'),
  auto_review: z
    .boolean()
    .optional()
    .describe('Review the work and improve it until it is approved or `max_review_cycles` is reached.'),
  max_review_cycles: count(1, 20).optional().describe('Reviews before a person is asked. Default 3.'),
  review_model: word.optional().describe('Model for reviews of this work, when not `model`.'),
  model: word
    .optional()
    .describe("Model that the agent uses; default the agent's own.")
    .meta({ examples: ['opus'] }),
  agent: oneOrMany(word)
    .optional()
    .describe('The program to run (`claude`, `codex`, `opencode`, or a name under `agents:` in gza.yaml).')
    .meta({ examples: ['claude'] }),
  agents: oneOrMany(word).optional().describe('Programs that may run it, in order of preference.'),
  max_turns: count(1, 10_000).optional().describe('Turns that one run of the agent may take.'),
  timeout_minutes: minutes.optional().describe('Minutes that one run of the agent may take. Default 60.'),
  review_timeout_minutes: minutes.optional().describe('Minutes that one review may take. Default 10.'),
  improve_timeout_minutes: minutes.optional().describe('Minutes that one improvement may take. Default 30.'),
  max_attempts: count(1, 20).optional().describe('Failed tries before the task fails. Default 3.'),
  max_slices: count(0, 20)
    .optional()
    .describe('Continuations of a run cut short with work to show. Default 2.'),
  budget: z.number().positive().max(1_000_000).optional().describe('Dollars that the task may cost.'),
  loop: z
    .enum(['until-verified', 'none'])
    .optional()
    .describe('`until-verified`: run again, each time in a fresh session, until the checks pass.'),
  allow: oneOrMany(path)
    .optional()
    .describe('Globs of what the task may touch. Default: everything but the protected paths.')
    .meta({ examples: [['src/**']] }),
  verify: line
    .optional()
    .describe('Command that must succeed after the work.')
    .meta({ examples: ['npm test'] }),
};

const milestone = z
  .union([
    id,
    z
      .strictObject({ id, name: line.optional(), description: text.optional() })
      .describe('A milestone, described here.'),
  ])
  .optional()
  .describe('The milestone it belongs to: its id, or `{id, name, description}`. Milestones also order work.')
  .meta({ examples: ['M1'] });

/** What a file with `tasks:` may say once for all of them, and any task for itself. */
export const sharedFields = {
  group: word.optional().describe('Label under which people see related tasks together.'),
  milestone,
  milestone_id: milestone.describe('The same as `milestone`.'),
  project: word.optional().describe('Project that the task belongs to.'),
  plan_file: path.optional().describe('Plan that the task follows.'),
  type: z.enum(taskTypes).optional().describe('Kind of work. Default `task`.'),
  priority: z.enum(priorities).optional().describe('What is picked first among the ready. Default `medium`.'),
  estimated_complexity: z.enum(complexities).optional().describe("The author's estimate."),
  assigned_agent: word.optional().describe('The only agent or person that may take it.'),
  tags: oneOrMany(word).optional().describe('Free labels.'),
};

export const taskFields = {
  id: id.optional().describe('Names the task. Default: the name of the file without its ending.'),
  title: line
    .refine((title) => Array.from(title).length <= titleCharsMax)
    .optional()
    .describe('One line, at most 80 characters. Default: the first line of `prompt`.')
    .meta({
      title: `one line of at most ${titleCharsMax} characters`,
      maxLength: titleCharsMax,
      examples: ['Add a login page'],
    }),
  prompt: text.optional().describe('What the agent is asked to do.'),
  content: text.optional().describe('The same as `prompt`.'),
  user_story: text.optional().describe('As a … I want … so that …'),
  acceptance_criteria: oneOrMany(text).optional().describe('What must hold when it is done, one point each.'),
  depends_on: dependencies('Tasks that must be completed first.'),
  based_on: dependencies('The same as `depends_on`.'),
  dependencies: dependencies('The same as `depends_on`.'),
  after: dependencies('The same as `depends_on`.'),
  same_branch: z
    .boolean()
    .optional()
    .describe('Continue on the branch of the task it depends on, instead of a new one.'),
  branch: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Branch to work on. Default `gza/<id>`.')
    .meta({ examples: ['feature/login'] }),
  files_to_create: oneOrMany(path).optional().describe('Files that will be created.'),
  files_to_modify: oneOrMany(path).optional().describe('Files that will be changed.'),
  test_files: oneOrMany(path).optional().describe('Test files that must pass; run with `test_command`.'),
  parent: id.optional().describe('Task that this one is a part of.'),
  linear_issue_id: word
    .optional()
    .describe('Issue in Linear.')
    .meta({ examples: ['ENG-42'] }),
};

const defaultsSchema = z
  .strictObject({ ...sharedFields, ...settingsFields })
  .describe('Values for the tasks of this file that do not set their own.');

export const taskSchema = z
  .strictObject({ ...taskFields, ...sharedFields, ...settingsFields })
  .describe('One task.');

export const manyTasksSchema = z
  .strictObject({
    group: sharedFields.group,
    milestone: sharedFields.milestone,
    milestone_id: sharedFields.milestone_id,
    project: sharedFields.project,
    plan_file: sharedFields.plan_file,
    defaults: defaultsSchema.optional(),
    tasks: z
      .array(taskSchema.extend({ id: id.describe('Names the task.') }))
      .describe('The tasks, in order.'),
  })
  .describe('Several tasks in one file.');

export type TaskInput = z.output<typeof taskSchema>;
export type DefaultsInput = z.output<typeof defaultsSchema>;

type Settable<T, Input> = Exclude<keyof T, keyof Input> extends never ? true : Exclude<keyof T, keyof Input>;
/** A type error here names a field of Task that no file could set. @public */
export const everyFieldIsSettable: [Settable<Task, TaskInput>, Settable<TaskSettings, DefaultsInput>] = [
  true,
  true,
];

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
