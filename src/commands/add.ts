import { createHash } from 'node:crypto';
import { GzaError } from '../core/errors.ts';
import type { Event } from '../core/event.ts';
import type { LaneLink, TaskRecord } from '../core/record.ts';
import { type Priority, type Task, type TaskType, priorities, taskTypes } from '../core/task.ts';
import type { LedgerView, Plan } from '../ledger/ledger.ts';
import type { Command, Invocation, Outcome, Ports } from './command.ts';
import { type Stamp, refusalError, stampOf, taskOutcome } from './change-task.ts';
import { findTask } from './find-task.ts';
import { type Opened, homeBranch, look, open } from './project.ts';
import { taskText } from './task-text.ts';

export const command: Command = {
  spec: {
    name: 'add',
    summary: 'file a task',
    arguments: [{ name: 'text', many: true }],
    details: 'The text is the argument, or standard input, or what you write in the editor.',
    options: [
      {
        name: 'type',
        short: 't',
        type: 'text',
        value: '<type>',
        help: 'what kind of task',
        choices: taskTypes,
      },
      { name: 'title', type: 'text', value: '<title>', help: 'title; else the first line of the text' },
      { name: 'group', type: 'text', value: '<group>', help: 'label for related tasks' },
      { name: 'milestone', type: 'text', value: '<id>', help: 'milestone' },
      { name: 'priority', type: 'text', value: '<p>', help: 'how urgent', choices: priorities },
      {
        name: 'after',
        aliases: ['based-on', 'depends-on'],
        type: 'many',
        value: '<id>',
        help: 'must be completed first',
      },
      { name: 'same-branch', type: 'flag', help: "go on on the dependency's branch" },
      { name: 'on-branch', type: 'text', value: '<branch>', help: 'work on this branch' },
      { name: 'review', type: 'flag', help: 'file and run a review task when it is completed' },
      { name: 'auto-review', short: 'a', type: 'flag', help: 'review and improve until approved' },
      { name: 'max-cycles', type: 'number', value: '<n>', help: 'most review cycles (default 3)' },
      { name: 'approval', type: 'flag', help: 'hold dependents until gza approve' },
      { name: 'parent', type: 'text', value: '<id>', help: 'task it is a part of' },
      { name: 'plan-file', aliases: ['plan'], type: 'text', value: '<file>', help: 'plan it belongs to' },
      { name: 'project', type: 'text', value: '<name>', help: 'project it belongs to' },
      { name: 'agent', type: 'many', value: '<agent>', help: 'program that runs it' },
      { name: 'model', type: 'text', value: '<model>', help: 'model it runs with' },
      { name: 'budget', type: 'number', value: '<dollars>', help: 'most it may cost' },
      { name: 'creates', type: 'many', value: '<file>', help: 'file it creates' },
      { name: 'modifies', type: 'many', value: '<file>', help: 'file it modifies' },
      { name: 'test-file', type: 'many', value: '<file>', help: 'test file that must pass' },
      { name: 'criterion', type: 'many', value: '<text>', help: 'acceptance criterion' },
      { name: 'verify', type: 'text', value: '<command>', help: 'command that must succeed' },
      { name: 'tag', type: 'many', value: '<tag>', help: 'free tag' },
    ],
    examples: [
      {
        command: 'gza add "Refactor auth middleware to use JWT"',
        shows: 'task-a3f8: Refactor auth middleware to use JWT',
      },
      { command: 'gza add "Write tests for JWT auth" --after task-a3f8', shows: 'waits for task-a3f8' },
      {
        command: 'gza add "Add feature X" -t implement -a',
        shows: 'implement, review and improve until approved',
      },
    ],
  },
  run,
};

async function run(invocation: Invocation, ports: Ports): Promise<Outcome> {
  const content = await taskText(invocation.args.join(' '), ports);
  const opened = await open(ports);
  const fields = await definition(invocation, content, opened, ports);
  const filed = await file(opened, fields, ports);
  const after = filed.depends_on?.length ? ` (after ${filed.depends_on.join(', ')})` : '';
  const text = `${filed.id}: ${filed.title}${after}`;
  if (!invocation.options['json']) return { json: null, text };
  return taskOutcome(await look(opened, ports), filed.id, ports, () => text);
}

type Fields = Omit<Task, 'id'>;

async function definition(
  { options }: Invocation,
  content: string,
  opened: Opened,
  ports: Ports,
): Promise<Fields> {
  const many = (name: string) =>
    (options[name] as readonly string[] | undefined)
      ?.flatMap((one) => one.split(','))
      .map((one) => one.trim())
      .filter(Boolean);
  const list = (name: string) => options[name] as string[] | undefined;
  const text = (name: string) => (options[name] as string | undefined) || undefined;
  const known = async (word: string) => knownId(opened, word, ports);
  const depends = await Promise.all((many('after') ?? []).map(known));
  if (options['same-branch'] && depends.length === 0 && !options['on-branch']) {
    throw new GzaError('usage', '--same-branch needs --based-on: it goes on on that task’s branch', {
      hint: 'gza add "Next step" --based-on task-a3f8 --same-branch',
    });
  }
  const max_review_cycles = options['max-cycles'] as number | undefined;
  if (max_review_cycles !== undefined && (max_review_cycles < 1 || !Number.isInteger(max_review_cycles))) {
    throw new GzaError('usage', `--max-cycles takes a whole number from 1, found ${max_review_cycles}`);
  }
  return withoutUnset({
    type: (text('type') as TaskType | undefined) ?? 'task',
    title: titleOf(text('title') ?? content),
    content,
    group: text('group'),
    milestone: text('milestone'),
    priority: text('priority') as Priority | undefined,
    depends_on: depends.length > 0 ? [...new Set(depends)] : undefined,
    same_branch: (options['same-branch'] as boolean | undefined) || undefined,
    branch: text('on-branch'),
    create_review: options['review'] as boolean | undefined,
    auto_review: options['auto-review'] as boolean | undefined,
    max_review_cycles,
    approval: options['approval'] ? ('required' as const) : undefined,
    parent: options['parent'] ? await known(options['parent'] as string) : undefined,
    plan_file: text('plan-file'),
    project: text('project'),
    agents: many('agent'),
    model: text('model'),
    budget: options['budget'] as number | undefined,
    files_to_create: list('creates'),
    files_to_modify: list('modifies'),
    test_files: list('test-file'),
    acceptance_criteria: list('criterion'),
    verify: text('verify'),
    tags: many('tag'),
  });
}

export function withoutUnset<T extends Record<string, unknown>>(
  fields: T,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

const titleCharactersMax = 80;

export function titleOf(content: string): string {
  const line = (content.trim().split('\n')[0] ?? '').replace(/^#+\s*/, '').trim();
  return [...line].length <= titleCharactersMax
    ? line
    : `${[...line].slice(0, titleCharactersMax - 1).join('')}…`;
}

/** The ledger is asked first, for one id; files and prefixes need the whole board. */
async function knownId(opened: Opened, word: string, ports: Ports): Promise<string> {
  const view = await opened.ledger.view();
  for (const id of [word, `task-${word}`]) if (/^[\w.-]{1,64}$/.test(id) && (await view.task(id))) return id;
  return findTask((await look(opened, ports)).board, word).id;
}

export async function file(
  opened: Pick<Opened, 'ledger' | 'repository'>,
  fields: Fields,
  ports: Ports,
): Promise<TaskRecord> {
  const stamp = stampOf(ports);
  const salt = ports.random();
  let filed: TaskRecord | undefined;
  const written = await opened.ledger.write(async (view) => {
    const id = await freeId(view, `${fields.content}\n${stamp.at}\n${salt}`);
    const branch = homeBranch(opened.repository, view);
    filed = {
      id,
      ...inheritedFrom(fields, await parentOf(view, fields)),
      created_at: stamp.at,
      ...(stamp.by ? { created_by: stamp.by } : {}),
    };
    return filePlan(view, branch, [filed], stamp, salt);
  });
  if (written.kind === 'refused') throw refusalError(written);
  return filed as TaskRecord;
}

/** In a lane's ledger the first event opens the lane. */
export async function filePlan(
  view: LedgerView,
  branch: string,
  records: readonly TaskRecord[],
  stamp: Stamp,
  salt: string,
): Promise<Plan> {
  if (branch === view.base)
    return { changes: [{ branch, events: records.map((task) => ({ kind: 'add', ...stamp, task })) }] };
  const meta = await view.meta(branch);
  const lane: LaneLink = { id: meta?.lane ?? salt, branch };
  const events: Event[] = meta ? [] : [{ kind: 'open-lane', ...stamp, lane, tasks: [] }];
  for (const task of records) events.push({ kind: 'add', ...stamp, task: { ...task, lane } });
  return { changes: [{ branch, events }] };
}

async function parentOf(view: LedgerView, fields: Fields): Promise<TaskRecord | null> {
  return fields.parent === undefined ? null : ((await view.task(fields.parent))?.record ?? null);
}

/** A part belongs to what its whole belongs to. */
export function inheritedFrom(fields: Fields, parent: Task | null): Fields {
  if (!parent) return fields;
  const { branch, plan_file, project, group, milestone } = parent;
  return { ...withoutUnset({ branch, plan_file, project, group, milestone }), ...fields };
}

const idTriesMax = 200;

/** `task-` and 4 hex digits, more as the ledger grows, so that ids stay short and rarely meet. */
export async function freeId(view: LedgerView, seed: string): Promise<string> {
  const size = await view.size(view.base);
  let digits = 4;
  while (16 ** digits < size * 64) digits += 1;
  for (let n = 0; n < idTriesMax; n += 1) {
    const id = `task-${createHash('sha1')
      .update(`${seed}\n${n}`)
      .digest('hex')
      .slice(0, digits + Math.floor(n / 20))}`;
    if (!(await view.task(id))) return id;
  }
  throw new GzaError('world', `no free id was found in ${idTriesMax} tries`);
}
