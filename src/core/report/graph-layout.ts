/**
 * Lays out a dependency graph: one column for each depth, with dependencies to the left. A few sweeps order
 * each column by the positions of its neighbours. A column that is too tall is broken into several, and nodes
 * without edges go into a block below.
 */
export interface LayoutEdge {
  /** Index of the dependency. */
  readonly from: number;
  /** Index of the task that waits for it. */
  readonly to: number;
}

export interface Placed {
  readonly column: number;
  readonly row: number;
}

const rowsMax = 24;
const sweeps = 6;

/** Ignores edges that close a circle. */
export function layoutGraph(count: number, edges: readonly LayoutEdge[]): Placed[] {
  const tied = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const depth = depths(count, edges);
  const layers: number[][] = [];
  for (let node = 0; node < count; node += 1) {
    if (tied.has(node)) (layers[depth[node] as number] ??= []).push(node);
  }
  orderLayers(layers, neighbours(count, edges));
  const places = placeLayers(count, layers);
  placeLoose(places, count, tied, layers);
  return places;
}

/** The depth of each node: the length of the longest path from a node without dependencies. */
function depths(count: number, edges: readonly LayoutEdge[]): number[] {
  const waits = Array.from({ length: count }, () => 0);
  const next: number[][] = Array.from({ length: count }, () => []);
  for (const { from, to } of edges) {
    if (from === to) continue;
    waits[to] = (waits[to] as number) + 1;
    next[from]?.push(to);
  }
  const depth = Array.from({ length: count }, () => 0);
  const queue = waits.flatMap((left, node) => (left === 0 ? [node] : []));
  for (const node of queue) {
    for (const to of next[node] as number[]) {
      depth[to] = Math.max(depth[to] as number, (depth[node] as number) + 1);
      waits[to] = (waits[to] as number) - 1;
      if (waits[to] === 0) queue.push(to);
    }
  }
  return depth;
}

function neighbours(count: number, edges: readonly LayoutEdge[]): { before: number[]; after: number[] }[] {
  const all = Array.from({ length: count }, () => ({ before: [] as number[], after: [] as number[] }));
  for (const { from, to } of edges) {
    all[from]?.after.push(to);
    all[to]?.before.push(from);
  }
  return all;
}

function orderLayers(
  layers: number[][],
  near: readonly { readonly before: number[]; readonly after: number[] }[],
): void {
  const at = new Map<number, number>();
  const note = (layer: readonly number[]) => {
    for (const [place, node] of layer.entries()) at.set(node, place / layer.length);
  };
  for (const layer of layers) note(layer);
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    const forth = sweep % 2 === 0;
    for (const layer of forth ? layers : layers.toReversed()) {
      const weight = new Map(
        layer.map((node) => [node, mean(forth ? near[node]!.before : near[node]!.after, at, node)]),
      );
      layer.sort((a, b) => (weight.get(a) as number) - (weight.get(b) as number) || a - b);
      note(layer);
    }
  }
}

function mean(nodes: readonly number[], at: ReadonlyMap<number, number>, own: number): number {
  if (nodes.length === 0) return at.get(own) as number;
  return nodes.reduce((sum, node) => sum + (at.get(node) as number), 0) / nodes.length;
}

function placeLayers(count: number, layers: readonly (readonly number[])[]): Placed[] {
  const places: Placed[] = Array.from({ length: count }, () => ({ column: 0, row: 0 }));
  const tallest = Math.min(rowsMax, Math.max(0, ...layers.map((layer) => layer.length)));
  let column = 0;
  for (const layer of layers) {
    const columns = Math.max(1, Math.ceil(layer.length / rowsMax));
    const rows = Math.ceil(layer.length / columns);
    const top = Math.floor((tallest - rows) / 2);
    for (const [at, node] of layer.entries()) {
      places[node] = { column: column + Math.floor(at / rows), row: top + (at % rows) };
    }
    column += columns;
  }
  return places;
}

const looseColumnsMin = 6;

function placeLoose(
  places: Placed[],
  count: number,
  tied: ReadonlySet<number>,
  layers: readonly unknown[][],
): void {
  const loose = Array.from({ length: count }, (_, node) => node).filter((node) => !tied.has(node));
  const below = tied.size === 0 ? 0 : Math.max(...[...tied].map((node) => places[node]!.row)) + 2;
  const columns = Math.max(looseColumnsMin, layers.length, Math.ceil(Math.sqrt(loose.length / 3)));
  for (const [at, node] of loose.entries()) {
    places[node] = { column: at % columns, row: below + Math.floor(at / columns) };
  }
}
