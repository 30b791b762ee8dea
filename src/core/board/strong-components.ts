import { naturalCompare } from '../shape.ts';

/**
 * Tarjan's strongly connected components, without recursion: a chain of 100,000 tasks must not overflow the
 * stack. Nodes are numbers; an edge leads from a task to one that it waits for.
 */
export interface NumberedEdge {
  readonly from: number;
  readonly to: number;
}

export interface Components {
  /** Node → number of its component. An edge never leads to a higher number. */
  readonly of: Int32Array;
  /** Every node after those it waits for, if possible; otherwise in the order visited. */
  readonly order: readonly number[];
  /** Component → its number of nodes. */
  readonly sizes: readonly number[];
}

/** Successors of all nodes in two flat arrays. */
interface Successors {
  readonly starts: Int32Array;
  readonly targets: Int32Array;
}

export function strongComponents(
  count: number,
  edges: readonly NumberedEdge[],
  visit?: readonly number[],
): Components {
  const successors = flatten(count, edges);
  const search = newSearch(count, successors.starts);
  for (let i = 0; i < count; i++) {
    const root = visit?.[i] ?? i;
    if (search.found[root] === 0) searchFrom(root, successors, search);
  }
  return { of: search.of, order: search.order, sizes: search.sizes };
}

function flatten(count: number, edges: readonly NumberedEdge[]): Successors {
  const starts = new Int32Array(count + 1);
  for (const { from } of edges) starts[from + 1]! += 1;
  for (let i = 0; i < count; i++) starts[i + 1]! += starts[i]!;
  const next = starts.slice();
  const targets = new Int32Array(edges.length);
  for (const { from, to } of edges) targets[next[from]!++] = to;
  return { starts, targets };
}

interface Search {
  /** When a node was first seen, from 1; 0 = not yet. */
  readonly found: Int32Array;
  /** The earliest open node that can be reached from it. */
  readonly low: Int32Array;
  readonly of: Int32Array;
  /** Per node: which of its successors to visit next. */
  readonly cursor: Int32Array;
  readonly open: number[];
  readonly order: number[];
  readonly sizes: number[];
  clock: number;
}

function newSearch(count: number, starts: Int32Array): Search {
  return {
    found: new Int32Array(count),
    low: new Int32Array(count),
    of: new Int32Array(count).fill(-1),
    cursor: starts.slice(0, count),
    open: [],
    order: [],
    sizes: [],
    clock: 0,
  };
}

function searchFrom(root: number, { starts, targets }: Successors, search: Search): void {
  const { found, low, of, cursor } = search;
  const path = [root];
  enter(root, search);
  while (path.length > 0) {
    const node = path.at(-1)!;
    if (cursor[node]! < starts[node + 1]!) {
      const to = targets[cursor[node]!++]!;
      if (found[to] === 0) {
        enter(to, search);
        path.push(to);
      } else if (of[to] === -1) low[node] = Math.min(low[node]!, found[to]!);
      continue;
    }
    path.pop();
    const parent = path.at(-1);
    if (parent !== undefined) low[parent] = Math.min(low[parent]!, low[node]!);
    if (low[node] === found[node]) closeComponent(node, search);
  }
}

function enter(node: number, search: Search): void {
  search.clock += 1;
  search.found[node] = search.clock;
  search.low[node] = search.clock;
  search.open.push(node);
}

function closeComponent(first: number, search: Search): void {
  const at = search.sizes.length;
  let size = 0;
  let node: number;
  do {
    node = search.open.pop()!;
    search.of[node] = at;
    search.order.push(node);
    size++;
  } while (node !== first);
  search.sizes.push(size);
}

/**
 * One cycle for each group of tasks that wait for each other: the shortest through its smallest id. A group
 * can have exponentially many cycles; once this one is broken, the next is shown.
 */
export function findCycles(
  ids: readonly string[],
  componentOf: Int32Array,
  edges: readonly NumberedEdge[],
  knotted: readonly number[],
): string[][] {
  const byId = (a: number, b: number) => naturalCompare(ids[a]!, ids[b]!);
  const starts = new Map<number, number>();
  for (const at of knotted.toSorted(byId)) {
    if (!starts.has(componentOf[at]!)) starts.set(componentOf[at]!, at);
  }
  const successors = new Map<number, number[]>(knotted.map((at) => [at, []]));
  for (const { from, to } of edges) {
    if (componentOf[from] === componentOf[to]) successors.get(from)?.push(to);
  }
  for (const list of successors.values()) list.sort(byId);
  const next = (at: number) => successors.get(at) ?? [];
  return [...starts.values()].map((start) => (shortestCycle(start, next) ?? [start]).map((at) => ids[at]!));
}

/** The shortest path from a node back to itself, with the node at both ends; null if there is none. */
export function shortestCycle<Node>(start: Node, successors: (at: Node) => readonly Node[]): Node[] | null {
  const cameFrom = new Map<Node, Node>();
  const queue = [start];
  for (const at of queue) {
    for (const to of successors(at)) {
      if (to === start) return pathBack(start, at, cameFrom);
      if (cameFrom.has(to)) continue;
      cameFrom.set(to, at);
      queue.push(to);
    }
  }
  return null;
}

/** For people: a long cycle is cut in its middle. */
export function printCycle(path: readonly string[]): string {
  return (path.length > 12 ? [...path.slice(0, 6), '…', ...path.slice(-5)] : path).join(' → ');
}

function pathBack<Node>(start: Node, last: Node, cameFrom: ReadonlyMap<Node, Node>): Node[] {
  const path = [start];
  for (let at = last; at !== start; at = cameFrom.get(at)!) path.push(at);
  path.push(start);
  return path.reverse();
}
