import { isOver } from '../policy/next-step.ts';
import type { Board, TaskView } from './board.ts';
import { longestChains, readyOrder } from './ready-order.ts';

/** First to start first. */
export function inOrder(views: readonly TaskView[], board: Board): TaskView[] {
  const chains = longestChains(board.graph, (id) => !isOver(board.views.get(id)));
  const viewOf = (id: string) => board.views.get(id) as TaskView;
  const sorted = readyOrder(
    views.map(({ id }) => id),
    {
      milestones: board.milestones,
      of: (id) => {
        const { task, position } = viewOf(id);
        return {
          priority: task.priority,
          milestone: task.milestone,
          chain: chains.get(id) ?? 0,
          age: position,
        };
      },
    },
  );
  return sorted.map(viewOf);
}

export function oldestFirst(board: Board): TaskView[] {
  return [...board.views.values()].sort((a, b) => a.position - b.position);
}
