/**
 * What waits for what. There are three kinds of edges: written dependencies, dependencies through files, and
 * a parent that waits for its children. Built in time linear in tasks and edges.
 *
 * A closed task waits for nothing, so a cycle with a closed member is not a cycle.
 */

import { groupBy, naturalCompare } from '../shape.ts';
import { normalisePaths } from '../task/task.ts';
import { buildTree, type Tree } from './items.ts';
import {
  type Components,
  findCycles,
  type NumberedEdge,
  shortestCycle,
  strongComponents,
} from './strong-components.ts';

export interface GraphNode {
  readonly id: string;
  readonly depends_on?: readonly string[] | undefined;
  readonly files_to_create?: readonly string[] | undefined;
  readonly files_to_modify?: readonly string[] | undefined;
  readonly parent?: string | undefined;
  /** Done, skipped or dropped, so it waits for nothing. A failed task is not closed. */
  readonly closed: boolean;
  /** Its work is done but not merged: tasks that modify its files build on it. */
  readonly isUnmerged?: boolean;
}

interface Dependency {
  /** The task at the other end: the one waited for or, among dependents, the one that waits. */
  readonly id: string;
  readonly why: 'explicit' | 'file';
  /** The file that one task creates and the other modifies. */
  readonly file?: string;
}

export interface Graph {
  readonly tree: Tree;
  /** Without parents and children. */
  dependencies(id: string): readonly Dependency[];
  dependents(id: string): readonly Dependency[];
  /** Dependencies that name no known task. */
  missing(id: string): readonly string[];
  /** Whether it waits for itself through others. */
  inCycle(id: string): boolean;
  /** One path a → b → a for each group of tasks that wait for each other. */
  readonly cycles: readonly (readonly string[])[];
  readonly warnings: readonly GraphWarning[];
  /**
   * Every task after those it waits for, otherwise as given. Cycles and tasks that wait for them come last.
   */
  readonly order: readonly string[];
  /** The same by number, for code that visits every task. */
  readonly numbered: Adjacency & {
    readonly ids: readonly string[];
    readonly order: readonly number[];
    at(id: string): number | undefined;
  };
}

export function buildGraph(given: readonly GraphNode[]): Graph {
  const { nodes, index } = withoutRepeats(given);
  const ids = nodes.map((node) => node.id);
  const tree = buildTree(nodes);
  const { edges: explicit, missing } = explicitEdges(nodes, index);
  const binds = ({ from, to }: NumberedEdge) => !nodes[from]!.closed || nodes[to]!.closed;
  const binding = joined<NumberedEdge>(explicit, childEdges(tree, index)).filter(binds);
  const found = fileEdges(nodes, tree);
  const { kept, dropped } = keepAcyclic(ids, binding, found.edges);
  const waits = joined<NumberedEdge>(binding, kept);
  const components = strongComponents(ids.length, waits);
  const knotted = knots(components, binding);
  const open = (at: number) => !nodes[at]!.closed;
  const order = knotsLast(components.order, waits, knotted);
  const fromFiles = kept.map((edge): WaitEdge => ({ ...edge, why: 'file' }));
  const at = (id: string) => index.get(id);
  const numbered = { ids, order, at, ...adjacency(ids, joined(explicit, fromFiles)) };
  return {
    tree,
    numbered,
    dependencies: (id) => numbered.dependencies(index.get(id) ?? -1),
    dependents: (id) => numbered.dependents(index.get(id) ?? -1),
    missing: (id) => missing.get(id) ?? none,
    inCycle: (id) => {
      const at = knotted.size === 0 ? undefined : index.get(id);
      return at !== undefined && knotted.has(at) && open(at);
    },
    cycles: findCycles(ids, components.of, binding, [...knotted].filter(open)),
    warnings: [...found.warnings, ...dropped.map((edge) => droppedWarning(ids, edge))],
    order: order.map((at) => ids[at]!),
  };
}

/** If two nodes have the same id, the first one counts. */
function withoutRepeats(given: readonly GraphNode[]) {
  const index = new Map<string, number>();
  const nodes: GraphNode[] = [];
  for (const node of given) {
    if (index.has(node.id)) continue;
    index.set(node.id, nodes.length);
    nodes.push(node);
  }
  return { nodes, index };
}

function explicitEdges(nodes: readonly GraphNode[], index: ReadonlyMap<string, number>) {
  const edges: WaitEdge[] = [];
  const missing = new Map<string, string[]>();
  for (let from = 0; from < nodes.length; from++) {
    const { id: own, depends_on } = nodes[from]!;
    if (depends_on === undefined || depends_on.length === 0) continue;
    for (const id of depends_on.length === 1 ? depends_on : new Set(depends_on)) {
      const to = index.get(id);
      if (to !== undefined) edges.push({ from, to, why: 'explicit' });
      else if (!missing.get(own)?.push(id)) missing.set(own, [id]);
    }
  }
  return { edges, missing };
}

function childEdges(tree: Tree, index: ReadonlyMap<string, number>): NumberedEdge[] {
  const edges: NumberedEdge[] = [];
  if (tree.isFlat) return edges;
  for (const id of tree.preOrder) {
    const from = index.get(id)!;
    for (const child of tree.children(id)) edges.push({ from, to: index.get(child)! });
  }
  return edges;
}

function joined<T>(some: readonly T[], more: readonly T[]): readonly T[] {
  return more.length === 0 ? some : [...some, ...more];
}

/** Tasks on a cycle: members of components with several tasks, and tasks that wait for themselves. */
function knots({ of, order, sizes }: Components, written: readonly NumberedEdge[]): Set<number> {
  const knotted = new Set<number>();
  if (sizes.length < order.length) for (const at of order) if (sizes[of[at]!]! > 1) knotted.add(at);
  for (const { from, to } of written) if (from === to) knotted.add(from);
  return knotted;
}

const none: readonly never[] = [];

function knotsLast(order: readonly number[], waits: readonly NumberedEdge[], knotted: ReadonlySet<number>) {
  if (knotted.size === 0) return order;
  const behind = new Set(knotted);
  const waitsFor = groupBy(waits, ({ from }) => from);
  for (const at of order) if (waitsFor.get(at)?.some(({ to }) => behind.has(to))) behind.add(at);
  return [...order.filter((at) => !behind.has(at)), ...order.filter((at) => behind.has(at))];
}

interface WaitEdge extends NumberedEdge {
  readonly why: 'explicit' | 'file';
  readonly file?: string;
}

/** Numbers of edges, by task: those of a task are at `starts[task]` up to `starts[task + 1]`. */
interface Ends {
  readonly starts: Int32Array;
  readonly edges: Int32Array;
}

interface Adjacency {
  dependencies(at: number): readonly Dependency[];
  dependents(at: number): readonly Dependency[];
  /** Calls `visit` with the number of each dependent; twice if it waits in two ways. */
  eachDependent(at: number, visit: (dependent: number) => void): void;
}

function adjacency(ids: readonly string[], edges: readonly WaitEdge[]): Adjacency {
  const outgoing = endsOf(ids.length, edges, 'from');
  const incoming = endsOf(ids.length, edges, 'to');
  return {
    dependencies: (at) => listAt(at, outgoing, edges, ({ to }) => ids[to]!),
    dependents: (at) => listAt(at, incoming, edges, ({ from }) => ids[from]!),
    eachDependent(at, visit) {
      for (let n = incoming.starts[at]!; n < incoming.starts[at + 1]!; n++)
        visit(edges[incoming.edges[n]!]!.from);
    },
  };
}

function endsOf(count: number, edges: readonly NumberedEdge[], end: 'from' | 'to'): Ends {
  const starts = new Int32Array(count + 1);
  for (let n = 0; n < edges.length; n++) starts[edges[n]![end] + 1]! += 1;
  for (let at = 0; at < count; at++) starts[at + 1]! += starts[at]!;
  const next = starts.slice();
  const numbers = new Int32Array(edges.length);
  for (let n = 0; n < edges.length; n++) numbers[next[edges[n]![end]]!++] = n;
  return { starts, edges: numbers };
}

/**
 * A file edge may repeat a written one, or that of another file. Each task is listed once, written ones
 * first.
 */
function listAt(
  at: number,
  { starts, edges: numbers }: Ends,
  edges: readonly WaitEdge[],
  other: (edge: WaitEdge) => string,
): readonly Dependency[] {
  if (!(starts[at]! < starts[at + 1]!)) return none;
  const list: Dependency[] = [];
  let seen: Set<string> | undefined;
  for (let n = starts[at]!; n < starts[at + 1]!; n++) {
    const edge = edges[numbers[n]!]!;
    const id = other(edge);
    if (edge.file === undefined) list.push({ id, why: edge.why });
    else {
      seen ??= new Set(list.map((one) => one.id));
      if (!seen.has(id)) list.push({ id, why: edge.why, file: edge.file });
      seen.add(id);
    }
  }
  return list;
}

/** The links of one task to others: what it depends on, and its parent. */
export interface Links {
  readonly id: string;
  readonly depends_on?: readonly string[] | undefined;
  readonly parent?: string | undefined;
}

/** The cycle that new links of a task would make, from the task back to itself; null if there is none. */
export function circleThrough(changed: Links, { graph, tree, isOpen }: Known): readonly string[] | null {
  const waitsOf = (id: string) =>
    graph
      .dependencies(id)
      .filter(({ why }) => why === 'explicit')
      .map((one) => one.id);
  return shortestCycle(changed.id, (id) => {
    const waits = id === changed.id ? (changed.depends_on ?? []) : waitsOf(id);
    const parts = tree.children(id).filter((part) => part !== changed.id);
    if (id === changed.parent) parts.push(changed.id);
    return [...waits, ...parts].filter((to) => to === changed.id || isOpen(to));
  });
}

interface Known {
  readonly graph: Graph;
  readonly tree: Tree;
  readonly isOpen: (id: string) => boolean;
}

/**
 * A task that modifies a file waits for the task that creates it. Nobody wrote these dependencies down, so
 * they give way: one that would close a cycle is dropped with a warning.
 */

interface FileEdge extends NumberedEdge {
  readonly file: string;
}

interface GraphWarning {
  /** The task that does not wait, or is not waited for. */
  readonly id: string;
  readonly message: string;
}

/** If more tasks than this create one file, the rest are not waited for. Keeps the graph linear. */
export const creatorsMax = 50;

interface FileNode {
  readonly id: string;
  readonly files_to_create?: readonly string[] | undefined;
  readonly files_to_modify?: readonly string[] | undefined;
  readonly closed: boolean;
  readonly isUnmerged?: boolean;
}

function fileEdges(nodes: readonly FileNode[], tree: Tree): { edges: FileEdge[]; warnings: GraphWarning[] } {
  const creators = creatorsByFile(nodes);
  const warnings = boundCreators(creators, nodes);
  const edges: FileEdge[] = [];
  if (creators.size === 0) return { edges, warnings };
  for (const [from, node] of nodes.entries()) {
    if (node.closed) continue;
    for (const file of normalisePaths(node.files_to_modify)) {
      const found = creators.get(file);
      if (found === undefined || found.includes(from)) continue;
      for (const to of found) {
        if (!areFamily(tree, node.id, nodes[to]!.id)) edges.push({ from, to, file });
      }
    }
  }
  return { edges, warnings };
}

/** Closed creators count only if they are not merged: otherwise their file exists already, or never will. */
function creatorsByFile(nodes: readonly FileNode[]): Map<string, number[]> {
  const creators = new Map<string, number[]>();
  for (const [index, node] of nodes.entries()) {
    if ((node.closed && !node.isUnmerged) || node.files_to_create === undefined) continue;
    for (const file of normalisePaths(node.files_to_create)) {
      if (!creators.get(file)?.push(index)) creators.set(file, [index]);
    }
  }
  return creators;
}

function boundCreators(creators: Map<string, number[]>, nodes: readonly FileNode[]): GraphWarning[] {
  const warnings: GraphWarning[] = [];
  for (const [file, indexes] of creators) {
    if (indexes.length <= creatorsMax) continue;
    const message = `${indexes.length} tasks create ${file}; only the first ${creatorsMax} by id are waited for by tasks that modify it`;
    indexes.sort((a, b) => naturalCompare(nodes[a]!.id, nodes[b]!.id));
    warnings.push({ id: nodes[indexes[creatorsMax]!]!.id, message });
    indexes.length = creatorsMax;
  }
  return warnings;
}

/** A task and the subtasks that carry it out declare the same files, but do not wait for each other. */
function areFamily(tree: Tree, a: string, b: string): boolean {
  return tree.isAbove(a, b) || tree.isAbove(b, a);
}

/**
 * Keeps every file edge outside cycles. Inside a cycle, keeps those that agree with one fixed order: the
 * written dependencies first, then the ids. So if two tasks modify each other's new files, one of them waits.
 */
function keepAcyclic(
  ids: readonly string[],
  written: readonly NumberedEdge[],
  files: readonly FileEdge[],
): { kept: readonly FileEdge[]; dropped: readonly FileEdge[] } {
  if (files.length === 0) return { kept: files, dropped: [] };
  const all = strongComponents(ids.length, [...written, ...files]).of;
  if (files.every(({ from, to }) => all[from] !== all[to])) return { kept: files, dropped: [] };

  const byId = ids.map((_, index) => index).sort((a, b) => naturalCompare(ids[a]!, ids[b]!));
  const rank = new Int32Array(ids.length);
  for (const [position, index] of byId.entries()) rank[index] = position;
  const sorted = written.toSorted((a, b) => rank[a.to]! - rank[b.to]!);
  const fixed = strongComponents(ids.length, sorted, byId).of;
  const agrees = ({ from, to }: FileEdge) => all[from] !== all[to] || fixed[to]! < fixed[from]!;
  return { kept: files.filter(agrees), dropped: files.filter((edge) => !agrees(edge)) };
}

function droppedWarning(ids: readonly string[], { from, to, file }: FileEdge): GraphWarning {
  const id = ids[from]!;
  const on = ids[to]!;
  const message = `#${id} modifies ${file}, which #${on} creates, but waiting for it would close a cycle: it does not wait`;
  return { id, message };
}
