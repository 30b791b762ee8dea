import { shorten } from '../core/text/task-line.ts';
import type { Command } from './command.ts';
import { findTask } from './find-task.ts';
import { look, openProject } from './project.ts';
import { oldestFirst } from './select.ts';
import { settleLinks } from './settle-links.ts';
import { taskCommits, writeNotes } from './task-commits.ts';

export const command: Command = {
  spec: {
    name: 'log',
    summary: 'tasks with their commits; with --commits, commits with their tasks',
    arguments: [{ name: 'id', completes: 'id' }],
    details:
      'Also rebuilds refs/notes/tasks here, so that `git log --notes=tasks` shows the tasks of each commit.',
    options: [
      { name: 'commits', type: 'flag', help: 'one line a commit of the current branch' },
      { name: 'max', type: 'number', value: '<n>', help: 'commits looked through (default 1000)' },
    ],
    examples: [
      { command: 'gza log', shows: 'task-a3f8: Refactor auth … and its commits below' },
      { command: 'gza log --commits', shows: 'abc1234 Implement JWT auth (task-a3f8)' },
    ],
  },
  run: async ({ args, options }, ports) => {
    const opened = await openProject(ports);
    const only = args[0] === undefined ? null : findTask(opened.board, args[0]).id;
    const ids = only ? [only] : [...opened.board.views.keys()];
    const project = (await settleLinks(opened, ids, ports)) ? await look(opened, ports) : opened;
    const commits = await taskCommits(project, (options['max'] as number | undefined) ?? 1000);
    await writeNotes(project, commits);
    if (options['commits']) {
      const json = commits.map(({ id, subject, tasks }) => ({ commit: id, subject, tasks }));
      const lines = commits.map(
        ({ id, subject, tasks }) =>
          `${id.slice(0, 7)} ${shorten(subject, 72)}${tasks.length > 0 ? ` (${tasks.join(', ')})` : ''}`,
      );
      return { json, text: lines.join('\n') || 'No commits.' };
    }
    const views = oldestFirst(project.board).filter((view) => (only ? view.id === only : true));
    const json = views.map((view) => ({
      id: view.id,
      title: view.task.title,
      status: view.status,
      commits: commits
        .filter(({ tasks }) => tasks.includes(view.id))
        .map(({ id, subject }) => ({ commit: id, subject })),
    }));
    const linked = only ? json : json.filter((one) => one.commits.length > 0);
    const lines = linked.flatMap((one) => [
      `${one.id}: ${shorten(one.title, 80)} (${one.status})`,
      ...one.commits.map(({ commit, subject }) => `  ${commit.slice(0, 7)} ${shorten(subject, 72)}`),
    ]);
    return { json, text: lines.join('\n') || 'No task has commits yet.' };
  },
};
