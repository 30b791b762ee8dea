/**
 * Dependencies and dependents of numbered tasks, in flat arrays. Objects are made only for the tasks that are
 * asked about: of ten thousand tasks that is mostly a few.
 */
import type { Dependency } from './graph.ts';
import type { NumberedEdge } from './strong-components.ts';

export interface WaitEdge extends NumberedEdge {
  readonly why: 'explicit' | 'file';
  readonly file?: string;
}

/** For every task the numbers of its edges, from `starts[task]` up to `starts[task + 1]`. */
interface Ends {
  readonly starts: Int32Array;
  readonly edges: Int32Array;
}

export interface Adjacency {
  dependencies(at: number): readonly Dependency[];
  dependents(at: number): readonly Dependency[];
  /** Calls back with the number of each dependent; of one that waits in two ways, twice. */
  eachDependent(at: number, visit: (dependent: number) => void): void;
}

export function adjacency(ids: readonly string[], edges: readonly WaitEdge[]): Adjacency {
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

const none: readonly Dependency[] = [];

/** A file may say what is written, or what another file says. Written dependencies come first, each once. */
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
