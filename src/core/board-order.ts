/** Tasks of a board, first to start first. */
import type { Board, TaskView } from './board.ts';
import { isOver } from './next-step.ts';
import { longestChains, readyOrder } from './ready-order.ts';

export function inOrder(views: readonly TaskView[], board: Board): TaskView[] {
  const byId = new Map(views.map((view) => [view.id, view]));
  const chains = longestChains(board.graph, (id) => !isOver(board.views.get(id)));
  const sorted = readyOrder([...byId.keys()], {
    milestones: board.milestones,
    of: (id) => {
      const view = byId.get(id) as TaskView;
      const { priority, milestone } = view.task;
      return { priority, milestone, chain: chains.get(id) ?? 0, age: view.position };
    },
  });
  return sorted.map((id) => byId.get(id) as TaskView);
}
