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
  const nodes = withoutRepeats(given);
  const ids = nodes.map((node) => node.id);
  const index = new Map(ids.map((id, at) => [id, at]));
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
    missing: (id) => missing.get(id) ?? [],
    inCycle: (id) => index.has(id) && open(index.get(id)!) && knotted.has(index.get(id)!),
    cycles: findCycles(ids, components.of, binding, [...knotted].filter(open)),
    warnings: [...found.warnings, ...dropped.map((edge) => droppedWarning(ids, edge))],
    order: knotsLast(components.order, waits, knotted).map((at) => ids[at]!),
  };
}

function withoutRepeats(nodes: readonly GraphNode[]): GraphNode[] {
  const byId = new Map<string, GraphNode>();
  for (const node of nodes) if (!byId.has(node.id)) byId.set(node.id, node);
  return [...byId.values()];
}

function explicitEdges(nodes: readonly GraphNode[], index: ReadonlyMap<string, number>) {
  const edges: Edge[] = [];
  const missing = new Map<string, string[]>();
  for (const [from, node] of nodes.entries()) {
    for (const id of new Set(node.depends_on)) {
      const to = index.get(id);
      if (to !== undefined) edges.push({ from, to, why: 'explicit' });
      else if (!missing.get(node.id)?.push(id)) missing.set(node.id, [id]);
    }
  }
  return { edges, missing };
}

function childEdges(tree: Tree, index: ReadonlyMap<string, number>): Edge[] {
  return tree.preOrder.flatMap((id) =>
    tree.children(id).map((child): Edge => ({ from: index.get(id)!, to: index.get(child)!, why: 'child' })),
  );
}

/** The members of components that are more than one task, or a task that waits for itself. */
function knots(components: Components, written: readonly NumberedEdge[]): Set<number> {
  const knotted = new Set<number>();
  for (const at of components.order) if (components.sizes[components.of[at]!]! > 1) knotted.add(at);
  for (const { from, to } of written) if (from === to) knotted.add(from);
  return knotted;
}

function adjacency(ids: readonly string[], index: ReadonlyMap<string, number>, edges: readonly Edge[]) {
  const outgoing: Dependency[][] = ids.map(() => []);
  const incoming: Dependency[][] = ids.map(() => []);
  const last = new Map<number, Set<number>>();
  for (const { from, to, why, file } of edges) {
    if (why === 'child') continue;
    const seen = last.get(from) ?? new Set();
    if (seen.has(to)) continue;
    last.set(from, seen.add(to));
    const about = file === undefined ? { why } : { why, file };
    outgoing[from]!.push({ id: ids[to]!, ...about });
    incoming[to]!.push({ id: ids[from]!, ...about });
  }
  return {
    dependencies: (id: string) => outgoing[index.get(id) ?? -1] ?? [],
    dependents: (id: string) => incoming[index.get(id) ?? -1] ?? [],
  };
}

function knotsLast(order: readonly number[], waits: readonly NumberedEdge[], knotted: ReadonlySet<number>) {
  if (knotted.size === 0) return order;
  const behind = new Set(knotted);
  const waitsFor = groupBy(waits, ({ from }) => from);
  for (const at of order) if (waitsFor.get(at)?.some(({ to }) => behind.has(to))) behind.add(at);
  return [...order.filter((at) => !behind.has(at)), ...order.filter((at) => behind.has(at))];
}
