/** Progress as numbers: for `gza summary`, and for what a workflow shows of a run. */
import type { LedgerMeta } from '../ledger/ledger-state.ts';
import type { Decision } from '../policy/decide.ts';
import { complaints } from '../policy/steps-so-far.ts';
import { compareText, groupBy } from '../shape.ts';
import {
  countByStatus,
  deriveMilestones,
  type Milestone,
  type MilestoneMember,
  type MilestoneSummary,
  type TaskCounts,
} from '../task/task.ts';
import { type Board, isLeaf, type TaskView } from './board.ts';

/** Dropped tasks are not counted. */
export interface Counts extends TaskCounts {
  readonly progress: string;
}

/** A task that needs a person, and why. */
interface Waits {
  readonly id: string;
  readonly title: string;
  readonly reason: string;
  readonly detail: string;
  readonly commands: readonly string[];
}

export interface Summary {
  readonly tasks: Counts;
  readonly milestones: readonly (MilestoneSummary & { readonly progress: string })[];
  readonly groups: readonly (Counts & Cost & { readonly group: string })[];
  /** The first task that is in progress. */
  readonly current_task_id: string | null;
  /** All tasks in progress, including those between two steps. */
  readonly current_task_ids: readonly string[];
  readonly completed_task_ids: readonly string[];
  readonly failed_task_ids: readonly string[];
  /** Tasks that somebody holds right now. */
  readonly in_flight_task_ids: readonly string[];
  readonly waiting: readonly Waits[];
  readonly cost_usd: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly seconds: number;
  /** Tokens that the cost leaves out, because nobody knows their price. */
  readonly unpriced_tokens: number;
  /** What running claims may still spend. */
  readonly reserved_usd: number;
  /** The cost of each of the last days, newest first. */
  readonly days: readonly (Cost & { readonly day: string })[];
}

export interface Cost {
  readonly cost_usd: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** Spending as the base ledger keeps it. */
type Spending = Pick<LedgerMeta, 'spent' | 'tokens_in' | 'tokens_out'>;

export function summarise(
  board: Board,
  milestones: readonly Milestone[],
  waiting: readonly Waits[],
  spending: Spending = {},
): Summary {
  const views = [...board.views.values()].sort((a, b) => a.position - b.position);
  const ids = (is: (view: TaskView) => boolean) => views.filter(is).map(({ id }) => id);
  const current = ids((view) => view.status === 'in_progress' && isLeaf(view));
  const members = views.map(milestoneMember);
  return {
    tasks: countTasks(views),
    milestones: deriveMilestones(members, milestones).map((one) => ({
      ...one,
      progress: percent(one.completed + one.skipped, one.total),
    })),
    groups: groupCounts(views),
    current_task_id: current[0] ?? null,
    current_task_ids: current,
    completed_task_ids: ids(({ status, unapproved }) => status === 'completed' && !unapproved),
    failed_task_ids: ids(({ status }) => status === 'failed'),
    in_flight_task_ids: ids(({ claim }) => claim !== null),
    waiting,
    ...costOf(views),
    seconds: sum(views, ({ record }) => record?.seconds),
    unpriced_tokens: sum(views, ({ record }) => record?.unpriced_tokens),
    reserved_usd: sum(views, ({ claim }) => claim?.reserved_usd),
    days: daysOf(spending),
  };
}

export function milestoneMember({ id, status, task, unapproved }: TaskView): MilestoneMember {
  return { id, status, milestone: task.milestone, unapproved };
}

function costOf(views: readonly TaskView[]): Cost {
  return {
    cost_usd: sum(views, ({ record }) => record?.cost_usd),
    input_tokens: sum(views, ({ record }) => record?.input_tokens),
    output_tokens: sum(views, ({ record }) => record?.output_tokens),
  };
}

function daysOf({ spent = {}, tokens_in = {}, tokens_out = {} }: Spending): Summary['days'] {
  const days = new Set([spent, tokens_in, tokens_out].flatMap((one) => Object.keys(one)));
  return [...days]
    .sort(compareText)
    .toReversed()
    .map((day) => ({
      day,
      cost_usd: spent[day] ?? 0,
      input_tokens: tokens_in[day] ?? 0,
      output_tokens: tokens_out[day] ?? 0,
    }));
}

export function countTasks(all: readonly TaskView[]): Counts {
  const counts = countByStatus(all.filter(({ record }) => record?.closed_as !== 'dropped'));
  return { ...counts, progress: percent(counts.completed + counts.skipped, counts.total) };
}

function groupCounts(views: readonly TaskView[]): Summary['groups'] {
  const groups = groupBy(views, ({ task }) => task.group);
  return [...groups].flatMap(([group, members]) =>
    group === undefined ? [] : [{ group, ...countTasks(members), ...costOf(members) }],
  );
}

/** Rounded down, so that 100% means all. Of no tasks, 0% are done. */
function percent(done: number, total: number): string {
  return `${total === 0 ? 0 : Math.floor((done / total) * 100)}%`;
}

function sum(views: readonly TaskView[], of: (view: TaskView) => number | undefined): number {
  return Math.round(views.reduce((total, view) => total + (of(view) ?? 0), 0) * 100) / 100;
}

export const sectionNames = [
  'person',
  'over-budget',
  'running',
  'ready',
  'limited',
  'blocked',
  'done',
] as const;
export type SectionName = (typeof sectionNames)[number];

/**
 * Where each task stands: what runs, what is next, what waits for whom. It follows from the board and the
 * decisions, so that it agrees with `gza why`.
 */
export interface Placed {
  readonly view: TaskView;
  readonly section: SectionName;
  /** Why it is in that section; may hold text from outside. */
  readonly why: string;
  /** What would change that, with commands as `gza …`. */
  readonly change: string;
  readonly until?: string;
}

export interface SectionInput {
  readonly board: Board;
  readonly decisions: readonly Decision[];
}

/** Rules that decide the section; otherwise the status does. */
const byRule: Readonly<Record<string, SectionName>> = {
  'live-claim': 'running',
  'dead-claim': 'running',
  'cancel-claim': 'running',
  'person-commits': 'person',
  'branch-gone': 'person',
  'changes-wait': 'person',
  'ledger-unread': 'person',
  'invalid-definition': 'person',
  'waits-for-person': 'person',
  paused: 'person',
  'too-complex': 'person',
  'dependency-cycle': 'person',
  'dependency-missing': 'person',
  assigned: 'person',
  'all-paused': 'person',
  'attempts-spent': 'person',
  'not-before': 'limited',
  'agent-limit': 'limited',
  budget: 'over-budget',
  'lane-busy': 'ready',
  overlap: 'ready',
  'workers-busy': 'ready',
};

/** Open tasks are in the order of their decisions; in `done` the last closed task comes first. */
export function boardSections(input: SectionInput): ReadonlyMap<SectionName, readonly Placed[]> {
  const sections = new Map<SectionName, Placed[]>(sectionNames.map((name) => [name, []]));
  const decided = new Set<string>();
  const place = (placed: Placed | null) => placed && sections.get(placed.section)?.push(placed);
  for (const decision of input.decisions) {
    const view = input.board.views.get(decision.task);
    if (!view || decided.has(view.id)) continue;
    decided.add(view.id);
    place(placeTask(view, decision));
  }
  for (const view of input.board.views.values()) if (!decided.has(view.id)) place(placeTask(view, undefined));
  sections.get('done')?.sort(lastClosedFirst);
  return sections;
}

/** Null for a task whose status follows from its subtasks: those are placed instead. */
export function placeTask(view: TaskView, decision: Decision | undefined): Placed | null {
  const { record } = view;
  if (view.children.length > 0 && !record?.closed_at && !record?.stop) return null;
  const at = (section: SectionName, why: string, change: string): Placed => ({ view, section, why, change });
  if (record?.closed_at) {
    const open = afterClosing(view);
    if (open) return at('person', open.why, open.change);
    return at('done', complaints(record).closed_reason ?? '', decision?.change ?? '');
  }
  if (!decision) return at(sectionOfStatus(view), '', '');
  const { because, change, action } = decision;
  if (record?.stop?.reason === 'over-budget' && decision.rule !== 'live-claim') {
    return at('over-budget', record.stop.detail, change);
  }
  // A task over its budget asks a person too, but people look for it under the budget.
  const asks = action.kind === 'ask-person' && decision.rule !== 'budget';
  const section = asks ? 'person' : (byRule[decision.rule] ?? sectionOfStatus(view, action.kind));
  const until = action.kind === 'wait' && section === 'limited' ? action.until : undefined;
  const isStopped = decision.rule === 'waits-for-person' && record?.stop !== undefined;
  const placed = at(section, isStopped ? (record?.stop?.detail ?? '') : because, change);
  return until === undefined ? placed : { ...placed, until };
}

/** For a closed task that still needs a person: why, and what they can do. */
function afterClosing(view: TaskView): { why: string; change: string } | null {
  const { id, record, status, awaitsApproval } = view;
  if (status === 'failed') {
    const why = record?.closed_reason ?? record?.error ?? 'it failed';
    return { why, change: `gza retry ${id}, or gza skip ${id}` };
  }
  if (record?.merged_at || record?.closed_as !== 'done') return null;
  if (view.unapproved) {
    const why = record.stop?.detail ?? `it ended ${record.final_verdict}`;
    return { why, change: `gza improve ${id}, or gza approve ${id}` };
  }
  if (!awaitsApproval) return null;
  return { why: 'it is done and waits for approval', change: `gza approve ${id}, or merge its pull request` };
}

function sectionOfStatus({ status, record }: TaskView, action?: Decision['action']['kind']): SectionName {
  if (action === 'run') return 'ready';
  if (record?.stop) return 'person';
  switch (status) {
    case 'blocked':
      return 'blocked';
    case 'pending':
      return 'ready';
    case 'in_progress':
      return 'running';
    case 'completed':
    case 'skipped':
      return 'done';
    case 'failed':
      return 'person';
  }
}

function lastClosedFirst(a: Placed, b: Placed): number {
  const [left, right] = [a.view.record?.closed_at ?? '', b.view.record?.closed_at ?? ''];
  if (left !== right) return left < right ? 1 : -1;
  return a.view.position - b.view.position;
}
