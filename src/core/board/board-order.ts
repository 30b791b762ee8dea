/** Which of the ready tasks goes first: a review that gza filed, then priority, milestone, longest remaining chain, age, id. */
import { naturalCompare } from '../natural-compare.ts';
import { isOver } from '../policy/next-step.ts';
import { milestoneOrder } from '../task/milestones.ts';
import { priorities } from '../task/task.ts';
import type { Board, TaskView } from './board.ts';
import type { Graph } from './graph.ts';

/** First to start first. */
export function inOrder(views: readonly TaskView[], board: Board): TaskView[] {
  const chains = longestChains(board.graph, (id) => !isOver(board.views.get(id)));
  const places = milestoneOrder(
    board.milestones,
    views.map(({ task }) => task.milestone),
  );
  const all = views.map((view) => ({
    view,
    // What gza filed to judge work that has just been done: at once, while its head is still the lane's.
    isReview: view.task.type === 'review' && view.record?.created_by === 'gza',
    rank: priorities.indexOf(view.task.priority ?? 'medium'),
    place: places.get(view.task.milestone ?? '') ?? places.size,
    chain: chains.get(view.id) ?? 0,
  }));
  all.sort(
    (a, b) =>
      Number(b.isReview) - Number(a.isReview) ||
      a.rank - b.rank ||
      a.place - b.place ||
      b.chain - a.chain ||
      a.view.position - b.view.position ||
      naturalCompare(a.view.id, b.view.id),
  );
  return all.map(({ view }) => view);
}

export function oldestFirst(board: Board): TaskView[] {
  return [...board.views.values()].sort((a, b) => a.position - b.position);
}

/**
 * For every task the number of open tasks on the longest way up from it through dependents. A parent counts
 * nothing itself but what waits for it waits for its children. Members of a cycle count 0: nobody knows when
 * they go on.
 */
export function longestChains(
  graph: Graph,
  isOpen: (id: string) => boolean,
): Pick<ReadonlyMap<string, number>, 'get'> {
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
