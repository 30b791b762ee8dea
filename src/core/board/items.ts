/** Combines files and ledgers into the items of a board, and builds the tree of tasks and their subtasks. */
import { isDefined, type TaskRecord } from '../ledger/record/record.ts';
import { naturalCompare } from '../shape.ts';
import type { FileTask, Task } from '../task/task.ts';
import type { BoardItem } from './board.ts';

interface AssembleInput {
  readonly files: readonly FileTask[];
  readonly rows: readonly { readonly branch: string; readonly record: TaskRecord }[];
  readonly base: string;
  /** What is wrong with a file task's definition, by id. */
  readonly invalid?: ReadonlyMap<string, string>;
}

/** Tasks from files count as older than filed ones; filed ones are ordered by the time of filing. */
export function assembleItems({ files, rows, base, invalid }: AssembleInput): BoardItem[] {
  if (files.length === 0 && rows.every(({ branch }) => branch === rows[0]?.branch))
    return repointSplits(filedItems(rows, 0));
  const records = latestRecords(rows, base);
  const items: BoardItem[] = [];
  for (const file of files) {
    const found = records.get(file.task.id);
    records.delete(file.task.id);
    const wrong = invalid?.get(file.task.id);
    items.push({
      task: taskOf(file, found?.record),
      record: found?.record ?? null,
      branch: found?.branch ?? null,
      file: file.file,
      position: items.length,
      ...(wrong !== undefined && !(found && isDefined(found.record)) ? { invalid: wrong } : {}),
    });
  }
  return repointSplits(items.concat(filedItems([...records.values()], items.length)));
}

/** Until its first claim a task is what its file says, except that the latest assignment counts. */
function taskOf({ task }: FileTask, record: TaskRecord | undefined): Task {
  if (record && isDefined(record)) return record;
  const holder = record?.assigned_agent ?? task.assigned_agent;
  return holder === task.assigned_agent || holder === undefined ? task : { ...task, assigned_agent: holder };
}

type Row = AssembleInput['rows'][number];

function filedItems(rows: readonly Row[], first: number): BoardItem[] {
  const sorted = rows.toSorted((a, b) => byTime(a.record, b.record));
  return sorted.map(({ record, branch }, at) => {
    const position = first + at;
    return record.file === undefined
      ? { task: record, record, branch, position }
      : { task: record, record, branch, file: record.file, position };
  });
}

function byTime(a: TaskRecord, b: TaskRecord): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** A task that entered a lane has two records: the lane's is the newer one until the lane is folded. */
function latestRecords(
  rows: AssembleInput['rows'],
  base: string,
): Map<string, AssembleInput['rows'][number]> {
  const records = new Map<string, AssembleInput['rows'][number]>();
  for (const row of rows) {
    const other = records.get(row.record.id);
    if (!other || other.branch === base) records.set(row.record.id, row);
  }
  return records;
}

/**
 * Tasks that wait for a split task wait for its last segments instead. This is done where tasks are put
 * together, because files cannot be rewritten at a split and branches are stacked on what a task depends on.
 */
export function repointSplits(items: BoardItem[]): BoardItem[] {
  if (!items.some(({ record }) => record?.closed_as === 'split')) return items;
  const last = lastSegments(items);
  return items.map((item) => {
    const { depends_on } = item.task;
    if (!depends_on?.some((id) => last.has(id))) return item;
    const ends = [...new Set(depends_on.flatMap((id) => endsOf(id, last, new Set())))];
    return { ...item, task: { ...item.task, depends_on: ends } };
  });
}

type Segments = ReadonlyMap<string, readonly string[]>;

/** Split task → those of its children that no sibling waits for. */
function lastSegments(items: readonly BoardItem[]): Segments {
  const children = new Map<string, Task[]>();
  for (const { task, record } of items) if (record?.closed_as === 'split') children.set(task.id, []);
  for (const { task } of items) children.get(task.parent ?? '')?.push(task);
  return new Map(
    [...children].flatMap(([id, all]) => {
      const waited = new Set(all.flatMap(({ depends_on = [] }) => depends_on));
      const last = all.map((one) => one.id).filter((one) => !waited.has(one));
      return last.length > 0 ? [[id, last] as const] : [];
    }),
  );
}

/** The last segments of a task, even if a segment was split again. */
function endsOf(id: string, last: Segments, seen: Set<string>): readonly string[] {
  const segments = last.get(id);
  if (!segments || seen.has(id)) return [id];
  seen.add(id);
  return segments.flatMap((one) => endsOf(one, last, seen));
}

/**
 * Tasks and their subtasks. Siblings are in the given order. A parent is complete when its children are, so
 * the current position is the first open leaf in pre-order: the order of the printed list, not the shallowest
 * leaf.
 */
interface TreeNode {
  readonly id: string;
  readonly parent?: string | undefined;
}

export interface Tree {
  /** True when no task has a parent. */
  readonly isFlat: boolean;
  /** Every task before its children, subtree by subtree. */
  readonly preOrder: readonly string[];
  children(id: string): readonly string[];
  /** Undefined for a root, and for a task whose parent is not among the given ones. */
  parent(id: string): string | undefined;
  /** Whether `above` is an ancestor of `id`; no task is its own ancestor. */
  isAbove(above: string, id: string): boolean;
}

export function buildTree(nodes: readonly TreeNode[]): Tree {
  if (nodes.every(({ parent }) => parent === undefined)) return flatTree(nodes);
  const parents = parentsWithoutLoops(nodes);
  const children = new Map<string, string[]>();
  const roots: string[] = [];
  for (const [id, parent] of parents) {
    if (parent === undefined) roots.push(id);
    else if (!children.get(parent)?.push(id)) children.set(parent, [id]);
  }
  const { preOrder, places } = walk(roots, children);
  return {
    isFlat: false,
    preOrder,
    children: (id) => children.get(id) ?? none,
    parent: (id) => parents.get(id),
    isAbove: (above, id) => {
      const outer = places.get(above);
      const inner = places.get(id);
      return outer !== undefined && inner !== undefined && outer.at < inner.at && inner.at < outer.end;
    },
  };
}

const none: readonly string[] = [];

/** Most backlogs have no subtasks. Without them a large board is built in half the time. */
function flatTree(nodes: readonly TreeNode[]): Tree {
  let ids: readonly string[] | undefined;
  return {
    isFlat: true,
    get preOrder() {
      return (ids ??= [...new Set(nodes.map(({ id }) => id))]);
    },
    children: () => none,
    parent: () => undefined,
    isAbove: () => false,
  };
}

type Parents = Map<string, string | undefined>;

function parentsWithoutLoops(nodes: readonly TreeNode[]): Parents {
  const ids = new Set(nodes.map((node) => node.id));
  const parents: Parents = new Map();
  for (const { id, parent } of nodes) {
    if (!parents.has(id)) parents.set(id, parent !== undefined && ids.has(parent) ? parent : undefined);
  }
  cutLoops(parents);
  return parents;
}

/** Cuts each loop above its smallest id, so that the order of the tasks does not matter. */
function cutLoops(parents: Parents): void {
  const settled = new Set<string>();
  for (const [start, above] of parents) {
    if (above === undefined) continue;
    const path = new Set<string>();
    let id: string | undefined = start;
    while (id !== undefined && !settled.has(id) && !path.has(id)) {
      path.add(id);
      id = parents.get(id);
    }
    if (id !== undefined && path.has(id)) {
      const way = [...path];
      const loop = way.slice(way.indexOf(id));
      const smallest = loop.reduce((a, b) => (naturalCompare(b, a) < 0 ? b : a));
      parents.set(smallest, undefined);
    }
    for (const seen of path) settled.add(seen);
  }
}

interface Place {
  readonly at: number;
  /** Place of the first task after its subtree. */
  end: number;
}

function walk(roots: readonly string[], children: ReadonlyMap<string, readonly string[]>) {
  const preOrder: string[] = [];
  const places = new Map<string, Place>();
  const stack = roots.toReversed().map((id) => ({ id, left: false }));
  while (stack.length > 0) {
    const visit = stack.pop()!;
    if (visit.left) {
      places.get(visit.id)!.end = preOrder.length;
      continue;
    }
    places.set(visit.id, { at: preOrder.length, end: 0 });
    preOrder.push(visit.id);
    stack.push({ ...visit, left: true });
    for (const id of (children.get(visit.id) ?? []).toReversed()) stack.push({ id, left: false });
  }
  return { preOrder, places };
}

/** The first open leaf in pre-order; undefined if none is open. */
export function currentPosition(tree: Tree, isOpen: (id: string) => boolean): string | undefined {
  return tree.preOrder.find((id) => tree.children(id).length === 0 && isOpen(id));
}
