/**
 * The runner of `git tasks`: works through the ready tasks of this branch one by one, in the person's own
 * tree and with their environment. The agent itself commits and marks its task done. A task that it did not
 * finish is tried again, up to three times a run.
 */

import type { Ports } from '../../app/command.ts';
import { isAlive, readinessIn } from '../../app/facts/facts.ts';
import {
  homeBranch,
  loadProject,
  loadProjectFrom,
  type OpenedProject,
  type Project,
} from '../../app/project.ts';
import { writeToTask } from '../../app/tasks/change-task.ts';
import { inOrder, type TaskView } from '../../core/board/board.ts';
import type { Claim } from '../../core/ledger/record/record.ts';
import { branchAtHome } from '../../core/task/task-json.ts';
import { plainText } from '../../core/text/terminal/lines.ts';
import type { LedgerView } from '../../ledger/ledger.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { RunChoice } from '../engine.ts';
import { sweep } from './sweep.ts';
import { agentHere, laneHere, type TurnEnd, turnHere } from './turn-here.ts';
import type { Worked, WorkPorts } from './work-run.ts';

export interface HereChoice extends RunChoice {
  readonly allBranches: boolean;
  /** The agent gets an environment, a HOME and a git identity of its own. */
  readonly isolate: boolean;
}

export interface HereResult {
  readonly done: readonly string[];
  readonly skipped: readonly string[];
  /** For each task, what its agent asked a person. */
  readonly waiting: Readonly<Record<string, string>>;
  /** Tasks of this branch that are not closed. */
  readonly open: number;
  /** Tasks that are ready on other branches. */
  readonly elsewhere: number;
  /** The claim of another run that works in this folder. */
  readonly busy: Claim | null;
  readonly steps: readonly Worked[];
}

const failuresMax = 3;

export async function runHere(
  opened: OpenedProject,
  workspace: Workspace,
  choice: HereChoice,
  ports: WorkPorts,
): Promise<HereResult> {
  await sweep(await loadProject(ports, opened), workspace, ports);
  const run: Run = { failures: new Map(), done: [], skipped: [], waiting: {}, left: new Set() };
  const steps: Worked[] = [];
  const tried = new Set<string>();
  for (;;) {
    const project = await loadProject(ports, opened);
    const ready = await readyHere(project, choice);
    const next = ready.here.find(({ id }) => !run.skipped.includes(id) && !run.left.has(id));
    const isNew = next && !tried.has(next.id);
    const isFull = isNew && tried.size >= most(choice);
    const busy = runningHere(project);
    const over = { open: openCount(project, choice), elsewhere: ready.elsewhere, busy };
    const { done, skipped, waiting } = run;
    if (!next || isFull || busy || ports.signal.aborted) return { done, skipped, waiting, ...over, steps };
    if (tried.size > 0) await ports.sleep(choice.delaySeconds * 1000, ports.signal);
    if (ports.signal.aborted) continue;
    if (isNew) ports.say(`Running task #${next.id}: ${next.task.title}`);
    tried.add(next.id);
    ports.live(next.id, 'runs');
    const end = await turnHere({ project, view: next, workspace, choice, steps }, ports).finally(() =>
      ports.live(next.id, null),
    );
    await settle(run, project, next, end, ports);
  }
}

interface Run {
  readonly failures: Map<string, number>;
  readonly done: string[];
  readonly skipped: string[];
  readonly waiting: Record<string, string>;
  /** Tasks left to the person or agent who holds them. */
  readonly left: Set<string>;
}

async function settle(run: Run, project: Project, { id }: TaskView, end: TurnEnd, ports: WorkPorts) {
  switch (end.kind) {
    case 'done':
      run.done.push(id);
      ports.say(
        `${ports.style.green('✓')} Task #${id} completed${end.commit === null ? ' (no commit)' : ''}`,
      );
      return;
    case 'waits':
      run.waiting[id] = end.why;
      ports.say(`${ports.style.yellow('!')} Task #${id} waits for a person: ${plainText(end.why)}`);
      ports.say(`  gza unblock ${id} lets it run again`);
      return;
    case 'left':
      run.left.add(id);
      if (end.why !== '') ports.say(`– Task #${id} is left: ${end.why}`);
      return;
    case 'failed': {
      const count = (run.failures.get(id) ?? 0) + 1;
      run.failures.set(id, count);
      ports.say(`  ${end.why} (${count} of ${failuresMax})`);
      if (count < failuresMax) return;
      run.skipped.push(id);
      const text = `skipped: agent failed ${failuresMax} times`;
      await writeToTask(project, id, ports, (_record, stamp) => [{ kind: 'note', ...stamp, id, text }]);
      ports.say(`– Task #${id} ${text}`);
    }
  }
}

function most({ once, maxTasks = Number.POSITIVE_INFINITY }: RunChoice): number {
  return once ? 1 : maxTasks;
}

/** The claim of another run in this folder. Two runs in one folder would commit each other's files. */
function runningHere(project: Project): Claim | null {
  const lane = laneHere(project);
  return project.board.claims.find((one) => one.lane === lane && isAlive(one, project.board.now)) ?? null;
}

function isHere({ repository, view }: Project, one: TaskView, { allBranches }: HereChoice): boolean {
  return allBranches || branchAtHome(one, view.base) === homeBranch(repository, view);
}

/** A task with an assigned agent is left to that agent. */
async function readyHere(project: Project, choice: HereChoice) {
  const { isReady } = await readinessIn(project);
  const all = [...project.board.views.values()].filter((view) => {
    const holder = view.task.assigned_agent;
    return isReady(view) && (!holder || holder === agentHere(project, view, choice));
  });
  const here = all.filter((view) => isHere(project, view, choice));
  return { here: inOrder(here, project.board), elsewhere: all.length - here.length };
}

function openCount(project: Project, choice: HereChoice): number {
  return [...project.board.views.values()].filter(
    (one) => !one.record?.closed_at && one.children.length === 0 && isHere(project, one, choice),
  ).length;
}

export interface DryRun {
  readonly tasks: readonly TaskView[];
  readonly elsewhere: number;
  readonly busy: Claim | null;
  /** There are more tasks than are listed. */
  readonly isCut: boolean;
}

const shownMax = 100;

/** What a run would do if each task succeeded at once, including tasks that become ready on the way. */
export async function dryRunHere(opened: OpenedProject, choice: HereChoice, ports: Ports): Promise<DryRun> {
  const view = await opened.ledger.view();
  const tasks: TaskView[] = [];
  for (;;) {
    const project = await loadProjectFrom(await asIfDone(view, tasks, ports.now()), opened, ports);
    const { here, elsewhere } = await readyHere(project, choice);
    const busy = runningHere(project);
    const [next] = here;
    const isCut = tasks.length >= shownMax;
    if (!next || busy || isCut || tasks.length >= most(choice))
      return { tasks, elsewhere, busy, isCut: isCut && next !== undefined };
    tasks.push(next);
  }
}

/** The ledgers as if these tasks were closed, and without the claims of dead holders. */
async function asIfDone(view: LedgerView, done: readonly TaskView[], now: string): Promise<LedgerView> {
  const rows = new Map((await view.rows()).map((row) => [row.record.id, row]));
  for (const { id, task, record, branch } of done) {
    const open = record ?? { ...task, created_at: now };
    rows.set(id, { branch: branch ?? view.base, record: { ...open, closed_at: now, closed_as: 'done' } });
  }
  const meta = await view.meta(view.base);
  const claims = meta?.claims?.filter((claim) => isAlive(claim, now));
  return {
    base: view.base,
    branches: view.branches,
    unread: view.unread,
    problems: view.problems,
    tip: (branch) => view.tip(branch),
    meta: async (branch) => (branch === view.base && meta ? { ...meta, claims } : view.meta(branch)) as never,
    rows: async () => [...rows.values()],
    state: (branch) => view.state(branch),
    task: (id) => view.task(id),
    size: (branch) => view.size(branch),
    artifact: (branch, path) => view.artifact(branch, path),
  };
}
