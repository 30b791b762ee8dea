import type { Command, Outcome } from '../../app/command.ts';
import { homeBranch, loadProject, type Project } from '../../app/project.ts';
import { findTask } from '../../app/tasks/find-task.ts';
import { settleLinks } from '../../app/tasks/settle-links.ts';
import { commitsMax, type TaskCommit, taskCommits, writeNotes } from '../../app/tasks/task-commits.ts';
import { oldestFirst } from '../../core/board/board-order.ts';
import { taskRow } from '../../core/task/task-json.ts';
import { pullRequestTasks } from '../../core/text/github/pull-request-tasks.ts';
import { shorten } from '../../core/text/terminal/task-line.ts';
import { filterOptions, selectViews } from '../select.ts';

export const log: Command = {
  spec: {
    name: 'log',
    summary: 'tasks with their commits; with --commits, commits with their tasks',
    arguments: [{ name: 'id', completes: 'id' }],
    details:
      'Also rebuilds refs/notes/tasks here, so that `git log --notes=tasks` shows the tasks of each commit.',
    options: [
      { name: 'commits', type: 'flag', help: 'one line a commit of the current branch' },
      { name: 'max', type: 'number', value: '<n>', help: `commits looked through (default ${commitsMax})` },
    ],
    examples: [
      { command: 'gza log', shows: 'task-a3f8: Refactor auth … and its commits below' },
      { command: 'gza log --commits', shows: 'abc1234 Implement JWT auth (task-a3f8)' },
    ],
  },
  run: async ({ args, options }, ports) => {
    const opened = await loadProject(ports);
    const only = args[0] === undefined ? null : findTask(opened.board, args[0]).id;
    const ids = only ? [only] : [...opened.board.views.keys()];
    const project = await settleLinks(opened, ids, ports);
    const max = (options['max'] as number | undefined) ?? commitsMax;
    const commits = await taskCommits(project, { max });
    await writeNotes(project, commits);
    if (!options['commits']) return tasksWithCommits(project, commits, only);
    const here = await taskCommits(project, { max, everywhere: false });
    return commitsWithTasks(only ? here.filter(({ tasks }) => tasks.includes(only)) : here);
  },
};

function commitsWithTasks(commits: readonly TaskCommit[]): Outcome {
  const json = commits.map(({ id, subject, tasks }) => ({ commit: id, subject, tasks }));
  const lines = commits.map(({ id, subject, tasks }) => {
    const named = tasks.length > 0 ? ` (${tasks.join(', ')})` : '';
    return `${id.slice(0, 7)} ${shorten(subject, 72)}${named}`;
  });
  return { json, text: lines.join('\n') || 'No commits.' };
}

function tasksWithCommits(project: Project, commits: readonly TaskCommit[], only: string | null): Outcome {
  const byTask = new Map<string, { commit: string; subject: string }[]>();
  for (const { id, subject, tasks } of commits) {
    for (const task of tasks) byTask.set(task, [...(byTask.get(task) ?? []), { commit: id, subject }]);
  }
  const json = oldestFirst(project.board)
    .filter((view) => only === null || view.id === only)
    .map(({ id, task, status }) => ({ id, title: task.title, status, commits: byTask.get(id) ?? [] }));
  const lines = json
    .filter((one) => only !== null || one.commits.length > 0)
    .flatMap((one) => [
      `${one.id}: ${shorten(one.title, 80)} (${one.status})`,
      ...one.commits.map(({ commit, subject }) => `  ${commit.slice(0, 7)} ${shorten(subject, 72)}`),
    ]);
  return { json, text: lines.join('\n') || 'No commit of this branch belongs to a task yet.' };
}

export const pr: Command = {
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
