/** Milestones: an order for tasks, and a status that is derived from theirs. */
import { groupBy } from '../group-by.ts';
import { naturalCompare } from '../natural-compare.ts';
import type { Milestone } from './task.ts';

type MemberStatus = 'pending' | 'blocked' | 'in_progress' | 'completed' | 'failed' | 'skipped';

export interface MilestoneMember {
  readonly id: string;
  readonly milestone?: string | undefined;
  readonly status: MemberStatus;
  readonly unapproved?: true | undefined;
}

export interface TaskCounts {
  readonly total: number;
  readonly completed: number;
  /** Ended without the approval that was asked for: completed, and not done. */
  readonly unapproved: number;
  /** With the blocked ones. */
  readonly pending: number;
  readonly in_progress: number;
  readonly failed: number;
  /** Done elsewhere: nothing is left to do. */
  readonly skipped: number;
}

export interface MilestoneSummary extends Milestone, TaskCounts {
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed';
  readonly task_ids: readonly string[];
}

/** Milestone → its place: the configured ones as written, then the others in natural order of their ids. */
export function milestoneOrder(
  configured: readonly string[],
  used: Iterable<string | undefined>,
): ReadonlyMap<string, number> {
  const known = new Set(configured);
  const others = [...new Set(used)].filter((id): id is string => id !== undefined && !known.has(id));
  return new Map([...known, ...others.sort(naturalCompare)].map((id, place) => [id, place]));
}

/** Every configured milestone, also one without tasks, and every one that a task names. */
export function deriveMilestones(
  members: readonly MilestoneMember[],
  configured: readonly Milestone[],
): MilestoneSummary[] {
  const byMilestone = groupBy(members, (member) => member.milestone);
  const written = new Map(configured.map((milestone) => [milestone.id, milestone]));
  const places = milestoneOrder([...written.keys()], byMilestone.keys());
  return [...places.keys()].map((id) => summarise(written.get(id) ?? { id }, byMilestone.get(id) ?? []));
}

function summarise(milestone: Milestone, members: readonly MilestoneMember[]): MilestoneSummary {
  return {
    ...milestone,
    status: derivedStatus(members),
    task_ids: members.map((member) => member.id),
    ...countByStatus(members),
  };
}

type Counted = Pick<MilestoneMember, 'status' | 'unapproved'>;

export function countByStatus(members: readonly Counted[]): TaskCounts {
  const count = (...of: MemberStatus[]) => members.filter(({ status }) => of.includes(status)).length;
  const unapproved = members.filter((member) => member.unapproved).length;
  return {
    total: members.length,
    completed: count('completed') - unapproved,
    unapproved,
    pending: count('pending', 'blocked'),
    in_progress: count('in_progress'),
    failed: count('failed'),
    skipped: count('skipped'),
  };
}

/** Skipped tasks were done elsewhere or dropped: they hold nothing back, and start nothing. */
function derivedStatus(members: readonly Counted[]): MilestoneSummary['status'] {
  const statuses = members.map(({ status, unapproved }) => (unapproved ? 'in_progress' : status));
  if (statuses.includes('failed')) return 'failed';
  if (statuses.length > 0 && statuses.every((s) => s === 'completed' || s === 'skipped')) return 'completed';
  return statuses.some((s) => s === 'in_progress' || s === 'completed') ? 'in_progress' : 'pending';
}
