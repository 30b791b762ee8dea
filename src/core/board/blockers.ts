/**
 * Finds what keeps a task from starting. Gates that only guard the start never hold back a task that has
 * begun: only a ledger that cannot be read, a wrong definition, a stop and a pause do.
 */
import type { Claim, LaneLink } from '../ledger/record/record.ts';
import { firstLine, oneLine } from '../markdown/neutralise.ts';
import { isApproved, isUnapproved, mayLoop } from '../policy/steps-so-far.ts';
import { groupBy } from '../shape.ts';
import type { Task } from '../task/task.ts';
import type { BoardItem, Gates, TaskView, Unread } from './board.ts';
import type { Graph } from './graph.ts';
import type { Tree } from './items.ts';

export type BlockerKind =
  | 'dependency'
  | 'failed'
  | 'dropped'
  | 'missing'
  | 'invalid'
  | 'unread'
  | 'cycle'
  | 'approval'
  | 'verdict'
  | 'merge'
  | 'person'
  | 'paused'
  | 'complex';

export interface Blocker {
  readonly kind: BlockerKind;
  /** The other task, if the blocker is one. */
  readonly id?: string;
  /** Follows "blocked by": `#a, which failed`. */
  readonly text: string;
}

/** A board under construction: the tasks in `views` are finished. */
export interface Making {
  readonly gates: (task: Task) => Gates;
  readonly graph: Graph;
  readonly tree: Tree;
  readonly claims: ReadonlyMap<string, { readonly claim: Claim; readonly live: boolean }>;
  readonly cyclic: ReadonlyMap<string, string>;
  readonly views: ReadonlyMap<string, TaskView>;
  readonly complex: ReadonlyMap<string, string>;
  readonly unread: Unread;
  readonly approvals: () => ReadonlyMap<string, string>;
  /** Parent → the dropped task below it, or null; a cache. */
  readonly dropped: Map<string, string | null>;
}

export function blockersOf(item: BoardItem, at: number, making: Making): Blocker[] {
  const { record, task } = item;
  const blockers: Blocker[] = [];
  const unread = unreadLedger(item, making);
  if (unread !== undefined)
    blockers.push({ kind: 'unread', text: `the ledger of ${unread}, which cannot be read` });
  if (item.invalid) {
    blockers.push({ kind: 'invalid', text: `its definition: ${oneLine(item.invalid, 200)}` });
  }
  if (record?.stop) {
    const text = `a stop that a person must answer: ${oneLine(record.stop.detail, 200)}`;
    blockers.push({ kind: 'person', text });
  }
  if (record?.paused_at) blockers.push({ kind: 'paused', text: 'a pause that a person asked for' });
  // A task that has begun is past the gates that guard the start.
  if (record?.steps?.some(({ outcome }) => outcome === 'ok')) return blockers;
  const complex = making.complex.get(task.id);
  if (complex !== undefined && making.tree.children(task.id).length === 0)
    blockers.push({ kind: 'complex', text: complex });
  const cycle = making.graph.inCycle(task.id)
    ? (making.cyclic.get(task.id) ?? 'itself, through others')
    : null;
  if (cycle) blockers.push({ kind: 'cycle', text: `a dependency cycle: ${cycle}` });
  for (const id of making.graph.missing(task.id)) {
    // The problem with its definition may already name the missing task.
    if (item.invalid?.includes(id)) continue;
    blockers.push({ kind: 'missing', id, text: `#${oneLine(id, 80)}, which does not exist` });
  }
  for (const { id } of making.graph.numbered.dependencies(at)) {
    const blocker = cycle ? null : blockerOf(task, id, making);
    if (blocker) blockers.push(blocker);
  }
  return blockers;
}

/**
 * The unreadable ledger that would say what became of a task: its lane's, or the base's if it has no record.
 */
function unreadLedger({ record }: BoardItem, { unread }: Making): string | undefined {
  if (record === null) return unread.base;
  const { lane } = record;
  return lane && !lane.folded_at && unread.lanes.has(lane.branch) ? lane.branch : undefined;
}

/** Why a dependency is not satisfied, or null when it is. */
function blockerOf(dependent: Task, id: string, making: Making): Blocker | null {
  const view = making.views.get(id);
  if (!view) return { kind: 'dependency', id, text: `#${id}` };
  const { record } = view;
  if (record?.closed_as === 'dropped') {
    return { kind: 'dropped', id, text: `#${id}, which was dropped${because(record.closed_reason)}` };
  }
  if (view.status === 'failed') {
    const child = view.children.find((one) => making.views.get(one)?.status === 'failed');
    const why = record?.error ?? record?.closed_reason ?? (child && `its subtask #${child} failed`);
    return { kind: 'failed', id, text: `#${id}, which failed${because(why)}` };
  }
  if (view.status === 'skipped') return null;
  if (view.status !== 'completed') return { kind: 'dependency', id, text: `#${id}` };
  const dropped = droppedChild(view, making);
  if (dropped) return { kind: 'dropped', id: dropped, text: `#${id}, whose subtask #${dropped} was dropped` };
  return gateOf(dependent, view, making);
}

/**
 * Finds a dropped subtask: its parent is over, but not done. A parent that was itself closed as done is done.
 */
function droppedChild(view: TaskView, making: Making): string | null {
  if (view.children.length === 0 || view.record?.closed_as === 'done') return null;
  const known = making.dropped.get(view.id);
  if (known !== undefined) return known;
  let found: string | null = null;
  for (const id of view.children) {
    const child = making.views.get(id);
    if (child?.record?.closed_as === 'dropped') found = id;
    else if (child) found = droppedChild(child, making);
    if (found) break;
  }
  making.dropped.set(view.id, found);
  return found;
}

function because(reason: string | undefined): string {
  const line = firstLine(reason, 80);
  return line === '' ? '' : ` (${line})`;
}

/** A completed dependency may still wait for approval, for a verdict or for its merge. */
function gateOf(dependent: Task, view: TaskView, making: Making): Blocker | null {
  const { id, record } = view;
  const gates = making.gates(view.task);
  if (awaitsApproval(view, making)) {
    return { kind: 'approval', id, text: `#${id}, which waits for approval` };
  }
  // A review or an improve may still lead to its approval, so neither must wait for that.
  const isToApprove = dependent.type === 'review' || dependent.type === 'improve';
  if (!isToApprove && gates.auto_review && mayLoop(view.task.type) && isUnapproved(record)) {
    return { kind: 'verdict', id, text: `#${id}, which ended ${record.final_verdict}` };
  }
  const lane = record?.lane !== undefined && record.merged_at === undefined;
  if (making.gates(dependent).requires_merge && lane) {
    return { kind: 'merge', id, text: `#${id}, which is not merged` };
  }
  return null;
}

export function awaitsApproval({ task, record }: BoardItem, { gates }: Making): boolean {
  return !record?.merged_at && !isApproved(record) && gates(task).approval;
}

/** A lane in flight, that is, not folded. */
export interface LaneNode {
  readonly branch: string;
  readonly link: LaneLink;
  readonly tasks: readonly TaskView[];
}

export interface Lanes {
  readonly open: ReadonlyMap<string, LaneNode>;
  /** How a lane ended; null while it is in flight, or if it is unknown. */
  end(branch: string): 'merged' | 'dropped' | null;
  /** The branch itself, and all branches in flight below it. */
  stack(branch: string): ReadonlySet<string>;
  /** Of these branches, those that no other is built on: a branch contains all that is below it. */
  tops(branches: readonly string[]): string[];
}

const known = new WeakMap<object, Lanes>();

export function lanesOf(views: ReadonlyMap<string, TaskView>): Lanes {
  const found = known.get(views) ?? gather([...views.values()]);
  known.set(views, found);
  return found;
}

function gather(views: readonly TaskView[]): Lanes {
  const all = groupBy(
    views.filter(({ record }) => record?.lane !== undefined),
    ({ record }) => record?.lane?.branch ?? '',
  );
  const open = new Map<string, LaneNode>();
  for (const [branch, own] of all) {
    const tasks = own.filter(({ record }) => record?.lane?.folded_at === undefined);
    const link = tasks[0]?.record?.lane;
    if (link) open.set(branch, { branch, link, tasks });
  }
  const stack = (branch: string) => {
    const seen = new Set([branch]);
    // The set grows during this loop, which then visits the new members too.
    for (const one of seen) for (const next of below(open.get(one)?.link)) if (open.has(next)) seen.add(next);
    return seen;
  };
  return {
    open,
    stack,
    end(branch) {
      if (open.has(branch)) return null;
      const own = all.get(branch) ?? [];
      if (own.some(({ record }) => record?.merged_at !== undefined)) return 'merged';
      return own.length > 0 ? 'dropped' : null;
    },
    tops(branches) {
      const wanted = [...new Set(branches)];
      if (wanted.length < 2) return wanted;
      const covered = new Set<string>();
      for (const one of wanted) for (const next of stack(one)) if (next !== one) covered.add(next);
      return wanted.filter((one) => !covered.has(one));
    },
  };
}

/** The branches that the lane was made on. */
function below(link: LaneLink | undefined): readonly string[] {
  return link?.joins ?? (link?.stacked_on === undefined ? [] : [link.stacked_on]);
}
