/**
 * The one table of task fields. These are built from its rows: the type (task.ts), the schema of a file
 * (task-schema.ts), the stored form (record.ts), the options of `add` and `edit`, `--json`, `gza show`, the
 * JSON Schema and the tables of docs/tasks.md. The order is that of the stored line, so new fields go to the
 * end of their list.
 *
 * Must not import the schema library: commands that only read load this file, and must start quickly.
 */
import type { FieldRow, ValueOf } from './task-json.ts';

export const taskTypes = ['task', 'explore', 'plan', 'implement', 'review', 'improve'] as const;
export const priorities = ['critical', 'high', 'medium', 'low'] as const;
export const complexities = ['low', 'medium', 'high'] as const;

const rows = <const T extends Readonly<Record<string, FieldRow>>>(table: T): T => table;

/** Fields that every task has. */
export const neededFields = rows({
  id: {
    kind: 'id',
    section: 'what',
    about: 'Names the task. Default: the name of the file without its ending.',
    more: 'Needed under `tasks:`.',
  },
  type: {
    kind: 'choice',
    values: taskTypes,
    section: 'what',
    shared: 'defaults',
    about: 'Kind of work. Default `task`.',
    option: { name: 'type', value: '<type>', help: 'what kind of task', short: 't' },
    json: 'row',
  },
  title: {
    kind: 'line',
    section: 'what',
    about: 'One line, at most 80 characters. Default: the first line of `prompt`.',
    example: 'Add a login page',
    json: 'row',
  },
  content: {
    kind: 'text',
    written: 'prompt',
    section: 'what',
    about: 'What the agent is asked to do.',
    json: 'whole',
  },
});

const ownFields = rows({
  user_story: { kind: 'text', section: 'what', about: 'As a … I want … so that …', json: 'whole' },
  acceptance_criteria: {
    kind: 'lines',
    section: 'what',
    about: 'What must hold when it is done, one point each.',
    option: { name: 'criterion', value: '<text>', help: 'acceptance criterion' },
    json: 'whole',
  },
  group: {
    kind: 'word',
    section: 'what',
    shared: 'file',
    afterClaim: 'edited',
    about: 'Label under which people see related tasks together.',
    option: { name: 'group', value: '<group>', help: 'label for related tasks' },
    json: 'row',
    show: 'group',
  },
  milestone: {
    kind: 'milestone',
    aliases: ['milestone_id'],
    section: 'what',
    shared: 'file',
    afterClaim: 'edited',
    about: 'The milestone it belongs to: its id, or `{id, name, description}`. Milestones also order work.',
    example: 'M1',
    option: { name: 'milestone', value: '<id>', help: 'milestone' },
    json: 'row',
    show: 'milestone',
  },
  priority: {
    kind: 'choice',
    values: priorities,
    section: 'what',
    shared: 'defaults',
    afterClaim: 'edited',
    about: 'What is picked first among the ready. Default `medium`.',
    option: { name: 'priority', value: '<p>', help: 'how urgent' },
    json: 'row',
    show: 'priority',
  },
  estimated_complexity: {
    kind: 'choice',
    values: complexities,
    section: 'what',
    shared: 'defaults',
    about: "The author's estimate.",
    json: 'whole',
  },
  depends_on: {
    kind: 'ids',
    aliases: ['based_on', 'dependencies', 'after'],
    section: 'order',
    about: 'Tasks that must be completed first.',
    example: ['add-login'],
    option: {
      name: 'after',
      value: '<id>',
      help: 'must be completed first',
      aliases: ['based-on', 'depends-on'],
    },
    json: 'row',
    show: 'depends on',
  },
  same_branch: {
    kind: 'flag',
    section: 'order',
    about: 'Continue on the branch of the task it depends on, instead of a new one.',
    option: { name: 'same-branch', help: "go on on the dependency's branch" },
    json: 'whole',
  },
  branch: {
    kind: 'branch',
    section: 'order',
    afterClaim: 'recorded',
    about: 'Branch to work on. Default `gza/<id>`.',
    example: 'feature/login',
    option: { name: 'on-branch', value: '<branch>', help: 'work on this branch' },
  },
  assigned_agent: {
    kind: 'word',
    section: 'order',
    shared: 'defaults',
    afterClaim: 'recorded',
    about: 'The only agent or person that may take it.',
    more: 'A task assigned to a person is not picked.',
    json: 'row',
    show: 'assigned to',
  },
  files_to_create: {
    kind: 'paths',
    section: 'files',
    about: 'Files that will be created.',
    more: 'Checked afterwards: they must exist.',
    example: 'src/login.ts',
    option: { name: 'creates', value: '<file>', help: 'file it creates' },
    json: 'whole',
    show: 'creates',
  },
  files_to_modify: {
    kind: 'paths',
    section: 'files',
    about: 'Files that will be changed.',
    example: 'src/app.ts',
    option: { name: 'modifies', value: '<file>', help: 'file it modifies' },
    json: 'whole',
    show: 'modifies',
  },
  test_files: {
    kind: 'paths',
    section: 'files',
    about: 'Test files that must pass; run with `test_command`.',
    example: 'test/login.test.ts',
    option: { name: 'test-file', value: '<file>', help: 'test file that must pass' },
    json: 'whole',
    show: 'tests',
  },
  parent: {
    kind: 'id',
    section: 'what',
    about: 'Task that this one is a part of.',
    more: 'A task with children is not picked; it is completed when they are.',
    option: { name: 'parent', value: '<id>', help: 'task it is a part of' },
    json: 'row',
    show: 'parent',
  },
  plan_file: {
    kind: 'path',
    section: 'what',
    shared: 'file',
    about: 'Plan that the task follows; its agent is given it as the base branch has it.',
    example: 'docs/plan.md',
    option: { name: 'plan-file', value: '<file>', help: 'plan it belongs to', aliases: ['plan'] },
    json: 'whole',
  },
  project: {
    kind: 'word',
    section: 'what',
    shared: 'file',
    about: 'Project that the task belongs to.',
    option: { name: 'project', value: '<name>', help: 'project it belongs to' },
    json: 'whole',
  },
  linear_issue_id: {
    kind: 'word',
    section: 'what',
    afterClaim: 'edited',
    about: 'Issue in Linear.',
    more: 'Kept by [`gza linear sync`](trackers.md); in a file, the issue that people made for it.',
    example: 'ENG-42',
  },
  tags: {
    kind: 'names',
    section: 'what',
    shared: 'defaults',
    afterClaim: 'edited',
    about: 'Free labels.',
    option: { name: 'tag', value: '<tag>', help: 'free tag' },
    json: 'row',
    show: 'tags',
  },
});

/**
 * These may be set on a task, in a file's `defaults`, in `task_types.<type>` and in the `defaults` of
 * gza.yaml.
 */
export const settingRows = rows({
  requires: {
    kind: 'choice',
    values: ['completed', 'merged'],
    section: 'order',
    builtIn: 'completed',
    about: 'When a dependency counts as met: its task is completed (default), or its pull request is merged.',
  },
  approval: {
    kind: 'choice',
    values: ['required', 'none'],
    section: 'order',
    builtIn: 'none',
    about:
      '`required`: dependents wait until a person approves (`gza approve`) or the pull request is merged.',
    option: { name: 'approval', help: 'hold dependents until gza approve', sets: 'required' },
  },
  breakdown: {
    kind: 'flag',
    section: 'work',
    builtIn: false,
    about:
      'On a plan: its pull request holds the plan and the task file that it comes to; merging it approves both.',
    more: 'See [reports](reports.md#from-a-plan-to-tasks). Default false.',
    option: { name: 'breakdown', help: 'commit the plan with the task file that it comes to' },
  },
  create_review: {
    kind: 'flag',
    section: 'work',
    builtIn: false,
    about: 'File a review task when this one is completed, and run it.',
    option: { name: 'review', help: 'file and run a review task when it is completed' },
  },
  auto_review: {
    kind: 'flag',
    section: 'work',
    builtIn: false,
    about: 'Review the work and improve it until it is approved or `max_review_cycles` is reached.',
    option: { name: 'auto-review', help: 'review and improve until approved', short: 'a' },
  },
  max_review_cycles: {
    kind: 'count',
    range: [1, 20],
    section: 'work',
    builtIn: 3,
    about: 'Reviews before a person is asked. Default 3.',
    option: { name: 'max-cycles', value: '<n>', help: 'most review cycles (default 3)' },
  },
  review_model: {
    kind: 'model',
    section: 'work',
    about: 'Model for reviews of this work, when not `model`; or one for each agent, as there.',
    more: "Set, it keeps the author's agent as reviewer.",
    json: 'whole',
  },
  model: {
    kind: 'model',
    section: 'work',
    about:
      "Model of the first agent listed, never asked of another; or one for each agent by its name, as in `{claude: opus, codex: gpt-5.5}`. Default the agent's own.",
    example: 'opus',
    option: { name: 'model', value: '<model>', help: 'model it runs with' },
    json: 'whole',
    show: 'model',
  },
  agents: {
    kind: 'names',
    written: 'agent',
    section: 'work',
    builtIn: ['claude'],
    about:
      'Programs that may run it, in order of preference: `claude`, `codex`, `opencode`, `gemini`, `copilot`, or a name under `agents:` in gza.yaml.',
    example: 'claude',
    option: { name: 'agent', value: '<agent>', help: 'program that runs it' },
  },
  max_turns: {
    kind: 'count',
    range: [1, 10_000],
    section: 'work',
    about: 'Turns that one run of the agent may take.',
  },
  timeout_minutes: {
    kind: 'minutes',
    section: 'work',
    builtIn: 60,
    about: 'Minutes that one run of the agent may take. Default 60.',
  },
  review_timeout_minutes: {
    kind: 'minutes',
    section: 'work',
    builtIn: 10,
    about: 'Minutes that one review may take. Default 10.',
  },
  improve_timeout_minutes: {
    kind: 'minutes',
    section: 'work',
    builtIn: 30,
    about: 'Minutes that one improvement may take. Default 30.',
  },
  max_attempts: {
    kind: 'count',
    range: [1, 20],
    section: 'work',
    builtIn: 3,
    about: 'Failed tries before the task fails. Default 3.',
  },
  max_slices: {
    kind: 'count',
    range: [0, 20],
    section: 'work',
    builtIn: 2,
    about: 'Continuations of a run cut short with work to show. Default 2.',
  },
  budget: {
    kind: 'dollars',
    section: 'work',
    about: 'Dollars that the task may cost.',
    option: { name: 'budget', value: '<dollars>', help: 'most it may cost' },
  },
  loop: {
    kind: 'choice',
    values: ['until-verified', 'none'],
    section: 'work',
    builtIn: 'none',
    about: '`until-verified`: run again, each time in a fresh session, until the checks pass.',
    more: 'The agent must also say `<promise>DONE</promise>`. Default `none`.',
  },
  allow: {
    kind: 'paths',
    section: 'files',
    about: 'Globs of what the task may touch. Default: everything but the protected paths.',
    more: 'See [security](security.md).',
    example: ['src/**'],
  },
  baseline: {
    kind: 'choice',
    values: ['check', 'skip'],
    section: 'work',
    builtIn: 'check',
    about: '`skip`: it may start although the checks of `gza.yaml` fail on the base, because it mends them.',
    more: 'Default `check`.',
  },
  verify: {
    kind: 'line',
    section: 'work',
    about: 'Command that must succeed after the work.',
    example: 'npm test',
    option: { name: 'verify', value: '<command>', help: 'command that must succeed' },
  },
});

export const fieldRows = { ...neededFields, ...ownFields, ...settingRows } as const;

export type NeededFields = { -readonly [K in keyof typeof neededFields]: ValueOf<(typeof neededFields)[K]> };
export type OwnFields = { -readonly [K in keyof typeof ownFields]?: ValueOf<(typeof ownFields)[K]> };
export type SettingFields = { -readonly [K in keyof typeof settingRows]?: ValueOf<(typeof settingRows)[K]> };

/** The rows as a list, for code that handles all of them. */
export const allRows = Object.entries(fieldRows) as unknown as readonly (readonly [string, FieldRow])[];

/** Besides the content, the fields that lists and schedules do not need. */
export const longFields = allRows
  .filter(([name, { kind }]) => name !== 'content' && (kind === 'text' || kind === 'lines'))
  .map(([name]) => name as keyof OwnFields);

export function fieldRowOf(name: string): FieldRow | undefined {
  return Object.hasOwn(fieldRows, name) ? fieldRows[name as keyof typeof fieldRows] : undefined;
}

export function isSetting(name: string): name is keyof SettingFields {
  return Object.hasOwn(settingRows, name);
}

/** Every name under which a file may give the field; the first is the one that docs use. */
export function namesOf(name: string, { written, aliases = [] }: FieldRow): readonly string[] {
  return written === undefined ? [name, ...aliases] : [written, name, ...aliases];
}

export function isList({ kind }: FieldRow): boolean {
  return kind === 'names' || kind === 'ids' || kind === 'paths' || kind === 'lines';
}
