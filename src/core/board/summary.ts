/** Progress as numbers: what `gza summary` prints, and what a workflow shows of a run. */

import type { LedgerMeta } from '../ledger/ledger-state.ts';
import { compareText } from '../natural-compare.ts';
import { groupBy } from '../shape.ts';
import {
  countByStatus,
  deriveMilestones,
  type Milestone,
  type MilestoneMember,
  type MilestoneSummary,
  type TaskCounts,
} from '../task/task.ts';
import { type Board, isLeaf, type TaskView } from './board.ts';

/** Without what was dropped. */
export interface Counts extends TaskCounts {
  readonly progress: string;
}

/** One that needs a person, and why. */
export interface Waits {
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
  /** The first that is worked on. */
  readonly current_task_id: string | null;
  /** All that are worked on, also between two steps. */
  readonly current_task_ids: readonly string[];
  readonly completed_task_ids: readonly string[];
  readonly failed_task_ids: readonly string[];
  /** Those that somebody holds just now. */
  readonly in_flight_task_ids: readonly string[];
  readonly waiting: readonly Waits[];
  readonly cost_usd: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly seconds: number;
  /** Tokens that are not in the cost: nobody knows their price. */
  readonly unpriced_tokens: number;
  /** What those who are at work may still spend. */
  readonly reserved_usd: number;
  /** What each of the last days cost, the newest first. */
  readonly days: readonly (Cost & { readonly day: string })[];
}

export interface Cost {
  readonly cost_usd: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** Of the base ledger. */
export type Spending = Pick<LedgerMeta, 'spent' | 'tokens_in' | 'tokens_out'>;

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

/** Rounded down, so that 100% means all; of nothing, nothing is done. */
function percent(done: number, total: number): string {
  return `${total === 0 ? 0 : Math.floor((done / total) * 100)}%`;
}

function sum(views: readonly TaskView[], of: (view: TaskView) => number | undefined): number {
  return Math.round(views.reduce((total, view) => total + (of(view) ?? 0), 0) * 100) / 100;
}
