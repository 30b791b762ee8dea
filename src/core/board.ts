/**
 * All tasks with what is derived from definitions, ledgers and the time: status, blockers, readiness. Nothing
 * here is ever stored. A gate that only guards starting never holds back what is finished: blockers are worked
 * out for tasks that have not begun.
 */
import { type Graph, buildGraph } from './graph.ts';
import type { Claim, TaskRecord } from './record.ts';
import type { Task } from './task.ts';
import type { Tree } from './tree.ts';

export const statuses = ['pending', 'blocked', 'in_progress', 'completed', 'failed', 'skipped'] as const;
export type Status = (typeof statuses)[number];

/** A task as it reaches the board: from a file, from a ledger, or both. */
export interface BoardItem {
  /** The definition in force: the ledger's once claimed, the file's before. */
  readonly task: Task;
  readonly record: TaskRecord | null;
  /** The ledger that holds its record. */
  readonly branch: string | null;
  /** The file it stands in, if it does. */
  readonly file?: string;
  /** Age as a number: lower is older. */
  readonly position: number;
  /** What is wrong with its definition; it is held back. */
  readonly invalid?: string;
  /** The file says something else now than what was claimed. */
  readonly changed?: boolean;
}

/** What a task asks of itself and of those that depend on it, settings resolved. */
export interface Gates {
  readonly auto_review: boolean;
  readonly approval: boolean;
  readonly requires_merge: boolean;
}

export interface BoardInput {
  readonly items: readonly BoardItem[];
  readonly claims: readonly Claim[];
  readonly now: string;
  readonly gates: (task: Task) => Gates;
  /** Milestones in order. */
  readonly milestones?: readonly string[];
}

export type BlockerKind =
  | 'dependency'
  | 'failed'
  | 'dropped'
  | 'missing'
  | 'invalid'
  | 'cycle'
  | 'approval'
  | 'verdict'
  | 'merge'
  | 'person'
  | 'paused';

export interface Blocker {
  readonly kind: BlockerKind;
  /** The other task, if it is one. */
  readonly id?: string;
  /** Reads after "blocked by": `#a, which failed`. */
  readonly text: string;
}

export interface TaskView extends BoardItem {
  readonly id: string;
  readonly status: Status;
  readonly blockers: readonly Blocker[];
  /** The live claim on it. */
  readonly claim: Claim | null;
  /** A claim whose time ran out and that nobody released. */
  readonly deadClaim: Claim | null;
  readonly children: readonly string[];
}

export interface Board {
  readonly views: ReadonlyMap<string, TaskView>;
  readonly graph: Graph;
  readonly tree: Tree;
  readonly now: string;
  readonly claims: readonly Claim[];
  readonly milestones: readonly string[];
}

export function buildBoard(input: BoardInput): Board {
  const sorted = input.items.toSorted((a, b) => a.position - b.position);
  const items = new Map(sorted.map((item) => [item.task.id, item]));
  const graph = buildGraph(sorted.map(({ task, record }) => ({ ...task, closed: isClosed(record) })));
  const claims = new Map(input.claims.map((claim) => [claim.task, claim]));
  const cyclic = cyclesById(graph);
  const views = new Map<string, TaskView>();
  const making: Making = { input, graph, tree: graph.tree, claims, cyclic, views };
  for (const id of graph.order) {
    const item = items.get(id);
    if (item) views.set(id, viewOf(item, making));
  }
  return {
    views,
    graph,
    tree: graph.tree,
    now: input.now,
    claims: input.claims,
    milestones: input.milestones ?? [],
  };
}

/** A failed task is closed for its own sake, but others still wait for it and for its files. */
function isClosed(record: TaskRecord | null): boolean {
  return record?.closed_at !== undefined && record.closed_as !== 'failed';
}

interface Making {
  readonly input: BoardInput;
  readonly graph: Graph;
  readonly tree: Tree;
  readonly claims: ReadonlyMap<string, Claim>;
  readonly cyclic: ReadonlyMap<string, string>;
  readonly views: ReadonlyMap<string, TaskView>;
}

function viewOf(item: BoardItem, making: Making): TaskView {
  const id = item.task.id;
  const held = making.claims.get(id) ?? null;
  const live = held && held.until > making.input.now ? held : null;
  const children = making.tree.children(id);
  const settled = settledStatus(item, children, making);
  const blockers = settled || live ? [] : blockersOf(item, making);
  const begun = item.record?.steps?.some(({ outcome }) => outcome === 'ok' || outcome === 'slice') ?? false;
  const status =
    settled ?? (live ? 'in_progress' : blockers.length > 0 ? 'blocked' : begun ? 'in_progress' : 'pending');
  return { ...item, id, status, blockers, claim: live, deadClaim: live ? null : held, children };
}

function settledStatus(item: BoardItem, children: readonly string[], making: Making): Status | null {
  switch (item.record?.closed_as) {
    case 'done':
      return 'completed';
    case 'skipped':
    case 'dropped':
      return 'skipped';
    case 'failed':
      return 'failed';
    case 'split':
    case undefined:
      return children.length > 0
        ? statusOfChildren(children, making)
        : item.record?.closed_at
          ? 'completed'
          : null;
  }
}

/** A task with children is not worked on itself: it is what its children are. */
function statusOfChildren(children: readonly string[], making: Making): Status {
  const all = children.map((id) => making.views.get(id)?.status ?? 'pending');
  if (all.every((status) => status === 'completed' || status === 'skipped')) return 'completed';
  if (all.includes('failed')) return 'failed';
  if (all.some((status) => status === 'in_progress' || status === 'completed')) return 'in_progress';
  return all.every((status) => status === 'blocked' || status === 'skipped') ? 'blocked' : 'pending';
}

function blockersOf(item: BoardItem, making: Making): Blocker[] {
  const { record, task } = item;
  const blockers: Blocker[] = [];
  if (item.invalid) blockers.push({ kind: 'invalid', text: `its definition: ${item.invalid}` });
  if (record?.stop) blockers.push({ kind: 'person', text: `a person must look: ${record.stop.detail}` });
  if (record?.paused_at) blockers.push({ kind: 'paused', text: 'a pause that a person asked for' });
  // What has begun is past the gates that guard starting.
  if (record?.steps?.some(({ outcome }) => outcome === 'ok')) return blockers;
  const cycle = making.graph.inCycle(task.id)
    ? (making.cyclic.get(task.id) ?? 'itself, through others')
    : null;
  if (cycle) blockers.push({ kind: 'cycle', text: `a dependency cycle: ${cycle}` });
  for (const id of making.graph.missing(task.id)) {
    blockers.push({ kind: 'missing', id, text: `#${id}, which does not exist` });
  }
  for (const { id } of making.graph.dependencies(task.id)) {
    const blocker = cycle ? null : blockerOf(task, id, making);
    if (blocker) blockers.push(blocker);
  }
  return blockers;
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
    return {
      kind: 'failed',
      id,
      text: `#${id}, which failed${because(record?.error ?? record?.closed_reason)}`,
    };
  }
  if (view.status === 'skipped') return null;
  if (view.status !== 'completed') return { kind: 'dependency', id, text: `#${id}` };
  return gateOf(dependent, view, making);
}

function because(reason: string | undefined): string {
  const line = reason?.split('\n')[0]?.trim();
  return line ? ` (${line.length > 80 ? `${line.slice(0, 79)}…` : line})` : '';
}

/** A completed dependency can still wait for a word or for its merge. */
function gateOf(dependent: Task, view: TaskView, making: Making): Blocker | null {
  const { id, record } = view;
  const gates = making.input.gates(view.task);
  if (gates.approval && !record?.approved_at && !record?.merged_at) {
    return { kind: 'approval', id, text: `#${id}, which waits for approval` };
  }
  const verdict = record?.final_verdict;
  if (gates.auto_review && verdict !== undefined && verdict !== 'APPROVED' && !record?.merged_at) {
    return { kind: 'verdict', id, text: `#${id}, which ended ${verdict}` };
  }
  const lane = record?.lane !== undefined && record.merged_at === undefined;
  if (making.input.gates(dependent).requires_merge && lane) {
    return { kind: 'merge', id, text: `#${id}, which is not merged` };
  }
  return null;
}

function cyclesById(graph: Graph): Map<string, string> {
  const byId = new Map<string, string>();
  for (const cycle of graph.cycles) {
    const path = cycle.length > 12 ? [...cycle.slice(0, 10), '…', cycle[0] as string] : cycle;
    for (const id of cycle) byId.set(id, path.join(' → '));
  }
  return byId;
}

/** Not begun, nothing in its way. */
export function isReady(view: TaskView): boolean {
  return view.status === 'pending' && view.children.length === 0;
}
