/**
 * What waits for what. Three kinds of edges: written dependencies, file-based ones, and a parent that waits for
 * its children. Built in time linear in tasks and edges.
 *
 * A closed task waits for nothing, so a cycle with a closed member is no cycle.
 */
import { droppedWarning, fileEdges, type GraphWarning, keepAcyclic } from './file-dependencies.ts';
import { findCycles } from './find-cycles.ts';
import { groupBy } from './group-by.ts';
import { type Components, type NumberedEdge, strongComponents } from './strong-components.ts';
import { buildTree, type Tree } from './tree.ts';

export interface GraphNode {
  readonly id: string;
  readonly depends_on?: readonly string[] | undefined;
  readonly files_to_create?: readonly string[] | undefined;
  readonly files_to_modify?: readonly string[] | undefined;
  readonly parent?: string | undefined;
  /** Done, skipped or dropped: it waits for nothing, and nothing waits for its files. A failed task is not. */
  readonly closed: boolean;
}

export interface Dependency {
  /** The task at the other end: what is waited for, or, among dependents, what waits. */
  readonly id: string;
  readonly why: 'explicit' | 'file';
  /** The file that one creates and the other modifies. */
  readonly file?: string;
}

export interface Graph {
  readonly tree: Tree;
  /** Without parenthood. */
  dependencies(id: string): readonly Dependency[];
  dependents(id: string): readonly Dependency[];
  /** Dependencies that name no known task. */
  missing(id: string): readonly string[];
  /** Whether it waits for itself through others. */
  inCycle(id: string): boolean;
  /** One path a → b → a for each knot of tasks that wait for each other. */
  readonly cycles: readonly (readonly string[])[];
  readonly warnings: readonly GraphWarning[];
  /** Every task after what it waits for, otherwise as given; cycles and what waits for them last. */
  readonly order: readonly string[];
}

interface Edge extends NumberedEdge {
  readonly why: 'explicit' | 'file' | 'child';
  readonly file?: string;
}

export function buildGraph(given: readonly GraphNode[]): Graph {
  const { nodes, index } = withoutRepeats(given);
  const ids = nodes.map((node) => node.id);
  const tree = buildTree(nodes);
  const { edges: explicit, missing } = explicitEdges(nodes, index);
  const written: Edge[] = [...explicit, ...childEdges(tree, index)];
  const binds = ({ from, to }: NumberedEdge) => !nodes[from]!.closed || nodes[to]!.closed;
  const binding = written.filter(binds);
  const found = fileEdges(nodes, tree);
  const { kept, dropped } = keepAcyclic(ids, binding, found.edges);
  const waits = [...binding, ...kept];
  const components = strongComponents(ids.length, waits);
  const knotted = knots(components, binding);
  const open = (at: number) => !nodes[at]!.closed;
  return {
    tree,
    ...adjacency(ids, index, [...explicit, ...kept.map((edge): Edge => ({ ...edge, why: 'file' }))]),
    missing: (id) => missing.get(id) ?? none,
    inCycle: (id) => {
      const at = knotted.size === 0 ? undefined : index.get(id);
      return at !== undefined && knotted.has(at) && open(at);
    },
    cycles: findCycles(ids, components.of, binding, [...knotted].filter(open)),
    warnings: [...found.warnings, ...dropped.map((edge) => droppedWarning(ids, edge))],
    order: knotsLast(components.order, waits, knotted).map((at) => ids[at]!),
  };
}

/** Of two with one id the first counts. */
function withoutRepeats(given: readonly GraphNode[]) {
  const nodes: GraphNode[] = [];
  const index = new Map<string, number>();
  for (const node of given) {
    if (index.has(node.id)) continue;
    index.set(node.id, nodes.length);
    nodes.push(node);
  }
  return { nodes, index };
}

function explicitEdges(nodes: readonly GraphNode[], index: ReadonlyMap<string, number>) {
  const edges: Edge[] = [];
  const missing = new Map<string, string[]>();
  for (const [from, node] of nodes.entries()) {
    const { depends_on } = node;
    if (depends_on === undefined || depends_on.length === 0) continue;
    for (const id of depends_on.length === 1 ? depends_on : new Set(depends_on)) {
      const to = index.get(id);
      if (to !== undefined) edges.push({ from, to, why: 'explicit' });
      else if (!missing.get(node.id)?.push(id)) missing.set(node.id, [id]);
    }
  }
  return { edges, missing };
}

function childEdges(tree: Tree, index: ReadonlyMap<string, number>): Edge[] {
  const edges: Edge[] = [];
  for (const id of tree.preOrder) {
    const from = index.get(id)!;
    for (const child of tree.children(id)) edges.push({ from, to: index.get(child)!, why: 'child' });
  }
  return edges;
}

/** The members of components that are more than one task, or a task that waits for itself. */
function knots(components: Components, written: readonly NumberedEdge[]): Set<number> {
  const knotted = new Set<number>();
  for (const at of components.order) if (components.sizes[components.of[at]!]! > 1) knotted.add(at);
  for (const { from, to } of written) if (from === to) knotted.add(from);
  return knotted;
}

function adjacency(ids: readonly string[], index: ReadonlyMap<string, number>, edges: readonly Edge[]) {
  const outgoing = new Map<number, Dependency[]>();
  const incoming = new Map<number, Dependency[]>();
  const seen = new Map<number, Set<string>>();
  for (const edge of edges) {
    const { from, to, why, file } = edge;
    if (why === 'child') continue;
    if (why === 'file' && isRepeated(seen, outgoing.get(from) ?? none, edge, ids[to]!)) continue;
    const there: Dependency = file === undefined ? { id: ids[to]!, why } : { id: ids[to]!, why, file };
    const back: Dependency = file === undefined ? { id: ids[from]!, why } : { id: ids[from]!, why, file };
    if (!outgoing.get(from)?.push(there)) outgoing.set(from, [there]);
    if (!incoming.get(to)?.push(back)) incoming.set(to, [back]);
  }
  return {
    dependencies: (id: string) => outgoing.get(index.get(id) ?? -1) ?? none,
    dependents: (id: string) => incoming.get(index.get(id) ?? -1) ?? none,
  };
}

const none: readonly never[] = [];

/** A file may say what is written, or what another file says. Written dependencies come first, each once. */
function isRepeated(
  seen: Map<number, Set<string>>,
  known: readonly Dependency[],
  { from }: Edge,
  id: string,
) {
  const ids = seen.get(from) ?? new Set(known.map((one) => one.id));
  seen.set(from, ids);
  if (ids.has(id)) return true;
  ids.add(id);
  return false;
}

function knotsLast(order: readonly number[], waits: readonly NumberedEdge[], knotted: ReadonlySet<number>) {
  if (knotted.size === 0) return order;
  const behind = new Set(knotted);
  const waitsFor = groupBy(waits, ({ from }) => from);
  for (const at of order) if (waitsFor.get(at)?.some(({ to }) => behind.has(to))) behind.add(at);
  return [...order.filter((at) => !behind.has(at)), ...order.filter((at) => behind.has(at))];
}
