/** Which of the ready tasks goes first: priority, milestone, longest remaining chain, age, id. */

import { naturalCompare } from '../natural-compare.ts';
import { milestoneOrder } from '../task/milestones.ts';
import { type Priority, priorities } from '../task/task.ts';
import type { Graph } from './graph/graph.ts';

export interface OrderFact {
  readonly priority?: Priority | undefined;
  readonly milestone?: string | undefined;
  /** Length of the longest chain of unfinished tasks that wait for it. */
  readonly chain: number;
  /** Its place in time: lower is older. */
  readonly age: number;
}

export interface OrderFacts {
  /** Ids of the configured milestones, in their order. */
  readonly milestones: readonly string[];
  of(id: string): OrderFact;
}

/** The ids, first to start first. */
export function readyOrder(ids: readonly string[], facts: OrderFacts): string[] {
  const found = ids.map((id) => facts.of(id));
  const places = milestoneOrder(
    facts.milestones,
    found.map((fact) => fact.milestone),
  );
  const place = ({ milestone }: OrderFact) =>
    milestone === undefined ? places.size : (places.get(milestone) ?? places.size);
  const all = found.map((fact, at) => ({
    id: ids[at]!,
    rank: rank(fact),
    place: place(fact),
    chain: fact.chain,
    age: fact.age,
  }));
  all.sort(
    (a, b) =>
      a.rank - b.rank ||
      a.place - b.place ||
      b.chain - a.chain ||
      a.age - b.age ||
      naturalCompare(a.id, b.id),
  );
  return all.map(({ id }) => id);
}

function rank({ priority }: OrderFact): number {
  return priorities.indexOf(priority ?? 'medium');
}

export type Chains = Pick<ReadonlyMap<string, number>, 'get'>;

/**
 * For every task the number of open tasks on the longest way up from it through dependents. A parent counts
 * nothing itself but what waits for it waits for its children. Members of a cycle count 0: nobody knows when
 * they go on.
 */
export function longestChains(graph: Graph, isOpen: (id: string) => boolean): Chains {
  const { tree, numbered } = graph;
  const { ids, order } = numbered;
  const lengths = new Int32Array(ids.length);
  /** What a task adds to the chain of what it waits for; -1 when it is over. */
  const own = Int8Array.from(ids, (id) => (isOpen(id) ? (tree.children(id).length === 0 ? 1 : 0) : -1));
  for (let n = order.length - 1; n >= 0; n--) {
    const at = order[n]!;
    const id = ids[at]!;
    const parent = tree.parent(id);
    const above = parent === undefined ? undefined : numbered.at(parent);
    let chain = above !== undefined && own[above]! >= 0 ? lengths[above]! : 0;
    numbered.eachDependent(at, (dependent) => {
      if (own[dependent]! >= 0) chain = Math.max(chain, own[dependent]! + lengths[dependent]!);
    });
    lengths[at] = graph.inCycle(id) ? 0 : chain;
  }
  return { get: (id) => lengths[numbered.at(id) ?? -1] };
}
