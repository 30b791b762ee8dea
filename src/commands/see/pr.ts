import type { Command } from '../../app/command.ts';
import { homeBranch, loadProject } from '../../app/project.ts';
import { settleLinks } from '../../app/tasks/settle-links.ts';
import { taskRow } from '../../core/task/task-json.ts';
import { pullRequestTasks } from '../../core/text/github/pull-request-tasks.ts';
import { filterOptions, selectViews } from '../select.ts';

export const command: Command = {
  spec: {
    name: 'pr',
    summary: 'the task list as Markdown, for a pull request',
    arguments: [],
    details: 'The tasks of the current branch, or of what the filters select.',
    options: filterOptions,
    examples: [{ command: 'gza pr | gh pr create --body-file -', shows: 'the list in a new pull request' }],
  },
  run: async (invocation, ports) => {
    const opened = await loadProject(ports);
    const all = [...opened.board.views.keys()];
    const project = await settleLinks(opened, all, ports);
    const filtered = filterOptions.some((option) => invocation.options[option.name] !== undefined);
    const branch = homeBranch(project.repository, project.view);
    const views = selectViews(project.board, invocation).filter(
      (view) => filtered || belongs(view, branch, project.view.base),
    );
    return { json: views.map(taskRow), text: pullRequestTasks(views, project.board) };
  },
};

function belongs(
  view: { branch: string | null; record: { lane?: { branch: string } } | null },
  branch: string,
  base: string,
): boolean {
  return branch === base
    ? view.record !== null && view.branch === base
    : view.record?.lane?.branch === branch;
}
