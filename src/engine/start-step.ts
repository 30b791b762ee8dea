/** From a decision to a step that runs: which agent, where, for how much, and under a claim. */

import { wholeView } from '../commands/change-task.ts';
import { claimEverywhere } from '../commands/shared-claim.ts';
import type { TaskView } from '../core/board.ts';
import type { Decision, Facts } from '../core/decide.ts';
import { isGzaError } from '../core/errors.ts';
import { claimTask } from '../ledger/claim.ts';
import { claimOnRemote } from '../ledger/sync.ts';
import { reviewsSoFar, subjectOf } from '../steps/gather-context.ts';
import { readSession } from '../steps/session-file.ts';
import { type AgentChoice, chooseAgent } from './agent-choice.ts';
import { claimStep } from './claim-step.ts';
import type { StepJob } from './engine.ts';
import { localRun } from './is-alive.ts';
import { baseOf, laneOf } from './lane-of.ts';
import type { Loop } from './loop.ts';
import { sayOf, sayTask } from './progress-lines.ts';
import { runClaimed } from './run-claimed.ts';
import { needsLane, timeoutMinutes } from './settings-of-view.ts';
import { stateDirOf } from './state-dir.ts';

/** A task that cannot be started is refused for this run, with the reason; the others go on. */
export async function startStep(loop: Loop, view: TaskView, decision: Decision, facts: Facts): Promise<void> {
  try {
    await start(loop, view, decision, facts);
  } catch (error) {
    if (!isGzaError(error)) throw error;
    refuse(loop, view.id, error.message);
  }
}

function refuse(loop: Loop, id: string, why: string): void {
  loop.refused.set(id, why);
  loop.ports.say(`  ${id}: ${why}`);
}

async function start(loop: Loop, view: TaskView, decision: Decision, facts: Facts): Promise<void> {
  const { ports, project } = loop;
  const whole = await wholeView(project, view.id);
  const chosen = await agentFor(loop, whole, decision, facts);
  if (typeof chosen === 'string') return refuse(loop, view.id, chosen);
  const money = moneyFor(loop, view, facts);
  const job = await jobFor(loop, whole, decision, chosen, money.mayCost);
  const claimed = await claimStep({
    project,
    view: whole,
    job,
    holder: job.agent,
    run: localRun(),
    reservedUsd: money.reserved,
    now: ports.now(),
    submit: (wanted) => submit(loop, wanted),
  });
  // Someone else was faster: the next look shows their claim.
  if (claimed.kind === 'lost') return;
  if (claimed.kind !== 'claimed') return refuse(loop, view.id, claimed.detail);
  if (!loop.tasks.has(view.id)) sayTask(loop, view);
  loop.tasks.add(view.id);
  if (job.lane?.note) sayOf(loop, view.id, job.lane.note);
  const done = runClaimed(loop, whole, job);
  loop.running.set(
    view.id,
    done.finally(() => loop.running.delete(view.id)),
  );
}

/** With `--push` the remote must accept it before an agent starts. */
function submit({ project, request, ports }: Loop, wanted: Parameters<typeof claimTask>[1]) {
  if (request.offline) return claimTask(project.ledger, wanted);
  if (request.push) return claimOnRemote(project.ledger, wanted, { remote: 'origin' });
  return claimEverywhere(project, wanted, {}, ports);
}

/** Why none can run, as text. */
async function agentFor(
  loop: Loop,
  view: TaskView,
  decision: Decision,
  facts: Facts,
): Promise<AgentChoice | string> {
  const { project, request, ports, unusable } = loop;
  if (decision.action.kind !== 'run') return 'it is not its turn';
  const now = ports.now();
  const never = Object.fromEntries([...unusable.keys()].map((name) => [name, '9999']));
  const chosen = chooseAgent(decision.action.step, {
    view: await authored(loop, view),
    settings: project.settings(view.task),
    config: project.config,
    choice: request.choice,
    limits: { ...facts.limits, ...never },
    now,
  });
  if (chosen) return chosen;
  const why = [...unusable].map(([name, error]) => `${name} cannot run: ${error}`);
  return why.length > 0 ? why.join('; ') : 'every agent that may run it is limited';
}

/** Whose work it is decides who looks at it with fresh eyes. */
async function authored({ project }: Loop, view: TaskView): Promise<TaskView> {
  const subject = subjectOf(project, view);
  return subject === view ? view : { ...(await wholeView(project, subject.id)), task: view.task };
}

interface Money {
  /** What the claim reserves; null where nothing limits it. */
  readonly reserved: number | null;
  /** What the step may cost, so that it can be stopped. */
  readonly mayCost: number | null;
}

/** What is left of the task's own budget, or its share of what is left of the run's and the day's. */
function moneyFor({ running, project }: Loop, view: TaskView, facts: Facts): Money {
  const { budget } = facts.settings(view.task);
  const own = budget === null ? null : Math.max(0, budget - (view.record?.cost_usd ?? 0));
  if (facts.dollarsLeft === null) return { reserved: own, mayCost: own };
  const claims = project.board.claims.filter(facts.alive);
  const reserved = claims.reduce((sum, claim) => sum + (claim.reserved_usd ?? 0), 0);
  const left = Math.max(0, facts.dollarsLeft - reserved);
  const share = own ?? left / Math.max(1, facts.parallelWorkers - running.size);
  const mayCost = Math.min(share, left);
  return { reserved: mayCost, mayCost };
}

const leastUsd = 0.01;

async function jobFor(
  { project, request, workspace, ports }: Loop,
  view: TaskView,
  decision: Decision,
  chosen: AgentChoice,
  mayCost: number | null,
): Promise<StepJob> {
  const { action } = decision;
  if (action.kind !== 'run') throw new Error(`${view.id} has no step to run`);
  const { step, guidance } = action;
  const settings = project.settings(view.task);
  const base = await baseOf(project, workspace.repository);
  const lane = needsLane(step) ? await laneOf(project, workspace.repository, view, base, ports.random) : null;
  const maxTurns = settings.max_turns ?? project.config.agents[chosen.agent]?.max_turns;
  const owner = { id: view.id, agent: chosen.agent, step };
  const session = request.choice.resume ? await readSession(stateDirOf(project), owner) : null;
  return {
    id: view.id,
    step,
    cycle: cycleOf(project, view, action),
    ...chosen,
    ...(guidance === undefined ? {} : { guidance }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(mayCost === null ? {} : { budgetUsd: Math.max(leastUsd, mayCost) }),
    timeoutMinutes: timeoutMinutes(step, settings),
    lane,
    base,
    claim: ports.random(),
    ...(session ? { session } : {}),
  };
}

/** A review or improve that a person asked for is numbered on from those that the task had. */
function cycleOf(
  project: Loop['project'],
  view: TaskView,
  { step, cycle }: { step: StepJob['step']; cycle: number },
): number {
  const subject = subjectOf(project, view);
  if (subject === view) return cycle;
  return Math.max(1, reviewsSoFar(project, subject) + (step === 'review' ? 1 : 0));
}
