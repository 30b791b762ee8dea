/** `pr`: the task list that goes into a pull request's description. */
import { type Board, isDone, type TaskView } from '../../board/board.ts';
import { unapprovedText } from '../terminal/lines.ts';
import { neutraliseMarkdown } from './inline-text.ts';

const edgesMax = 200;

export function pullRequestTasks(views: readonly TaskView[], board: Board): string {
  if (views.length === 0) return '## Tasks\n\nNo tasks.';
  const lines = ['## Tasks', '', ...views.map(checkbox)];
  const edges = graphEdges(views, board);
  if (edges.length > 0) {
    const more = edges.length > edgesMax ? [`(and ${edges.length - edgesMax} more)`] : [];
    // Two spaces at the end keep each edge on its own line in rendered Markdown.
    lines.push('', '### Dependency Graph', [...edges.slice(0, edgesMax), ...more].join('  \n'));
  }
  return lines.join('\n');
}

function checkbox(view: TaskView): string {
  if (view.record?.closed_as === 'dropped')
    return `- ~~${view.id}: ${neutraliseMarkdown(view.task.title)}~~ (dropped)`;
  const commit = view.record?.closed_commit ? ` (${view.record.closed_commit.slice(0, 7)})` : '';
  const skipped = view.status === 'skipped' ? ` (${view.record?.closed_as ?? 'skipped'})` : '';
  return `- [${isDone(view) ? 'x' : ' '}] ${view.id}: ${neutraliseMarkdown(view.task.title)}${commit}${skipped}${unapprovedText(view)}`;
}

function graphEdges(views: readonly TaskView[], board: Board): string[] {
  return views.flatMap((view) =>
    board.graph.dependencies(view.id).map(({ id }) => {
      const state =
        view.status === 'blocked' && view.blockers.some((one) => one.id === id) ? ' (blocked)' : '';
      return `${id} → ${view.id}${state}`;
    }),
  );
}
