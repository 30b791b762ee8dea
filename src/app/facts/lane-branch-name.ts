import type { TaskView } from '../../core/board/board.ts';
import type { Project } from '../project.ts';

/** The branch a task works on: its own, its dependency's with same_branch, or `gza/<id>`; fixed at the first claim. */
export function laneBranch(project: Pick<Project, 'board' | 'config' | 'view'>, view: TaskView): string {
  let at: TaskView = view;
  for (let steps = 0; steps < 1000; steps += 1) {
    const lane = at.record?.lane;
    if (lane && !lane.folded_at) return lane.branch;
    if (at.branch !== null && at.branch !== project.view.base) return at.branch;
    if (at.task.branch !== undefined) return at.task.branch;
    // A review or an improve is about the work of the task it depends on.
    const follows = at.task.same_branch || at.task.type === 'review' || at.task.type === 'improve';
    const before: TaskView | undefined = follows
      ? project.board.views.get(at.task.depends_on?.[0] ?? '')
      : undefined;
    // A merged or closed lane is not gone on with: the task begins on a branch of its own.
    if (!before || before.record?.merged_at || before.record?.lane?.folded_at) break;
    at = before;
  }
  return `${project.config.branch_prefix}${at.id}`;
}
