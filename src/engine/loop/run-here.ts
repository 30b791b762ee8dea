/**
 * The git-tasks runner: all ready tasks, one after the other, here, on the current branch. The agent commits and
 * marks its task done itself; a task that it did not finish is tried again, three times a run.
 */
import { join } from 'node:path';
import { agentEnvironment } from '../../agents/agent-environment.ts';
import type { ResultKind } from '../../agents/agents.ts';
import { type AgentRun, runAgent } from '../../agents/run-agent.ts';
import { readinessIn } from '../../app/facts/facts.ts';
import { localRun } from '../../app/facts/is-alive.ts';
import { loadProject, type OpenedProject, type Project } from '../../app/project.ts';
import { definitionNow, wholeView, writeToTask } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { inOrder } from '../../core/board/board-order.ts';
import { GzaError } from '../../core/errors.ts';
import { stepOfType } from '../../core/ledger/record/record.ts';
import { addSeconds } from '../../core/time.ts';
import { claimTask, releaseClaim } from '../../ledger/claim.ts';
import { costChanges } from '../conclude/record-step.ts';
import { recordOf } from '../conclude/step-report.ts';
import type { RunChoice, StepJob } from '../engine.ts';
import { timeoutMinutes } from '../engine.ts';
import { runLeft } from '../left.ts';
import { baseOf } from '../loop/lane-of.ts';
import type { Worked, WorkPorts } from '../loop/loop.ts';
import { openStateDir } from '../loop/state-dir.ts';
import { adapterFor, pathWithShims, pricesOf } from '../perform/ask-agent.ts';
import { promptFor } from '../perform/step-prompt.ts';
import { openWork } from '../work-ports.ts';
import { agentOrder, leastUsd } from './plan-step.ts';
import { leaseSeconds, workedOf } from './run-claimed.ts';

export interface HereResult {
  readonly done: readonly string[];
  readonly skipped: readonly string[];
  readonly open: number;
  readonly steps: readonly Worked[];
}

const failuresMax = 3;
const hopeless: ReadonlySet<ResultKind> = new Set(['auth', 'config', 'model', 'usage_limit']);
const idleMs = 900_000;
const outputBytesMax = 64 << 20;

export async function runHere(
  opened: OpenedProject,
  choice: RunChoice,
  ports: WorkPorts,
): Promise<HereResult> {
  const failures = new Map<string, number>();
  const done: string[] = [];
  const skipped: string[] = [];
  const tried = new Set<string>();
  const steps: Worked[] = [];
  for (;;) {
    const project = await loadProject(ports, opened);
    const next = (await readyHere(project)).find(({ id }) => !skipped.includes(id));
    const isNew = next && !tried.has(next.id);
    const isFull = isNew && tried.size >= (choice.once ? 1 : (choice.maxTasks ?? Number.POSITIVE_INFINITY));
    if (!next || ports.signal.aborted || isFull) return { done, skipped, open: openCount(project), steps };
    if (tried.size > 0) await ports.sleep(choice.delaySeconds * 1000, ports.signal);
    if (ports.signal.aborted) continue;
    tried.add(next.id);
    ports.say(`Running task #${next.id}: ${next.task.title}`);
    ports.live(next.id, 'runs');
    const why = await runOne(project, next, choice, ports, steps).finally(() => ports.live(next.id, null));
    if (why === null) {
      done.push(next.id);
      ports.say(`${ports.style.green('✓')} Task #${next.id} completed`);
      continue;
    }
    const count = (failures.get(next.id) ?? 0) + 1;
    failures.set(next.id, count);
    ports.say(`  ${why} (${count} of ${failuresMax})`);
    if (count < failuresMax) continue;
    skipped.push(next.id);
    const text = `skipped: agent failed ${failuresMax} times`;
    await writeToTask(project, next.id, ports, (_record, stamp) => [
      { kind: 'note', ...stamp, id: next.id, text },
    ]);
    ports.say(`– Task #${next.id} ${text}`);
  }
}

/** What has a holder of its own is the holder's, and nobody else's here. */
export async function readyHere(project: Project): Promise<TaskView[]> {
  const { isReady } = await readinessIn(project);
  const ready = [...project.board.views.values()].filter(
    (view) => isReady(view) && !view.task.assigned_agent,
  );
  return inOrder(ready, project.board);
}

function openCount({ board }: Project): number {
  return [...board.views.values()].filter(
    ({ record, children }) => !record?.closed_at && children.length === 0,
  ).length;
}

/** Null when the task is closed afterwards, else why it is not. */
async function runOne(
  project: Project,
  view: TaskView,
  choice: RunChoice,
  ports: WorkPorts,
  steps: Worked[],
): Promise<string | null> {
  const claim = ports.random();
  const at = ports.now();
  const settings = project.settings(view.task);
  const agent = agentOrder({ settings, choice })[0] ?? 'claude';
  const minutes = timeoutMinutes(stepOfType(view.task.type), settings);
  const budget = settings.budget ?? project.config.budget.task;
  const reserved = budget === undefined ? null : Math.max(leastUsd, budget - (view.record?.cost_usd ?? 0));
  const adopted = await definitionNow(project, view.id, { at });
  const lane = project.repository.head.branch ?? project.view.base;
  const claimed = await claimTask(project.ledger, {
    // Nobody renews it, so it lasts as long as the agent may.
    claim: {
      id: claim,
      task: view.id,
      lane: `here:${lane}`,
      holder: agent,
      at,
      until: addSeconds(at, minutes * 60 + leaseSeconds),
      run: localRun(),
      ...(reserved === null ? {} : { reserved_usd: reserved }),
    },
    at,
    ...(adopted ? { also: async () => [{ branch: project.view.base, events: [adopted] }] } : {}),
  });
  if (claimed.kind !== 'claimed') return claimed.detail;
  const turn = { agent, minutes, claim, reserved, at };
  try {
    const whole = await wholeView(await loadProject(ports, project), view.id);
    const run = await converse(project, whole, turn, choice, ports);
    const isClosed = await recordHere(project, view, turn, run, ports, steps);
    return isClosed ? null : whyOpen(turn, run);
  } finally {
    // Released with its step, where there was one.
    await releaseClaim(project.ledger, { claim, at: ports.now(), why: 'run ended' });
  }
}

interface Turn {
  readonly agent: string;
  readonly minutes: number;
  readonly claim: string;
  /** Dollars; null where nothing limits it. */
  readonly reserved: number | null;
  readonly at: string;
}

/** What it cost is on record whether or not it did what it should: a try here is no attempt. Says whether the task is closed. */
async function recordHere(
  project: Project,
  { id, task }: TaskView,
  { agent, claim, reserved, at }: Turn,
  run: AgentRun,
  ports: WorkPorts,
  steps: Worked[],
): Promise<boolean> {
  const ended_at = ports.now();
  const closed = (await loadProject(ports, project)).board.views.get(id)?.record?.closed_at !== undefined;
  const job = {
    id,
    step: stepOfType(task.type),
    cycle: 0,
    agent,
    ...(reserved === null ? {} : { budgetUsd: reserved }),
  };
  const left = { runs: [runLeft(run, [])], started_at: at, ended_at };
  const step = recordOf(job, left, closed ? { outcome: 'ok' } : { outcome: 'cancelled' });
  steps.push(workedOf(id, step));
  const ended = { step, why: 'run ended', at: ended_at };
  await project.ledger.write(async (view) => ({
    changes: await costChanges(view, { id, claim, agent }, ended),
  }));
  return closed;
}

async function converse(
  project: Project,
  view: TaskView,
  turn: Turn,
  choice: RunChoice,
  ports: WorkPorts,
): Promise<AgentRun> {
  const stateDir = await openStateDir(project);
  const cwd = project.repository.workTree ?? project.repository.commonDir;
  const adapter = adapterFor(turn.agent, project.config, choice.runner);
  const home = join(stateDir, 'homes', `here-${turn.agent}`);
  const set = { PATH: await pathWithShims(stateDir, ports.env) };
  const model = choice.model ?? project.settings(view.task).model ?? project.config.agents[turn.agent]?.model;
  const environment = agentEnvironment({
    caller: ports.env,
    adapter,
    home,
    allow: project.config.env,
    taskId: view.id,
    set,
  });
  return runAgent({
    adapter,
    environment,
    request: {
      prompt: await promptHere(project, view, turn),
      cwd,
      home,
      access: 'full',
      model,
      ...(turn.reserved === null ? {} : { budgetUsd: turn.reserved }),
    },
    limits: { timeoutMs: turn.minutes * 60_000, idleMs, outputBytesMax },
    logPath: join(stateDir, 'logs', `${view.id}-${turn.claim.slice(0, 8)}-here.log`),
    prices: pricesOf(project.config, { agent: turn.agent, ...(model === undefined ? {} : { model }) }),
    userHome: ports.env['HOME'],
    signal: ports.stopNow,
    onLine: (line) => ports.say(`  ${line}`),
  });
}

/** Why the task is not closed. */
function whyOpen(turn: Turn, run: AgentRun): string {
  const { kind, error } = run.result;
  // Trying again would not help, and it is not the task's fault.
  if (hopeless.has(kind)) {
    throw new GzaError('world', `${turn.agent} cannot run: ${error ?? kind}`, {
      hint: 'Nothing was changed; another agent can be named, for example: git tasks run --codex',
    });
  }
  return kind === 'ok'
    ? 'the agent ended without marking the task done'
    : `the agent failed (${kind})${error ? `: ${error.split('\n')[0]}` : ''}`;
}

async function promptHere(project: Project, view: TaskView, turn: Turn): Promise<string> {
  const { repository } = await openWork(project);
  const job: StepJob = {
    id: view.id,
    step: 'implement',
    cycle: 0,
    agent: turn.agent,
    timeoutMinutes: turn.minutes,
    lane: null,
    base: await baseOf(project, repository),
    claim: turn.claim,
  };
  return promptFor({ project, view, job, repository, commits: 'agent' });
}
