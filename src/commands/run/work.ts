import type { Command, Invocation, Outcome, Ports } from '../../app/command.ts';
import { agentNames, escalationsOf, localFacts } from '../../app/facts/facts.ts';
import { loadProject, type OpenedProject, type Project, warnUnread } from '../../app/project.ts';
import { ledgerSharing, updateTrackers } from '../../app/share/share.ts';
import { findTask } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import { type Decision, decideTask } from '../../core/policy/decide.ts';
import { blockedText, shorten } from '../../core/text/terminal/lines.ts';
import { workSummary } from '../../core/text/terminal/work-summary.ts';
import { type BuildVerified, integrateLanes, verifyBuild } from '../../engine/loop/integrate.ts';
import { workLoop } from '../../engine/loop/work-loop.ts';
import {
  openToWork,
  openWork,
  type WorkPorts,
  type WorkRequest,
  type WorkResult,
  workPorts,
} from '../../engine/loop/work-run.ts';
import { openPushing, type Sharing } from '../../github/push/push-work.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { agentOptions, runChoice } from '../agent-options.ts';
import { selectViews } from '../select.ts';
import { heldBy } from '../steer/claim.ts';
import { dryRun } from './prompt.ts';

export const command: Command = {
  spec: {
    name: 'work',
    summary: 'let agents do tasks: the next ready one, those named, or all',
    forPeople: true,
    arguments: [{ name: 'task', many: true, completes: 'id' }],
    details:
      'Each task runs to the end of its loop, on a branch of its own, in a clone of its own: your files stay as they are. Ctrl-C once starts nothing new; twice stops now and saves what there is.',
    options: [
      { name: 'all', type: 'flag', help: 'until nothing is ready any more' },
      { name: 'group', type: 'text', value: '<group>', help: 'only tasks of this group' },
      { name: 'once', type: 'flag', help: 'only one task' },
      { name: 'max-tasks', type: 'number', value: '<n>', help: 'stop after n tasks' },
      { name: 'delay', type: 'number', value: '<seconds>', help: 'wait between tasks' },
      {
        name: 'parallel',
        type: 'number',
        value: '<n>',
        help: 'tasks side by side (default: parallel_workers)',
      },
      { name: 'no-wait', type: 'flag', help: 'with --all: end instead of waiting for a usage limit' },
      { name: 'dry-run', type: 'flag', help: 'print exactly what would be done' },
      { name: 'prompts', type: 'flag', help: 'with --dry-run, the prompts too' },
      { name: 'push', type: 'flag', help: 'claim on the remote, and push branches and state' },
      { name: 'integrate', type: 'flag', help: 'pick finished work onto the current branch, in order' },
      { name: 'offline', type: 'flag', help: 'claim here only, also when the remote has ledgers' },
      ...agentOptions,
    ],
    examples: [
      { command: 'gza work', shows: 'the next ready task, to the end of its loop' },
      { command: 'gza work --all --parallel 3', shows: 'the whole backlog, three at a time' },
      { command: 'gza work task-a3f8 --codex', shows: 'one task, with Codex' },
    ],
  },
  run: async (invocation, ports) => {
    const opened = await openToWork(ports);
    warnUnread(opened, ports);
    const request = await requestOf(opened, invocation, ports);
    if (invocation.options['dry-run']) {
      return dryRun(await loadProject(ports, opened), request, ports, invocation.options['prompts'] === true);
    }
    const isQuiet = invocation.options['json'] === true;
    return workOutcome(await runWork(opened, request, ports, isQuiet), ports);
  },
};

export async function requestOf(
  opened: OpenedProject,
  invocation: Invocation,
  ports: Ports,
): Promise<WorkRequest> {
  const { args, options } = invocation;
  const ids = args.length > 0 ? await namedTasks(await loadProject(ports, opened), args, ports) : null;
  const group = options['group'] as string | undefined;
  if (group) selectViews((await loadProject(ports, opened)).board, invocation);
  return {
    scope: ids ?? (options['all'] || group !== undefined ? 'all' : 'next'),
    ...(group === undefined ? {} : { group }),
    choice: runChoice(invocation),
    offline: options['offline'] === true,
    push: options['push'] === true || opened.config.push,
    noWait: options['no-wait'] === true,
    integrate: options['integrate'] === true,
  };
}

/** Throws if a named task cannot start: `Error: Task #2 is blocked by task #1 (pending)`. */
async function namedTasks(project: Project, words: readonly string[], ports: Ports): Promise<string[]> {
  const views = words.map((word) => findTask(project.board, word));
  const named = new Set(views.map(({ id }) => id));
  const facts = await localFacts(project);
  for (const view of views) {
    refuseOver(view);
    refuseAssigned(project, view);
    if (view.status === 'blocked') refuseBlocked(view, project, named);
    else refuseWaiting(decideTask(view, facts), view, named, ports);
  }
  return views.map(({ id }) => id);
}

function refuseBlocked(view: TaskView, { board }: Project, named: ReadonlySet<string>): void {
  const isLater = view.blockers.every(({ kind, id }) => kind === 'dependency' && id && named.has(id));
  // The task waits only for other named tasks, so it runs after them.
  if (isLater && view.blockers.length > 0) return;
  const [blocker] = view.blockers;
  const other = blocker?.kind === 'dependency' && blocker.id ? board.views.get(blocker.id) : undefined;
  const why = other
    ? `blocked by task #${other.id} (${other.status === 'blocked' ? 'pending' : other.status})`
    : blockedText(view);
  throw new GzaError('blocked', `Task #${view.id} is ${why}`, {
    hint: `gza why ${view.id} says what would change it.`,
    data: { id: view.id, blocked_by: view.blockers.map(({ id, kind }) => id ?? kind) },
  });
}

/** Rules that do not stop a named task: they end while the run waits, or because a person named it. */
const passing: ReadonlySet<string> = new Set([
  'person-commits',
  'lane-busy',
  'overlap',
  'workers-busy',
  'agent-limit',
  // Each run checks this again.
  'baseline-failed',
]);

function refuseWaiting(
  { rule, action, because, change }: Decision,
  view: TaskView,
  named: ReadonlySet<string>,
  ports: Ports,
): void {
  if (action.kind !== 'wait' || passing.has(rule)) return;
  if (rule === 'live-claim' && view.claim) throw heldBy(view.claim, ports);
  if (rule === 'has-children' && view.children.some((id) => named.has(id))) return;
  throw new GzaError('blocked', `Task #${view.id} waits: ${because}`, {
    hint: change,
    data: { id: view.id, rule, ...(action.until ? { until: action.until } : {}) },
  });
}

function refuseOver({ id, status, record, children }: TaskView): void {
  if (!record?.closed_at) return;
  if (record.closed_as === 'split' && children.length > 0) {
    const hint = `gza work ${children.slice(0, 5).join(' ')} works on its parts.`;
    throw new GzaError('blocked', `Task #${id} was split, and is what its parts are`, { hint });
  }
  const hint =
    status === 'failed'
      ? `gza retry ${id} tries it again, gza resume ${id} goes on at once.`
      : `gza improve ${id} "what to do" works on it further; gza reopen ${id} starts again.`;
  throw new GzaError('blocked', `Task #${id} is ${status} already`, { hint });
}

function refuseAssigned(project: Project, { id, task }: TaskView): void {
  const holder = task.assigned_agent;
  if (!holder || agentNames(project).includes(holder)) return;
  throw new GzaError('blocked', `Task #${id} is assigned to ${shorten(holder)}`, {
    hint: `gza assign ${id} "" frees it.`,
  });
}

export interface RunResult extends WorkResult {
  /** A line for each remote and tracker that was updated. */
  readonly shared: readonly string[];
  /** The result of `build_verify` and of combining the branches; null when it was not run. */
  readonly build: BuildVerified | null;
  readonly wasInterrupted: boolean;
}

export async function runWork(
  opened: OpenedProject,
  request: WorkRequest,
  ports: Ports,
  quiet: boolean,
): Promise<RunResult> {
  const workspace = await openWork(opened);
  const running = workPorts(ports, quiet);
  try {
    const { pushState, end } = await sharingOf(opened, workspace, request, running);
    const result = await workLoop(opened, workspace, request, { ...running, pushState });
    const { project, tasks, stopped } = result;
    const isWhole = stopped !== 'interrupted' && project.config.build_verify !== undefined;
    const build = request.integrate
      ? await integrateLanes(project, workspace, tasks, result.integrated, running)
      : isWhole
        ? await verifyBuild(project, workspace, tasks, running)
        : null;
    const told = request.offline ? [] : (await updateTrackers(project, running)).lines;
    const shared = [...told, ...(await end(result))];
    return { ...result, build, shared, wasInterrupted: running.wasInterrupted() };
  } finally {
    running.close();
    opened.ledger.close();
  }
}

async function sharingOf(
  opened: OpenedProject,
  { repository }: Workspace,
  { push, offline }: WorkRequest,
  ports: WorkPorts,
): Promise<Sharing> {
  const remote = 'origin';
  if (push && !offline) return openPushing(opened, repository, remote, ports);
  const pushState = offline ? async () => {} : ledgerSharing(opened, remote, ports);
  return { pushState, end: () => pushState().then(() => []) };
}

/** Whether a person must act. A task that only waits for the usual approval does not count. */
function isForPerson(view: TaskView | undefined): boolean {
  return view?.unapproved !== undefined || view?.record?.stop !== undefined;
}

export function workOutcome(result: RunResult, ports: Ports): Outcome {
  const waiting = escalationsOf(result.project).filter(({ id }) => result.tasks.includes(id));
  const json = {
    tasks: result.tasks.map((id) => ({
      id,
      status: result.project.board.views.get(id)?.status ?? 'unknown',
    })),
    steps: result.steps,
    refused: Object.fromEntries(result.refused),
    waits: Object.fromEntries(result.waits),
    next_at: result.nextAt,
    build_ok: result.build?.ok ?? null,
    waiting,
    stopped: result.stopped,
  };
  const isFailed = (id: string) => result.project.board.views.get(id)?.status === 'failed';
  const failed = result.tasks.some(isFailed) || result.refused.size > 0 || result.build?.ok === false;
  const asked = result.isBaseRed || waiting.some(({ id }) => isForPerson(result.project.board.views.get(id)));
  return {
    exit: result.wasInterrupted ? 130 : failed ? 1 : asked ? 3 : 0,
    json,
    text: [...(result.build?.lines ?? []), ...result.shared, workSummary(result, waiting, ports.style)].join(
      '\n',
    ),
  };
}
