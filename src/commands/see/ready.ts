import type { Command, Invocation, Outcome, Ports } from '../../app/command.ts';
import { begunInVain, readinessIn } from '../../app/facts/facts.ts';
import { type Holds, stateOf } from '../../app/kept-answer.ts';
import {
  elsewhereFrom,
  loadProject,
  loadProjectFrom,
  type OpenedProject,
  openProject,
  type Project,
  refuseAgents,
  unreadFiles,
  warnUnread,
} from '../../app/project.ts';
import { findTask, putFirst, stampOf } from '../../app/tasks/change-task.ts';
import { type Board, inOrder, isLeaf, type TaskView } from '../../core/board/board.ts';
import { configMistakes } from '../../core/config/config.ts';
import { GzaError } from '../../core/errors.ts';
import type { Readiness } from '../../core/policy/readiness.ts';
import { isOver } from '../../core/policy/steps-so-far.ts';
import { taskRow } from '../../core/task/task-json.ts';
import { nextText, readyText } from '../../core/text/terminal/lists.ts';
import type { Look } from '../../ledger/git-ledger.ts';
import { isHealthy } from '../../ledger/heal.ts';
import { filterOptions, selectViews } from '../select.ts';

export const ready: Command = {
  spec: {
    name: 'ready',
    summary: 'pending tasks that nothing blocks, first to run first',
    arguments: [],
    details: 'In order of priority, milestone, longest remaining chain, age.',
    options: [{ name: 'max', type: 'number', value: '<n>', help: 'at most n tasks' }, ...filterOptions],
    examples: [{ command: 'gza ready --json | head', shows: 'the next tasks for a script' }],
  },
  run: (invocation, ports) => answer(ports, (...about) => readyTasks(invocation, ...about)),
};

/** Ready tasks in the order in which the next run picks them. */
function readyInOrder(views: readonly TaskView[], board: Board, { isReady, isHolders }: Readiness) {
  const ordered = inOrder(views.filter(isReady), board);
  return [...ordered.filter((view) => !isHolders(view)), ...ordered.filter(isHolders)];
}

function readyTasks(invocation: Invocation, project: Project, readiness: Readiness): Outcome {
  const { board } = project;
  const views = selectViews(board, invocation);
  const max = (invocation.options['max'] as number | undefined) ?? Number.POSITIVE_INFINITY;
  const first = readyInOrder(views, board, readiness).slice(0, max);
  const blocked = views.filter((view) => view.status === 'blocked' && isLeaf(view));
  const waiting = views.flatMap((view) => readiness.waits(view) ?? []);
  return { json: first.map(taskRow), text: readyText(first, blocked, waiting, elsewhereFrom(project)) };
}

export const next: Command = {
  spec: {
    name: 'next',
    summary: 'runnable tasks in order, and how many are blocked',
    arguments: [],
    options: [
      { name: 'all', type: 'flag', help: 'also blocked ones, oldest first' },
      {
        name: 'first',
        type: 'text',
        value: '<task>',
        help: 'put this task, or its subtasks, before all others',
      },
      ...filterOptions,
    ],
    examples: [
      { command: 'gza next --all', shows: 'all pending tasks, with what blocks them' },
      { command: 'gza next --first task-a3f8', shows: 'task-a3f8 before all others, critical ones too' },
    ],
  },
  run: async (invocation, ports) => {
    const { first, ...options } = invocation.options;
    if (first === undefined) return answer(ports, (...about) => nextTasks(invocation, ...about));
    refuseAgents('next --first', ports);
    const before = await loadProject(ports);
    const view = findTask(before.board, String(first));
    if (isOver(view))
      throw new GzaError('input', `${view.id} is ${view.status}, so there is nothing of it to put first`, {
        hint: `gza reopen ${view.id}`,
      });
    await putFirst(before, view.id, stampOf(ports));
    const project = await loadProject(ports, before);
    return nextTasks({ ...invocation, options }, project, await readinessIn(project));
  },
};

function nextTasks(invocation: Invocation, { board }: Project, readiness: Readiness): Outcome {
  const views = selectViews(board, invocation).filter(isLeaf);
  const blocked = views.filter((view) => view.status === 'blocked');
  const waiting = views.flatMap((view) => readiness.waits(view) ?? []);
  const all = invocation.options['all'] === true;
  const shown = all
    ? views.filter((view) => view.status === 'pending' || view.status === 'blocked')
    : readyInOrder(views, board, readiness);
  return { json: shown.map(taskRow), text: nextText(shown, blocked.length, waiting, all) };
}

/** Stores the answer (see kept-answer.ts) unless something is wrong or a branch had to be read. */
async function answer(
  ports: Ports,
  question: (project: Project, readiness: Readiness) => Outcome,
): Promise<Outcome> {
  const opened = await openProject(ports);
  warnUnread(opened, ports);
  const look = await opened.ledger.look();
  const project = await loadProjectFrom(look.view, opened, ports);
  const outcome = question(project, await readinessIn(project));
  const holds = begunInVain(project).length > 0 ? null : await holdsOf(opened, look, project);
  return holds ? { ...outcome, holds } : outcome;
}

/** Null when something is wrong, so that it is checked and reported every time. */
async function holdsOf(
  { repository, read }: OpenedProject,
  { view, refs }: Look,
  project: Project,
): Promise<Holds | null> {
  if (configMistakes(read.problems).length + unreadFiles(read).length > 0) return null;
  if (view.problems.length > 0 || !isHealthy(refs) || repository.workTree === null) return null;
  return {
    repository,
    state: stateOf(repository, read, refs),
    until: await nextChange(project),
  };
}

/**
 * The next time at which the answer may change: a claim or a limit ends, a delayed task may start, or a new
 * budget day begins.
 */
async function nextChange({ board, view, config }: Project): Promise<string | null> {
  const { now } = board;
  const limits = Object.values((await view.meta(view.base))?.not_before ?? {});
  const putOff = [...board.views.values()].flatMap(({ record }) => record?.not_before ?? []);
  const day = config.budget.day === undefined ? [] : [`${now.slice(0, 10)}T24:00:00Z`];
  const times = [...board.claims.map(({ until }) => until), ...limits, ...putOff, ...day];
  const later = times.filter((time) => time > now);
  return later.length === 0 ? null : later.reduce((a, b) => (a < b ? a : b));
}
