import type { Command, Invocation, Outcome, Ports } from '../../app/command.ts';
import { type Holds, stateOf } from '../../app/kept-answer.ts';
import { loadProjectFrom, type OpenedProject, openProject, type Project } from '../../app/project.ts';
import { unreadFiles, warnUnread } from '../../app/warnings.ts';
import { isReady } from '../../core/board/board.ts';
import { inOrder } from '../../core/board/board-order.ts';
import { configMistakes } from '../../core/config/config.ts';
import type { Claim } from '../../core/ledger/record/record.ts';
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
  run: (invocation, ports) => answer(ports, (project) => readyTasks(invocation, project)),
};

function readyTasks(invocation: Invocation, { board }: Project): Outcome {
  const views = selectViews(board, invocation);
  const max = (invocation.options['max'] as number | undefined) ?? Number.POSITIVE_INFINITY;
  const first = inOrder(views.filter(isReady), board).slice(0, max);
  const blocked = views.filter((view) => view.status === 'blocked' && view.children.length === 0);
  return { json: first.map(taskRow), text: readyText(first, blocked) };
}

export const next: Command = {
  spec: {
    name: 'next',
    summary: 'runnable tasks in order, and how many are blocked',
    arguments: [],
    options: [{ name: 'all', type: 'flag', help: 'also blocked ones, oldest first' }, ...filterOptions],
    examples: [{ command: 'gza next --all', shows: 'all pending tasks, with what blocks them' }],
  },
  run: (invocation, ports) => answer(ports, (project) => nextTasks(invocation, project)),
};

function nextTasks(invocation: Invocation, { board }: Project): Outcome {
  const views = selectViews(board, invocation).filter((view) => view.children.length === 0);
  const blocked = views.filter((view) => view.status === 'blocked');
  const all = invocation.options['all'] === true;
  const shown = all
    ? views.filter((view) => view.status === 'pending' || view.status === 'blocked')
    : inOrder(views.filter(isReady), board);
  return { json: shown.map(taskRow), text: nextText(shown, blocked.length, all) };
}

export async function answer(ports: Ports, question: (project: Project) => Outcome): Promise<Outcome> {
  const opened = await openProject(ports);
  warnUnread(opened, ports);
  const look = await opened.ledger.look();
  const project = await loadProjectFrom(look.view, opened, ports);
  const outcome = question(project);
  const holds = holdsOf(opened, look, project);
  return holds ? { ...outcome, holds } : outcome;
}

/** Null when something is wrong: it must be looked at, and told, each time. */
function holdsOf(
  { repository, read }: OpenedProject,
  { view, refs }: Look,
  { board }: Project,
): Holds | null {
  if (configMistakes(read.problems).length + unreadFiles(read).length > 0) return null;
  if (view.problems.length > 0 || !isHealthy(refs) || repository.workTree === null) return null;
  return {
    repository,
    state: stateOf(repository, read, refs),
    until: endOfNextClaim(board.claims, board.now),
  };
}

function endOfNextClaim(claims: readonly Claim[], now: string): string | null {
  const ends = claims.map(({ until }) => until).filter((until) => until > now);
  return ends.length === 0 ? null : ends.reduce((a, b) => (a < b ? a : b));
}
