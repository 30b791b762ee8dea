/**
 * Tasks and their subtasks. Siblings stand in the order given. A parent is complete when its children are, so
 * only leaves are ever worked on, and "where am I" is the first open leaf in PRE-ORDER: the order of the
 * printed list, not the shallowest leaf.
 */
import { naturalCompare } from '../natural-compare.ts';

export interface TreeNode {
  readonly id: string;
  readonly parent?: string | undefined;
}

export interface Tree {
  /** True when no task has a parent. */
  readonly isFlat: boolean;
  /** Every task before its children, subtree by subtree. */
  readonly preOrder: readonly string[];
  children(id: string): readonly string[];
  /** Undefined for a root, also when its parent is not among the tasks given. */
  parent(id: string): string | undefined;
  /** Whether `above` is an ancestor of `id`; not of itself. */
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

/** Most backlogs have no subtasks: everything is a root, and a large board is made in half the time. */
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

/** A loop is cut above its smallest id, so that the order of the tasks does not matter. */
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

/** The first open leaf in pre-order; undefined when all is done. */
export function currentPosition(tree: Tree, isOpen: (id: string) => boolean): string | undefined {
  return tree.preOrder.find((id) => tree.children(id).length === 0 && isOpen(id));
}
