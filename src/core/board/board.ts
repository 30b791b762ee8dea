/**
 * All tasks with what follows from definitions, ledgers and the time: status, blockers, readiness. None of it
 * is ever stored. Gates that only guard the start never hold back a task that has begun.
 */
import type { Claim, TaskRecord } from '../ledger/record/record.ts';
import { isOver, isUnapproved } from '../policy/steps-so-far.ts';
import { naturalCompare } from '../shape.ts';
import { milestoneOrder, priorities, type Task } from '../task/task.ts';
import { awaitsApproval, type Blocker, blockersOf, type Making } from './blockers.ts';
import { buildGraph, type Graph, type GraphNode } from './graph.ts';
import type { Tree } from './items.ts';

export const statuses = ['pending', 'blocked', 'in_progress', 'completed', 'failed', 'skipped'] as const;
export type Status = (typeof statuses)[number];

/** A task as input of the board: from a file, from a ledger, or both. */
export interface BoardItem {
  /** The definition in force: the file's until the task is claimed, then the ledger's. */
  readonly task: Task;
  readonly record: TaskRecord | null;
  /** The ledger that holds its record. */
  readonly branch: string | null;
  /** The file that defines it, if any. */
  readonly file?: string;
  /** Age as a number: lower is older. */
  readonly position: number;
  /** What is wrong with its definition; this holds the task back. */
  readonly invalid?: string;
  /** The file changed after the task was claimed. */
  readonly changed?: boolean;
}

/** Conditions on a task and on those that depend on it, from the resolved settings. */
export interface Gates {
  readonly auto_review: boolean;
  readonly approval: boolean;
  readonly requires_merge: boolean;
}

export interface BoardInput {
  readonly items: readonly BoardItem[];
  readonly claims: readonly Claim[];
  readonly now: string;
  /** By default a claim is alive until its time is up. */
  readonly alive?: (claim: Claim) => boolean;
  readonly gates: (task: Task) => Gates;
  /** Milestones in order. */
  readonly milestones?: readonly string[];
  readonly first?: readonly string[];
  /** Task → why it is too complex to start without a split or a person's consent. */
  readonly complex?: ReadonlyMap<string, string>;
  readonly unread?: Unread;
}

/** Ledgers that cannot be read, by their branches. */
export interface Unread {
  readonly lanes: ReadonlySet<string>;
  /** The base branch, if its ledger is one of them. */
  readonly base?: string;
}

export interface TaskView extends BoardItem {
  readonly id: string;
  readonly status: Status;
  readonly blockers: readonly Blocker[];
  /** The live claim on it. */
  readonly claim: Claim | null;
  /** A dead claim that nobody released. */
  readonly deadClaim: Claim | null;
  /** When it was closed, or when the last of its children was. */
  readonly closedAt?: string;
  readonly children: readonly string[];
  /** It is done, but its dependents wait for a person's approval or for its merge. */
  readonly awaitsApproval?: true;
  /** It is completed but not done: it or a subtask ended without the approval that was asked for. */
  readonly unapproved?: true;
}

/** The record keeps the issue even while the file still owns the definition. */
export function linearIssue({ task, record }: Pick<BoardItem, 'task' | 'record'>): string | null {
  return task.linear_issue_id ?? record?.linear_issue_id ?? null;
}

export interface Board {
  readonly views: ReadonlyMap<string, TaskView>;
  readonly graph: Graph;
  readonly tree: Tree;
  readonly now: string;
  readonly claims: readonly Claim[];
  readonly milestones: readonly string[];
  /** Tasks that a person wants before all others. */
  readonly first?: readonly string[];
}

export function buildBoard(input: BoardInput): Board {
  const sorted = input.items.toSorted(byPosition);
  const graph = buildGraph(sorted.map(nodeOf));
  const items = graph.numbered.ids.length === sorted.length ? sorted : withoutRepeats(sorted);
  const views = new Map<string, TaskView>();
  const { now, alive = (claim: Claim) => claim.until > now } = input;
  let approvals: ReadonlyMap<string, string> | undefined;
  const making: Making = {
    gates: input.gates,
    graph,
    tree: graph.tree,
    claims: claimsByTask(input.claims, alive),
    cyclic: cyclesById(graph),
    views,
    complex: input.complex ?? new Map(),
    unread: input.unread ?? { lanes: new Set() },
    dropped: new Map(),
    approvals: () => (approvals ??= approvalsIn(items)),
  };
  const { ids, order } = graph.numbered;
  for (const at of order) views.set(ids[at]!, viewOf(items[at]!, at, making));
  return {
    views,
    graph,
    tree: graph.tree,
    now: input.now,
    claims: input.claims,
    milestones: input.milestones ?? [],
    ...(input.first ? { first: input.first } : {}),
  };
}

/** If two items have the same id, the first one counts, as in the graph. */
function withoutRepeats(sorted: readonly BoardItem[]): BoardItem[] {
  const items = new Map<string, BoardItem>();
  for (const item of sorted) if (!items.has(item.task.id)) items.set(item.task.id, item);
  return [...items.values()];
}

/** Sorts, because the order in which tasks are given must not matter. */
function byPosition(a: BoardItem, b: BoardItem): number {
  return a.position - b.position || naturalCompare(a.task.id, b.task.id);
}

function nodeOf({ task, record }: BoardItem): GraphNode {
  const { id, depends_on, files_to_create, files_to_modify, parent } = task;
  // A split task still waits for its children, but its files now belong to them.
  if (record?.closed_as === 'split') return { id, depends_on, parent, closed: false };
  const isUnmerged = record?.closed_as === 'done' && isInLane(record);
  return { id, depends_on, files_to_create, files_to_modify, parent, closed: isClosed(record), isUnmerged };
}

/** It has a branch that is not merged. */
function isInLane({ lane, merged_at }: TaskRecord): boolean {
  return lane !== undefined && lane.folded_at === undefined && merged_at === undefined;
}

/** If a task has several claims, the live one counts, otherwise the last. */
function claimsByTask(
  claims: readonly Claim[],
  alive: (claim: Claim) => boolean,
): ReadonlyMap<string, { readonly claim: Claim; readonly live: boolean }> {
  const byTask = new Map<string, { claim: Claim; live: boolean }>();
  for (const claim of claims) {
    const other = byTask.get(claim.task);
    const live = alive(claim);
    if (!other || (live && !other.live) || (live === other.live && claim.until > other.claim.until)) {
      byTask.set(claim.task, { claim, live });
    }
  }
  return byTask;
}

/** A failed task does not count as closed, because others still wait for it and for its files. */
function isClosed(record: TaskRecord | null): boolean {
  return record?.closed_at !== undefined && record.closed_as !== 'failed';
}

const none: readonly Blocker[] = [];

function viewOf(item: BoardItem, at: number, making: Making): TaskView {
  const { task, record } = item;
  const id = task.id;
  const held = making.claims.size === 0 ? undefined : making.claims.get(id);
  const children = making.tree.children(id);
  const settled = settledStatus(item, children, held?.live ?? false, making);
  const blockers = settled ? none : blockersOf(item, at, making);
  const status = settled ?? (blockers.length > 0 ? 'blocked' : hasBegun(record) ? 'in_progress' : 'pending');
  const view: { -readonly [K in keyof TaskView]: TaskView[K] } = {
    task,
    record,
    branch: item.branch,
    position: item.position,
    id,
    status,
    blockers,
    claim: held?.live ? held.claim : null,
    deadClaim: held && !held.live ? held.claim : null,
    children,
  };
  // One by one: spreading the item would take a third of the time of a large board.
  if (item.file !== undefined) view.file = item.file;
  if (item.invalid !== undefined) view.invalid = item.invalid;
  if (item.changed !== undefined) view.changed = item.changed;
  if (settled === 'completed' && awaitsApproval(item, making)) view.awaitsApproval = true;
  if (settled === 'completed' && lacksApproval(item, children, making)) view.unapproved = true;
  const closed = record?.closed_at ?? (settled === 'completed' ? lastClosing(children, making) : undefined);
  if (closed !== undefined) view.closedAt = closed;
  return view;
}

/** A parent closes with the last of its children. */
function lastClosing(children: readonly string[], { views }: Making): string | undefined {
  const times = children.map((id) => views.get(id)?.closedAt ?? '').sort();
  return times.at(-1) || undefined;
}

function lacksApproval(
  { task, record }: BoardItem,
  children: readonly string[],
  { views, approvals }: Making,
): boolean {
  if (!record?.closed_at) return children.some((id) => views.get(id)?.unapproved);
  // A review's verdict no longer counts once its subject was approved afterwards.
  const subject = task.type === 'review' ? task.depends_on?.[0] : undefined;
  return isUnapproved(record) && (approvals().get(subject ?? '') ?? '') <= record.closed_at;
}

/** When each task was last approved, by a person or by a review of it. */
function approvalsIn(items: readonly BoardItem[]): ReadonlyMap<string, string> {
  const times = new Map<string, string>();
  for (const { task, record } of items) {
    if (record?.final_verdict !== 'APPROVED') continue;
    const subject = task.type === 'review' ? task.depends_on?.[0] : task.id;
    const at = (task.type === 'review' ? record.closed_at : record.approved_at) ?? '';
    if (subject !== undefined && at > (times.get(subject) ?? '')) times.set(subject, at);
  }
  return times;
}

/** Whether a step left something that the next step builds on. */
function hasBegun(record: TaskRecord | null): boolean {
  return record?.steps?.some(({ outcome }) => outcome === 'ok' || outcome === 'slice') ?? false;
}

/** The status if it does not depend on blockers, else null. */
function settledStatus(
  { record }: BoardItem,
  children: readonly string[],
  isClaimed: boolean,
  making: Making,
): Status | null {
  switch (record?.closed_as) {
    case 'done':
      return 'completed';
    case 'skipped':
    case 'dropped':
      return 'skipped';
    case 'failed':
      return 'failed';
    case 'split':
    case undefined:
      if (isClaimed) return 'in_progress';
      if (children.length > 0) return ofChildren(children, making, record);
      return record?.closed_at ? 'completed' : null;
  }
}

/**
 * If a task was worked on itself, its children are a checklist: its own steps continue when they are over.
 */
function ofChildren(children: readonly string[], making: Making, record: TaskRecord | null): Status | null {
  const status = statusOfChildren(children, making);
  if (record?.closed_at || !record?.steps?.length) return status;
  if (status === 'completed') return null;
  return status === 'pending' ? 'in_progress' : status;
}

/** The status of a task that is not worked on itself follows from its children. */
function statusOfChildren(children: readonly string[], making: Making): Status {
  const all = new Set(children.map((id) => making.views.get(id)?.status ?? 'pending'));
  if (all.has('failed')) return 'failed';
  if (all.has('in_progress')) return 'in_progress';
  const isOpen = all.has('pending') || all.has('blocked');
  if (!isOpen) return 'completed';
  if (all.has('completed')) return 'in_progress';
  return all.has('pending') ? 'pending' : 'blocked';
}

function cyclesById(graph: Graph): Map<string, string> {
  const byId = new Map<string, string>();
  for (const cycle of graph.cycles) {
    const path = cycle.length > 12 ? [...cycle.slice(0, 10), '…', cycle[0] as string] : cycle;
    for (const id of cycle) byId.set(id, path.join(' → '));
  }
  return byId;
}

/** Whether nothing of it is left to do, for anybody. */
export function isDone({ status, unapproved, record }: TaskView): boolean {
  return status === 'completed' ? !unapproved : status === 'skipped' && record?.closed_as !== 'dropped';
}

/** Whether it is worked on itself, and not through its children. */
export function isLeaf({ children }: TaskView): boolean {
  return children.length === 0;
}

/**
 * Sorted by what should start first: tasks that a person put before all others, reviews that gza filed, then
 * priority, milestone, longest remaining chain, age, id.
 */
export function inOrder(views: readonly TaskView[], board: Board): TaskView[] {
  const chains = longestChains(board.graph, (id) => !isOver(board.views.get(id)));
  const places = milestoneOrder(
    board.milestones,
    views.map(({ task }) => task.milestone),
  );
  const all = views.map((view) => ({
    view,
    turn: turnAsked(view, board),
    // gza files reviews of fresh work. They run at once, while the reviewed head is still the lane's.
    isReview: view.task.type === 'review' && view.record?.created_by === 'gza',
    rank: priorities.indexOf(view.task.priority ?? 'medium'),
    place: places.get(view.task.milestone ?? '') ?? places.size,
    chain: chains.get(view.id) ?? 0,
  }));
  all.sort(
    (a, b) =>
      a.turn - b.turn ||
      Number(b.isReview) - Number(a.isReview) ||
      a.rank - b.rank ||
      a.place - b.place ||
      b.chain - a.chain ||
      a.view.position - b.view.position ||
      naturalCompare(a.view.id, b.view.id),
  );
  return all.map(({ view }) => view);
}

/** The position that a person asked for, for the task or a task above it. */
function turnAsked(view: TaskView, { first = [], views }: Board): number {
  if (first.length === 0) return 0;
  const seen = new Set<string>();
  for (let at: TaskView | undefined = view; at && !seen.has(at.id); at = views.get(at.task.parent ?? '')) {
    seen.add(at.id);
    if (first.includes(at.id)) return first.indexOf(at.id);
  }
  return first.length;
}

export function oldestFirst(board: Board): TaskView[] {
  return [...board.views.values()].sort((a, b) => a.position - b.position);
}

/**
 * For every task, the number of open tasks on the longest way through its dependents. A parent counts nothing
 * itself, but tasks that wait for it wait for its children. Members of a cycle count 0, because nobody knows
 * when they continue.
 */
export function longestChains(
  graph: Graph,
  isOpen: (id: string) => boolean,
): Pick<ReadonlyMap<string, number>, 'get'> {
  const { tree, numbered } = graph;
  const { ids, order } = numbered;
  const lengths = new Int32Array(ids.length);
  /** What a task adds to the chain of what it waits for: 1 if open, 0 if an open parent, -1 if over. */
  const own = Int8Array.from(ids, (id) => (isOpen(id) ? (tree.children(id).length === 0 ? 1 : 0) : -1));
  for (let n = order.length - 1; n >= 0; n--) {
    const at = order[n]!;
    const id = ids[at]!;
    const parent = tree.parent(id);
    const above = parent === undefined ? undefined : numbered.at(parent);
    let chain = above !== undefined && own[above]! >= 0 ? lengths[above]! : 0;
    numbered.eachDependent(at, (dependent) => {
      if (own[dependent]! >= 0) chain = Math.max(chain, own[dependent]! + lengths[dependent]!);
    });
    lengths[at] = graph.inCycle(id) ? 0 : chain;
  }
  return { get: (id) => lengths[numbered.at(id) ?? -1] };
}
