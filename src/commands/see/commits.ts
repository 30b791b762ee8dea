import type { Command, Outcome } from '../../app/command.ts';
import { homeBranch, loadProject, type Project } from '../../app/project.ts';
import { findTask, wholeView } from '../../app/tasks/change-task.ts';
import { settleLinks } from '../../app/tasks/settle-links.ts';
import { commitsMax, type TaskCommit, taskCommits, writeNotes } from '../../app/tasks/task-commits.ts';
import { oldestFirst } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import type { StepRecord } from '../../core/ledger/record/record.ts';
import { taskRow } from '../../core/task/task-json.ts';
import { pullRequestTasks } from '../../core/text/github/pull-request-tasks.ts';
import { costText, count, shorten } from '../../core/text/terminal/lines.ts';
import { printDuration } from '../../core/time.ts';
import { filterOptions, selectViews } from '../select.ts';
import { follow, transcriptText } from './transcript.ts';

export const log: Command = {
  spec: {
    name: 'log',
    summary: 'tasks with their commits; of one task also its steps, with findings and cost',
    arguments: [{ name: 'id', completes: 'id' }],
    details:
      'Also rebuilds refs/notes/tasks here, so that `git log --notes=tasks` shows the tasks of each commit.',
    options: [
      { name: 'transcript', type: 'flag', help: 'what the agents of a task printed on this machine' },
      { name: 'follow', short: 'f', type: 'flag', help: 'what its agent prints, as it comes, until it ends' },
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
    if (options['transcript'] || options['follow']) {
      if (only === null)
        throw new GzaError('usage', '--transcript and --follow are of one task', {
          hint: `gza log task-a3f8 --${options['follow'] ? 'follow' : 'transcript'}`,
        });
      if (options['follow']) await follow(opened, only, ports);
      const text = options['follow'] ? '' : await transcriptText(opened, only);
      return { json: { text }, text };
    }
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

/** For example `11/19 05:43 review 1 by claude: CHANGES_REQUESTED, 2 findings, 3 min, $0.12`. */
function stepLine(step: StepRecord): string {
  const { started_at, ended_at, cycle, agent, verdict, outcome, findings, error } = step;
  const seconds = Math.round((Date.parse(ended_at) - Date.parse(started_at)) / 1000);
  const parts = [
    verdict ?? outcome,
    findings?.length ? count(findings.length, 'finding') : '',
    verdict === undefined && outcome !== 'ok' ? shorten(error?.split('\n')[0] ?? '', 100) : '',
    printDuration(seconds),
    step.cost_usd || step.unpriced_tokens ? costText(step.cost_usd, step.unpriced_tokens) : '',
  ];
  const when = `${started_at.slice(5, 10).replace('-', '/')} ${started_at.slice(11, 16)}`;
  const who = agent ? ` by ${shorten(agent)}` : '';
  return `${when} ${step.step}${cycle ? ` ${cycle}` : ''}${who}: ${parts.filter(Boolean).join(', ')}`;
}

async function tasksWithCommits(
  project: Project,
  commits: readonly TaskCommit[],
  only: string | null,
): Promise<Outcome> {
  const steps = only === null ? [] : ((await wholeView(project, only)).record?.steps ?? []);
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
      ...steps.map((step) => `  ${stepLine(step)}`),
      ...one.commits.map(({ commit, subject }) => `  ${commit.slice(0, 7)} ${shorten(subject, 72)}`),
    ]);
  return {
    json: only === null ? json : json.map((one) => ({ ...one, steps })),
    text: lines.join('\n') || 'No commit of this branch belongs to a task yet.',
  };
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
