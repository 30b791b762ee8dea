/**
 * Turns what a person wrote into tasks. The open boxes of a pull request's description become tasks on its
 * branch, in order. Those of an issue become tasks on a new branch, and an issue without boxes becomes one
 * task. Boxes and whole texts are recognised by their content, so handing over twice creates no duplicates.
 */

import type { Project } from '../../app/project.ts';
import { freeId, freeIds } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { LaneLink, TaskRecord } from '../../core/ledger/record/record.ts';
import {
  type HandedTask,
  type Handover,
  handOver,
  handOverWhole,
  isWhole,
  tickItem,
} from '../../core/markdown/checklist-handover.ts';
import { speakers, withoutCommands } from '../../core/review/conversation.ts';
import { titleOf } from '../../core/task/task.ts';
import { type HandedText, handedContent, handoverText } from '../../core/text/github/handover-text.ts';
import { type CommentFacts, type Forge, type IssueFacts, isAtLeast, type PullFacts } from '../api/forge.ts';
import type { JobContext } from '../jobs/job-context.ts';
import { rolesOf } from './people.ts';

/**
 * The text of an issue or pull request at the time of the command. A later version must not be used: its
 * author may not be allowed to command, and can edit it at any time.
 */
export interface SubjectText {
  readonly title: string;
  readonly body: string;
}

/**
 * Null when it was edited since the command, so that the text at that time is unknown. The last argument is
 * the current text.
 */
export async function textAtCommand(
  ci: JobContext,
  { subject, on, isPull, createdAt }: CommentFacts,
  { title, body }: SubjectText,
): Promise<SubjectText | null> {
  if (subject) return subject;
  const isEdited = await ci.forge().isEditedSince({ number: on, isPull }, createdAt);
  return isEdited ? null : { title, body };
}

/** Where the boxes come from, and the branch on which their tasks are done. */
export interface Source {
  readonly kind: 'pull' | 'issue';
  readonly number: number;
  readonly title: string;
  /** The text at the time of the command. */
  readonly body: string;
  /** The current text, to find boxes that changed since. It never becomes a task. */
  readonly now: SubjectText;
  readonly branch: string;
  readonly pull: PullFacts | null;
  /** Comments of people who may write. */
  readonly said: HandedText['said'];
}

/**
 * The open boxes of a text, or the whole text of an issue without boxes. Null when there is nothing to do.
 */
export function understood(kind: Source['kind'], text: SubjectText): Handover | null {
  const boxes = handOver(text.body);
  if (boxes.tasks.length > 0) return boxes;
  return kind === 'issue' && boxes.done === 0 ? handOverWhole(text) : null;
}

export function boxKey(kind: Source['kind'], number: number, key: string): string {
  return `${kind}:${number}:${key}`;
}

export function sourceOfPull(pull: PullFacts, text: SubjectText): Source {
  const { number, branch } = pull;
  return { kind: 'pull', number, branch, pull, now: pull, said: [], ...text };
}

const branchesMax = 100;

/** Does not continue a lane that was merged: what is added later gets a new branch. */
export async function sourceOfIssue(
  ci: JobContext,
  { board, config, repository, view }: Project,
  issue: IssueFacts,
  text: SubjectText,
): Promise<Source> {
  const { number } = issue;
  const folded = new Set(
    [...board.views.values()].map(({ record }) => record?.lane?.folded_at && record.lane.branch),
  );
  for (let n = 1; n <= branchesMax; n += 1) {
    const branch = `${config.branch_prefix}issue-${number}${n > 1 ? `-${n}` : ''}`;
    const there = await repository.git.run(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]);
    const isFree = !folded.has(branch) && there.code !== 0;
    if (view.tip(branch) !== null || isFree)
      return {
        kind: 'issue',
        number,
        branch,
        pull: null,
        now: issue,
        said: await heardOn(ci, issue),
        ...text,
      };
  }
  throw new GzaError('refused', `issue #${number} had ${branchesMax} branches already`, {
    hint: 'Open another issue with what is left to do.',
  });
}

/** Comments on an issue by people who may write, without their commands. */
async function heardOn(ci: JobContext, { said = [] }: IssueFacts): Promise<HandedText['said']> {
  const people = said
    .filter(({ isOurs, isBot }) => !isOurs && !isBot)
    .map((one) => ({ ...one, text: withoutCommands(one.text) }))
    .filter(({ text }) => text !== '');
  const threads = [{ kind: 'comment', file: null, line: null, isResolved: false, said: people } as const];
  const roles = await rolesOf(ci, ci.forge(), speakers(threads));
  return people.filter(({ author }) => isAtLeast(roles.get(author) ?? 'none', 'write'));
}

/** Files the tasks, and returns the answer for the person. */
export async function takeOver(
  ci: JobContext,
  { ledger, repository, view }: Project,
  source: Source,
  by: string,
): Promise<string> {
  const { branch } = source;
  const handover = understood(source.kind, source) ?? handOver(source.body);
  const nameOf = (key: string) => boxKey(source.kind, source.number, key);
  const ids = new Map<string, string>();
  let stale: string[] = [];
  const fork = await forkOf(repository, view.base, source);
  const lane: LaneLink = { id: ci.ports.random(), branch, ...fork };
  const at = ci.ports.now();
  // The ledgers are read inside the write, so that handling the same comment twice files nothing twice.
  await ledger.write(async (ledgers) => {
    const rows = await ledgers.rows();
    stale = staleOf(rows, source);
    const known = new Map(rows.map(({ record }) => [record.key, record.id]));
    const fresh = handover.tasks.filter(({ key }) => !known.has(nameOf(key)));
    for (const { key } of handover.tasks) ids.set(key, known.get(nameOf(key)) ?? '');
    if (fresh.length === 0) return null;
    const seeds = fresh.map(({ key }) => `${nameOf(key)}\n${at}`);
    for (const [n, id] of (await freeIds(ledgers, seeds)).entries()) ids.set(fresh[n]?.key ?? '', id);
    const live = (await ledgers.meta(branch))?.lane;
    const link = live === undefined ? lane : { ...lane, id: live };
    const tasks = recordsOf(handover, fresh, { ids, source, by, at, lane: link });
    const events: Event[] =
      live === undefined
        ? [{ kind: 'open-lane', at, by, lane: link, tasks }]
        : tasks.map((task): Event => ({ kind: 'add', at, by, task }));
    return { changes: [{ branch, events }] };
  });
  const keys = new Set(handover.tasks.map(({ key }) => key));
  const later = understood(source.kind, source.now)?.tasks ?? [];
  const unused = later.filter(({ key }) => !keys.has(key)).length;
  return handoverText(handover, ids, {
    place: source.kind === 'pull' ? 'pull request' : 'issue',
    unused,
    stale,
  });
}

/** Open tasks whose boxes were changed or removed since. They keep the text with which they were filed. */
function staleOf(rows: readonly { readonly record: TaskRecord }[], source: Source): string[] {
  const prefix = boxKey(source.kind, source.number, '');
  const now = new Set(understood(source.kind, source.now)?.tasks.map(({ key }) => key));
  return rows.flatMap(({ record: { id, key, closed_at } }) => {
    if (closed_at !== undefined || !key?.startsWith(prefix)) return [];
    const box = key.slice(prefix.length);
    return !now.has(box) && tickItem(source.now.body, box, '').kind === 'gone' ? [id] : [];
  });
}

async function forkOf(
  { git }: Project['repository'],
  baseBranch: string,
  { pull, branch }: Source,
): Promise<Pick<LaneLink, 'fork_point'>> {
  const base = `refs/heads/${baseBranch}`;
  const start = pull ? ['merge-base', base, `refs/heads/${branch}`] : ['rev-parse', `${base}^{commit}`];
  const found = await git.run(start);
  return found.code === 0 ? { fork_point: found.stdout.toString('utf8').trim() } : {};
}

interface Filing {
  readonly ids: ReadonlyMap<string, string>;
  readonly source: Source;
  readonly by: string;
  readonly at: string;
  readonly lane: LaneLink;
}

function recordsOf(
  { tasks }: Handover,
  fresh: readonly HandedTask[],
  { ids, source, by, at, lane }: Filing,
): TaskRecord[] {
  const { kind, number, pull } = source;
  const place = kind === 'pull' ? 'pull request' : 'issue';
  const parents = new Set(tasks.map(({ parent }) => parent));
  let before: string | undefined;
  return fresh.map(({ key, text, parent }) => {
    const id = ids.get(key) ?? key;
    const above = parent === null ? undefined : ids.get(parent);
    const record: TaskRecord = {
      id,
      type: 'task',
      title: titleOf(text),
      content: handedContent(text, { isBox: !isWhole(key), tasks: tasks.length }, { ...source, place }),
      created_at: at,
      created_by: by,
      key: boxKey(kind, number, key),
      lane,
      ...(pull ? { pull_request: { number: pull.number, url: pull.url, state: pull.state } } : {}),
      ...(above === undefined ? {} : { parent: above }),
      ...(before === undefined ? {} : { depends_on: [before] }),
    };
    // A parent task ends with its subtasks, so the next task waits for those.
    if (!parents.has(key)) before = id;
    return record;
  });
}

/** The description, with the boxes of finished tasks ticked. */
export function tickDone(
  { kind, number }: Pick<Source, 'kind' | 'number'>,
  body: string,
  tasks: readonly TaskView[],
): string {
  const prefix = boxKey(kind, number, '');
  let ticked = body;
  for (const { record } of tasks) {
    if (record?.closed_as !== 'done' || !record.key?.startsWith(prefix)) continue;
    const result = tickItem(ticked, record.key.slice(prefix.length), record.closed_commit ?? '');
    if (result.kind === 'ticked') ticked = result.body;
  }
  return ticked;
}

/** Keys of finished tasks that came from boxes of issues, such as `issue:7:…`. */
export function doneBoxes(tasks: readonly TaskView[]): string[] {
  return tasks.flatMap(({ record }) => {
    const { closed_as: how, key } = record ?? {};
    return how === 'done' && key !== undefined && isBoxOfIssue(key) ? [key] : [];
  });
}

const ofIssue = /^issue:(\d{1,10}):(.+)$/;

function isBoxOfIssue(key: string): boolean {
  const [, , box = ''] = ofIssue.exec(key) ?? [];
  return box !== '' && !isWhole(box);
}

/** Numbers of the issues that a lane works on. Leaves out issues of which every task was dropped. */
export function issuesOf(tasks: readonly Pick<TaskView, 'record'>[]): number[] {
  const numbers = tasks.flatMap(({ record }) =>
    record?.closed_as === 'dropped' ? [] : Number(ofIssue.exec(record?.key ?? '')?.[1] ?? Number.NaN),
  );
  return [...new Set(numbers)].filter(Number.isInteger);
}

/** Ticks the boxes of issues. `before`: the boxes that were already ticked. */
export async function tickIssues(
  forge: Forge,
  tasks: readonly TaskView[],
  before: readonly string[],
): Promise<void> {
  const fresh = doneBoxes(tasks).filter((key) => !before.includes(key));
  for (const number of new Set(fresh.map((key) => Number(key.split(':')[1])))) {
    const issue = await forge.issue(number);
    if (!issue) continue;
    const body = tickDone({ kind: 'issue', number }, issue.body, tasks);
    if (body !== issue.body) await forge.updateIssue(number, { body });
  }
}

/** How much of the description is used. A review that needs more reads the code. */
const bodyCharsMax = 4000;

/** Adds a task of type review on the branch of a person's pull request. */
export async function reviewTheirs(
  ci: JobContext,
  { ledger, repository, view }: Project,
  pull: PullFacts,
  { by, guidance, text }: { readonly by: string; readonly guidance: string; readonly text: SubjectText },
): Promise<void> {
  const at = ci.ports.now();
  const named = text.title && `: ${text.title}`;
  const refs = [view.base, pull.branch].map((name) => `refs/heads/${name}`);
  const found = await repository.git.run(['merge-base', ...refs]);
  const fork = found.code === 0 ? { fork_point: found.stdout.toString('utf8').trim() } : {};
  const lane: LaneLink = { id: ci.ports.random(), branch: pull.branch, ...fork };
  const task: Omit<TaskRecord, 'id'> = {
    type: 'review',
    title: titleOf(`Review #${pull.number}${named}`),
    content: [
      `Review pull request #${pull.number}${named}`,
      text.body.slice(0, bodyCharsMax).trim(),
      guidance && `Look at this above all: ${guidance}`,
    ]
      .filter(Boolean)
      .join('\n\n'),
    created_at: at,
    created_by: by,
    key: `pull:${pull.number}:review`,
    lane,
    pull_request: { number: pull.number, url: pull.url, state: pull.state },
  };
  await ledger.write(async (ledgers) => {
    const id = await freeId(ledgers, `${task.key}\n${at}`);
    return {
      changes: [
        { branch: pull.branch, events: [{ kind: 'open-lane', at, by, lane, tasks: [{ ...task, id }] }] },
      ],
    };
  });
}
