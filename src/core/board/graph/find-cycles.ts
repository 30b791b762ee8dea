/**
 * One cycle to show for each knot of tasks: the shortest through its smallest id. All cycles of a knot can be
 * exponentially many; who breaks this one is shown the next.
 */
import { naturalCompare } from '../../natural-compare.ts';
import type { NumberedEdge } from './strong-components.ts';

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
  return [...starts.values()].map((start) => shortestCycle(start, successors).map((at) => ids[at]!));
}

function shortestCycle(start: number, successors: ReadonlyMap<number, readonly number[]>): number[] {
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (const at of queue) {
    for (const to of successors.get(at) ?? []) {
      if (to === start) return pathBack(start, at, cameFrom);
      if (cameFrom.has(to)) continue;
      cameFrom.set(to, at);
      queue.push(to);
    }
  }
  return [start];
}

function pathBack(start: number, last: number, cameFrom: ReadonlyMap<number, number>): number[] {
  const path = [start];
  for (let at = last; at !== start; at = cameFrom.get(at)!) path.push(at);
  path.push(start);
  return path.reverse();
}
