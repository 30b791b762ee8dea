/**
 * The git-tasks runner: all ready tasks, one after the other, here, on the current branch. The agent commits and
 * marks its task done itself; a task that it did not finish is tried again, three times a run.
 */
import { join } from 'node:path';
import { agentEnvironment } from '../../agents/agent-environment.ts';
import { runAgent } from '../../agents/run-agent.ts';
import { readinessIn } from '../../app/facts/facts.ts';
import { localRun } from '../../app/facts/is-alive.ts';
import { loadProject, type OpenedProject, type Project } from '../../app/project.ts';
import { definitionNow, wholeView, writeToTask } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { inOrder } from '../../core/board/board-order.ts';
import { GzaError } from '../../core/errors.ts';
import { stepOfType } from '../../core/ledger/record/record.ts';
import { endings } from '../../core/policy/endings.ts';
import { addSeconds } from '../../core/time.ts';
import { claimTask, releaseClaim } from '../../ledger/claim.ts';
import type { RunChoice, StepJob } from '../engine.ts';
import { timeoutMinutes } from '../engine.ts';
import { baseOf } from '../loop/lane-of.ts';
import type { WorkPorts } from '../loop/loop.ts';
import { openStateDir } from '../loop/state-dir.ts';
import { adapterFor, pathWithShims } from '../perform/ask-agent.ts';
import { promptFor } from '../perform/step-prompt.ts';
import { openWork } from '../work-ports.ts';
import { agentOrder } from './plan-step.ts';
import { leaseSeconds } from './run-claimed.ts';

export interface HereResult {
  readonly done: readonly string[];
  readonly skipped: readonly string[];
  readonly open: number;
}

const failuresMax = 3;
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
  for (;;) {
    const project = await loadProject(ports, opened);
    const next = (await readyHere(project)).find(({ id }) => !skipped.includes(id));
    const isNew = next && !tried.has(next.id);
    const isFull = isNew && tried.size >= (choice.once ? 1 : (choice.maxTasks ?? Number.POSITIVE_INFINITY));
    if (!next || ports.signal.aborted || isFull) return { done, skipped, open: openCount(project) };
    if (tried.size > 0) await ports.sleep(choice.delaySeconds * 1000, ports.signal);
    if (ports.signal.aborted) continue;
    tried.add(next.id);
    ports.say(`Running task #${next.id}: ${next.task.title}`);
    ports.live(next.id, 'runs');
    const why = await runOne(project, next, choice, ports).finally(() => ports.live(next.id, null));
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
): Promise<string | null> {
  const claim = ports.random();
  const at = ports.now();
  const settings = project.settings(view.task);
  const agent = agentOrder({ settings, choice })[0] ?? 'claude';
  const minutes = timeoutMinutes(stepOfType(view.task.type), settings);
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
    },
    at,
    ...(adopted ? { also: async () => [{ branch: project.view.base, events: [adopted] }] } : {}),
  });
  if (claimed.kind !== 'claimed') return claimed.detail;
  try {
    return await converse(
      project,
      await wholeView(await loadProject(ports, project), view.id),
      { agent, minutes, claim },
      choice,
      ports,
    );
  } finally {
    await releaseClaim(project.ledger, { claim, at: ports.now(), why: 'run ended' });
  }
}

interface Turn {
  readonly agent: string;
  readonly minutes: number;
  readonly claim: string;
}

async function converse(
  project: Project,
  view: TaskView,
  turn: Turn,
  choice: RunChoice,
  ports: WorkPorts,
): Promise<string | null> {
  const stateDir = await openStateDir(project);
  const cwd = project.repository.workTree ?? project.repository.commonDir;
  const adapter = adapterFor(turn.agent, project.config, choice.runner);
  const home = join(stateDir, 'homes', `here-${turn.agent}`);
  const set = { PATH: await pathWithShims(stateDir, ports.env) };
  const environment = agentEnvironment({
    caller: ports.env,
    adapter,
    home,
    allow: project.config.env,
    taskId: view.id,
    set,
  });
  const run = await runAgent({
    adapter,
    environment,
    request: {
      prompt: await promptHere(project, view, turn),
      cwd,
      home,
      access: 'full',
      model: choice.model ?? project.settings(view.task).model ?? project.config.agents[turn.agent]?.model,
    },
    limits: { timeoutMs: turn.minutes * 60_000, idleMs, outputBytesMax },
    logPath: join(stateDir, 'logs', `${view.id}-${turn.claim.slice(0, 8)}-here.log`),
    userHome: ports.env['HOME'],
    signal: ports.stopNow,
    onLine: (line) => ports.say(`  ${line}`),
  });
  const after = (await loadProject(ports, project)).board.views.get(view.id);
  if (after?.record?.closed_at) return null;
  const { kind, error } = run.result;
  // Trying again would not help, and it is not the task's fault.
  if (endings[kind].means === 'cannot' || kind === 'usage_limit') {
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
