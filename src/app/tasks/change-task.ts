/** How verbs change one task: find it, write events to its ledger, print it. */
import { createHash } from 'node:crypto';
import { nearestWord } from '../../core/arguments/nearest-word.ts';
import type { Board, TaskView } from '../../core/board/board.ts';
import { circleThrough, type Links } from '../../core/board/graph.ts';
import { printCycle } from '../../core/board/strong-components.ts';
import { GzaError } from '../../core/errors.ts';
import { isFixed as isRecordFixed } from '../../core/ledger/apply-task.ts';
import type { Event } from '../../core/ledger/event.ts';
import {
  firstMark,
  pausedMark,
  type Refusal,
  readFirst,
  rebaseMark,
} from '../../core/ledger/ledger-state.ts';
import { isDefined, type LaneLink, type TaskRecord } from '../../core/ledger/record/record.ts';
import type { FileTask, Task } from '../../core/task/task.ts';
import { fieldRowOf } from '../../core/task/task-fields.ts';
import { taskJson } from '../../core/task/task-json.ts';
import { shorten } from '../../core/text/terminal/lines.ts';
import type { Change, LedgerView, Plan } from '../../ledger/ledger.ts';
import type { Outcome, Ports } from '../command.ts';
import { agentName, homeBranch, loadProject, type OpenedProject, type Project } from '../project.ts';

/** Makes the events for a task. It gets the task's record, or null when there is none. */
type EventsFor = (record: TaskRecord | null, stamp: Stamp) => readonly Event[] | Refusal;

export interface Stamp {
  readonly at: string;
  readonly by?: string;
}

export function stampOf(ports: Ports): Stamp {
  const by = agentName(ports);
  return by ? { at: ports.now(), by } : { at: ports.now() };
}

export async function taskOutcome(
  project: Project,
  id: string,
  ports: Ports,
  text: (view: TaskView) => string,
): Promise<Outcome> {
  const after = await loadProject(ports, project);
  const view = await wholeView(after, id);
  return { json: taskJson(view, shownSettings(after, view.task)), text: text(view) };
}

/** The task with the long texts that lists leave out. */
export async function wholeView(project: Project, id: string): Promise<TaskView> {
  const view = project.board.views.get(id);
  if (!view) throw new GzaError('input', `there is no task "${id}"`);
  const [located, file] = await Promise.all([project.view.task(id), project.backlog.definition(id)]);
  if (!located) return file ? { ...view, task: wholeTask(file.task, view.task) } : view;
  const { record, branch } = located;
  if (file && !isDefined(record)) return { ...view, record, task: wholeTask(file.task, view.task), branch };
  const changed = file !== null && saysSomethingElse(file.task, record);
  return { ...view, record, task: wholeTask(record, view.task), branch, changed };
}

/** Keeps the board's `assigned_agent` and `depends_on`, which assignments and splits may have changed. */
export function wholeTask(whole: Task, { assigned_agent, depends_on }: Task): Task {
  return {
    ...whole,
    ...(assigned_agent === undefined ? {} : { assigned_agent }),
    ...(depends_on === undefined ? {} : { depends_on }),
  };
}

function saysSomethingElse(file: Task, record: TaskRecord): boolean {
  const taken = record as unknown as Record<string, unknown>;
  return Object.entries(file).some(
    ([name, value]) => !fieldRowOf(name)?.afterClaim && JSON.stringify(value) !== JSON.stringify(taken[name]),
  );
}

export function shownSettings(project: Project, task: Task) {
  const { max_attempts, max_review_cycles, auto_review, create_review, agents } = project.settings(task);
  return { max_attempts, max_review_cycles, auto_review, create_review, agents };
}

export async function writeToTask(
  project: Project,
  id: string,
  ports: Ports,
  events: EventsFor,
): Promise<void> {
  refuseUnread(project, id);
  const stamp = stampOf(ports);
  const adopted = await adoption(project, id, stamp);
  const written = await project.ledger.write(async (view) => planFor(view, id, adopted, events, stamp));
  if (written.kind === 'refused') throw refusalError(written);
}

/** Refuses to write when the task's real ledger is unreadable: the base's copy may be out of date. */
function refuseUnread({ board }: Project, id: string): void {
  const unread = board.views.get(id)?.blockers.find(({ kind }) => kind === 'unread');
  if (!unread) return;
  throw new GzaError('world', `nothing was recorded: ${id} belongs to ${unread.text}`, {
    hint: '`gza fsck` says what to do.',
  });
}

async function planFor(
  view: LedgerView,
  id: string,
  adopted: Event | null,
  events: EventsFor,
  stamp: Stamp,
): Promise<Plan | Refusal | null> {
  const located = await view.task(id);
  const wanted = events(located?.record ?? (adopted?.kind === 'adopt' ? adopted.task : null), stamp);
  if ('kind' in wanted) return wanted;
  if (wanted.length === 0) return null;
  const first = located || !adopted ? [] : [adopted];
  const change: Change = { branch: located?.branch ?? view.base, events: [...first, ...wanted] };
  return { changes: [change] };
}

/** The event that gives a task from a file its record, with its current definition. Null if it has one. */
export async function adoption(
  project: Project,
  id: string,
  stamp: Stamp,
  startedAt?: string,
): Promise<Event | null> {
  if (project.board.views.get(id)?.record) return null;
  const file = await project.backlog.definition(id);
  return file ? adoptionOf(project, file, stamp, startedAt) : null;
}

export function adoptionOf(
  project: Pick<Project, 'config'>,
  file: FileTask,
  stamp: Stamp,
  startedAt?: string,
): Event {
  const type = project.config.task_types[file.task.type] ?? {};
  const defaults = Object.fromEntries(Object.entries(file.defaults).filter(([name]) => !(name in type)));
  const record: TaskRecord = { ...defaults, ...file.task, created_at: stamp.at, file: file.file };
  if (startedAt !== undefined) record.started_at = startedAt;
  return { kind: 'adopt', ...stamp, task: record };
}

/**
 * The event that fixes a task's definition for a claim: its whole definition, or the changes in its file
 * since it got a record, for example through a note. Null if nothing is missing.
 */
export async function definitionNow(
  project: Project,
  id: string,
  stamp: Stamp,
  startedAt?: string,
): Promise<Event | null> {
  const record = project.board.views.get(id)?.record;
  if (!record) return adoption(project, id, stamp, startedAt);
  const file = isDefined(record) ? null : await project.backlog.definition(id);
  const located = file ? await project.view.task(id) : null;
  if (!file || !located || !saysSomethingElse(file.task, located.record)) return null;
  return { kind: 'retry', ...stamp, id, redefined: { ...file.defaults, ...file.task } };
}

/** Turns a refusal by the ledger into the error that a person reads. */
export function refusalError(refusal: Refusal): GzaError {
  const held = refusal.why === 'claimed' || refusal.why === 'not-held';
  return new GzaError(held ? 'lost' : refusal.why === 'assigned' ? 'blocked' : 'refused', refusal.detail, {
    data: {
      why: refusal.why,
      ...(refusal.claim ? { holder: refusal.claim.holder, until: refusal.claim.until } : {}),
    },
  });
}

/** After the first claim, the definition can no longer change. */
export function isFixed({ record, claim }: TaskView): boolean {
  return claim !== null || (record !== null && isRecordFixed(record));
}

/** Whether the task must be edited in its file. */
export async function isInFile({ backlog }: Pick<Project, 'backlog'>, view: TaskView): Promise<boolean> {
  return view.file !== undefined && !isFixed(view) && (await backlog.definition(view.id)) !== null;
}

/** Pauses everything: nothing new starts until this is called with null. */
export function pauseAll(project: Pick<Project, 'ledger'>, by: string | null, at: string): Promise<void> {
  return mark(project, by === null ? { at } : { at, by }, pausedMark, () => by);
}

/** Puts a task before all others, including those put first earlier. */
export function putFirst(project: Pick<Project, 'ledger'>, id: string, stamp: Stamp): Promise<void> {
  return mark(project, stamp, firstMark, (others) =>
    [id, ...readFirst(others).filter((other) => other !== id)].slice(0, firstMax).join(' '),
  );
}

const firstMax = 20;

async function mark(
  { ledger }: Pick<Project, 'ledger'>,
  stamp: Stamp,
  name: string,
  valueAfter: (before: string | undefined) => string | null,
): Promise<void> {
  const written = await ledger.write(async (view) => {
    const before = (await view.meta(view.base))?.marks?.[name];
    const value = valueAfter(before);
    if (value === (before ?? null)) return null;
    return { changes: [{ branch: view.base, events: [{ kind: 'mark', ...stamp, name, value }] }] };
  });
  if (written.kind === 'refused') throw refusalError(written);
}

/** Asks the next pick to rebase the task's branch. Returns the branch, or null when there is none. */
export async function askForRebase(
  { ledger, view }: Project,
  { record }: TaskView,
  { at, by }: { readonly at: string; readonly by: string },
): Promise<string | null> {
  const branch = record?.lane?.folded_at === undefined ? record?.lane?.branch : undefined;
  if (branch === undefined || view.tip(branch) === null) return null;
  const events = [{ kind: 'mark', at, by, name: rebaseMark(branch), value: by }] as const;
  await ledger.write(async ({ base }) => ({ changes: [{ branch: base, events }] }));
  return branch;
}

/** How many tasks an error about an ambiguous or unknown word lists. */
const candidatesMax = 10;

/** Finds a task. An exact id wins over a prefix; `task-` and a leading `#` may be left out. */
export function findTask(board: Board, word: string): TaskView {
  const name = word.replace(/^#/, '');
  const exact = board.views.get(name) ?? board.views.get(`task-${name}`);
  if (exact) return exact;
  const found = name === '' ? [] : withPrefix(board, name);
  if (found.length === 1) return found[0] as TaskView;
  throw found.length > 1 ? ambiguous(word, found) : unknown(board, word);
}

function withPrefix(board: Board, name: string): TaskView[] {
  const matches = (id: string) => id.startsWith(name) || id.startsWith(`task-${name}`);
  return [...board.views.values()].filter((view) => matches(view.id) || view.record?.was === name);
}

function ambiguous(word: string, found: readonly TaskView[]): GzaError {
  const lines = found.slice(0, candidatesMax).map((view) => `${view.id}: ${shorten(view.task.title)}`);
  const more = found.length > candidatesMax ? [`and ${found.length - candidatesMax} more`] : [];
  return new GzaError('input', `"${word}" could be ${found.length} tasks`, {
    hint: [...lines, ...more].join('\n'),
    data: { candidates: found.slice(0, 100).map((view) => view.id) },
  });
}

function unknown(board: Board, word: string): GzaError {
  const ids = [...board.views.keys()];
  const near = nearestWord(word, ids.slice(0, 20_000));
  const open = ids.filter((id) => board.views.get(id)?.record?.closed_at === undefined);
  return new GzaError('input', `there is no task "${word}"${near ? `: did you mean ${near}?` : ''}`, {
    hint:
      open.length > 0
        ? open
            .slice(0, candidatesMax)
            .map((id) => `${id}: ${shorten(board.views.get(id)?.task.title ?? '')}`)
            .join('\n')
        : 'No task is open. File one: gza add "What should be done"',
    data: { candidates: near ? [near] : [] },
  });
}

/** Refuses links that would make a task wait for itself, through its dependencies or its parts. */
export function refuseCircle(board: Board, changed: Links): void {
  const isOpen = (one: string) => {
    const record = board.views.get(one)?.record;
    return record?.closed_at === undefined || record.closed_as === 'split';
  };
  const circle = circleThrough(changed, { ...board, isOpen });
  if (circle === null) return;
  throw new GzaError('usage', `${changed.id} would wait for itself: ${printCycle(circle)}`, {
    hint: 'A task waits for what it depends on, and a parent for its parts. Nothing was changed.',
  });
}

export type Fields = Omit<Task, 'id'>;

/** Files a new task on the current branch, under an unused id. */
export async function fileRecord(
  opened: Pick<OpenedProject, 'ledger' | 'repository'>,
  fields: Fields,
  ports: Ports,
): Promise<Filed> {
  const stamp = stampOf(ports);
  const salt = ports.random();
  let filed: Filed | undefined;
  const written = await opened.ledger.write(async (view) => {
    const id = await freeId(view, `${fields.content}\n${stamp.at}\n${salt}`);
    const parent = fields.parent === undefined ? null : await view.task(fields.parent);
    const own = inheritedFrom(fields, parent?.record ?? null);
    const record = { id, ...own, ...filing(stamp) };
    const { changes } = await filePlan(view, homeBranch(opened.repository, view), [record], stamp, salt);
    const whole = parent && isEndedByParts(parent.record) ? parent : null;
    const wasOver = whole !== null || (parent !== null && (await hasOnlyClosedParts(view, parent.record)));
    filed = { record, reopened: wasOver ? (parent?.record.id ?? null) : null };
    const reopen: Change[] = whole
      ? [{ branch: whole.branch, events: [{ kind: 'reopen', ...stamp, id: whole.record.id }] }]
      : [];
    return { changes: [...reopen, ...changes] };
  });
  if (written.kind === 'refused') throw refusalError(written);
  return filed as Filed;
}

interface Filed {
  readonly record: TaskRecord;
  /** The parent, if it was closed. It is open again until this part is closed too. */
  readonly reopened: string | null;
}

/** Whether the parent is over only because all its parts are closed, without being closed itself. */
async function hasOnlyClosedParts(view: LedgerView, whole: TaskRecord): Promise<boolean> {
  if (whole.closed_at !== undefined) return false;
  const parts = (await view.rows()).filter(({ record }) => record.parent === whole.id);
  return parts.length > 0 && parts.every(({ record }) => record.closed_at !== undefined);
}

/** Whether a closed parent may be reopened by a new part. One that had steps of its own stays closed. */
function isEndedByParts({ closed_at, closed_as, steps }: TaskRecord): boolean {
  return closed_at !== undefined && closed_as !== 'split' && (steps ?? []).length === 0;
}

export function filing({ at, by }: Stamp): Pick<TaskRecord, 'created_at' | 'created_by'> {
  return by ? { created_at: at, created_by: by } : { created_at: at };
}

/** In a lane's ledger, the first event must open the lane. */
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

/** A part inherits the branch, plan, project, group and milestone of its parent. */
export function inheritedFrom(fields: Fields, parent: Task | null): Fields {
  if (!parent) return fields;
  const { branch, plan_file, project, group, milestone } = parent;
  return { ...set({ branch, plan_file, project, group, milestone }), ...fields };
}

/** Leaves out fields that are undefined or null. */
export function set<T extends Record<string, unknown>>(
  fields: T,
): { [K in keyof T]: Exclude<T[K], undefined | null> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as never;
}

const triesMax = 200;

export async function freeId(view: LedgerView, seed: string): Promise<string> {
  const [id] = await freeIds(view, [seed]);
  return id as string;
}

/** Finds an unused id per seed. They must also differ from each other: none is in the ledger yet. */
export async function freeIds(view: LedgerView, seeds: readonly string[]): Promise<string[]> {
  const size = (await view.size(view.base)) + seeds.length;
  let digits = 4;
  while (16 ** digits < size * 64) digits += 1;
  const taken = new Set<string>();
  for (const seed of seeds) taken.add(await newId(view, seed, digits, taken));
  return [...taken];
}

async function newId(
  view: LedgerView,
  seed: string,
  digits: number,
  taken: ReadonlySet<string>,
): Promise<string> {
  for (let n = 0; n < triesMax; n += 1) {
    const hash = createHash('sha1').update(`${seed}\n${n}`).digest('hex');
    const id = `task-${hash.slice(0, digits + Math.floor(n / 20))}`;
    if (!taken.has(id) && !(await view.task(id))) return id;
  }
  throw new GzaError('world', `no free id was found in ${triesMax} tries`);
}
