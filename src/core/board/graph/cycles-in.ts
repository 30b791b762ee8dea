/**
 * Every node that lies on a cycle, with one cycle through its knot, first node repeated at the end. Links to
 * unknown nodes and to itself do not count. Nodes that nothing leads back to are peeled off first; mostly
 * nothing is left. What is left is taken apart into strongly connected components, without recursion.
 */
export function cyclesIn<Node>(
  graph: ReadonlyMap<string, Node>,
  linksOf: (node: Node) => readonly string[] | undefined,
): Map<string, readonly string[]> {
  const left = peel(graph, linksOf);
  const result = new Map<string, readonly string[]>();
  for (const members of components(left)) {
    if (members.length < 2) continue;
    const cycle = cycleThrough(members, left);
    for (const id of members) result.set(id, cycle);
  }
  return result;
}

/** Without the nodes that have no links, again and again. In numbers: this runs before every pick. */
function peel<Node>(
  graph: ReadonlyMap<string, Node>,
  linksOf: (node: Node) => readonly string[] | undefined,
): Map<string, string[]> {
  const index = new Map<string, number>();
  for (const id of graph.keys()) index.set(id, index.size);
  const from: number[] = [];
  const to: number[] = [];
  let at = 0;
  for (const node of graph.values()) {
    for (const id of linksOf(node) ?? []) {
      const target = index.get(id);
      if (target === undefined || target === at) continue;
      from.push(at);
      to.push(target);
    }
    at++;
  }
  const isOpen = openNodes(graph.size, from, to);
  const left = new Map<string, string[]>();
  if (!isOpen.includes(1)) return left;
  const ids = [...graph.keys()];
  for (let link = 0; link < from.length; link++) {
    if (!isOpen[from[link]!] || !isOpen[to[link]!]) continue;
    const id = ids[from[link]!]!;
    const links = left.get(id);
    if (links) links.push(ids[to[link]!]!);
    else left.set(id, [ids[to[link]!]!]);
  }
  return left;
}

/** 1 for each node from which some cycle can be reached. */
function openNodes(size: number, from: readonly number[], to: readonly number[]): Uint8Array {
  const isOpen = new Uint8Array(size);
  if (from.length === 0) return isOpen;
  const links = new Int32Array(size);
  const ends = new Int32Array(size + 1);
  for (let link = 0; link < from.length; link++) {
    links[from[link]!]!++;
    ends[to[link]! + 1]!++;
  }
  for (let node = 0; node < size; node++) ends[node + 1]! += ends[node]!;
  const fill = ends.slice();
  const sources = new Int32Array(from.length);
  for (let link = 0; link < from.length; link++) sources[fill[to[link]!]!++] = from[link]!;
  const free: number[] = [];
  for (let node = 0; node < size; node++) if (links[node] === 0) free.push(node);
  for (const node of free) {
    for (let at = ends[node]!; at < ends[node + 1]!; at++)
      if (--links[sources[at]!]! === 0) free.push(sources[at]!);
  }
  for (let node = 0; node < size; node++) isOpen[node] = links[node]! > 0 ? 1 : 0;
  return isOpen;
}

/** Tarjan's strongly connected components. */
function components(links: ReadonlyMap<string, readonly string[]>): string[][] {
  const found = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const result: string[][] = [];
  const enter = (id: string) => {
    low.set(id, found.size);
    found.set(id, found.size);
    stack.push(id);
    onStack.add(id);
    return { id, next: 0 };
  };
  const lower = (id: string, to: number) => low.set(id, Math.min(low.get(id)!, to));
  for (const start of links.keys()) {
    if (found.has(start)) continue;
    const work = [enter(start)];
    while (work.length > 0) {
      const top = work.at(-1)!;
      const to = links.get(top.id)![top.next++];
      if (to !== undefined) {
        if (!found.has(to)) work.push(enter(to));
        else if (onStack.has(to)) lower(top.id, found.get(to)!);
        continue;
      }
      work.pop();
      const above = work.at(-1);
      if (above) lower(above.id, low.get(top.id)!);
      if (low.get(top.id) !== found.get(top.id)) continue;
      const members = stack.splice(stack.lastIndexOf(top.id));
      for (const id of members) onStack.delete(id);
      result.push(members);
    }
  }
  return result;
}

function cycleThrough(members: readonly string[], links: ReadonlyMap<string, readonly string[]>): string[] {
  const inside = new Set(members);
  let at = members.reduce((first, id) => (id < first ? id : first));
  const index = new Map<string, number>();
  const path: string[] = [];
  while (!index.has(at)) {
    index.set(at, path.length);
    path.push(at);
    // Inside a component every node has a link that stays in it.
    at = links.get(at)!.find((to) => inside.has(to))!;
  }
  return [...path.slice(index.get(at)), at];
}
