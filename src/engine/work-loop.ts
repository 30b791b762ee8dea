/**
 * Looks, decides, acts, until nothing is left to do. Everything is read anew in each round, so that another
 * `gza work`, a person or a lost process is noticed; a task is only ever started under a claim.
 */
import { hostname } from 'node:os';
import type { AgentEvent } from '../agents/agents.ts';
import type { TaskView } from '../core/board.ts';
import { type Decision, type Facts, decide } from '../core/decide.ts';
import { isGzaError } from '../core/errors.ts';
import type { FinalVerdict } from '../core/record.ts';
import { addSeconds } from '../core/time.ts';
import { beginText, completedText, endText, reviewText, type Turn } from '../core/text/work.ts';
import { wholeView } from '../commands/change-task.ts';
import type { Ports } from '../commands/command.ts';
import { localFacts } from '../commands/facts.ts';
import { type Opened, type Project, look } from '../commands/project.ts';
import { claimEverywhere } from '../commands/shared-claim.ts';
import { claimTask, renewClaim } from '../ledger/claim.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { act, isActed } from './act.ts';
import { agentOrder } from './agent-choice.ts';
import { claimStep, leaseSeconds } from './claim-step.ts';
import { keepArtifacts } from './keep-artifacts.ts';
import type { RunChoice, StepJob } from './engine.ts';
import { jobFor } from './job-for.ts';
import { recordStep } from './record-step.ts';
import { type StepReport, runStep } from './run-step.ts';
import { stateDirOf } from './state-dir.ts';
import { sweep } from './sweep.ts';

export interface WorkRequest {
  /** `next`: the first ready task to the end of its loop. */
  readonly scope: 'next' | 'all' | readonly string[];
  readonly group?: string;
  readonly choice: RunChoice;
  readonly offline: boolean;
  readonly push: boolean;
}

export interface WorkPorts extends Ports {
  readonly say: (line: string) => void;
  /** What a running task does just now; null when it does nothing any more. */
  readonly live: (id: string, line: string | null) => void;
  /** Aborted when running agents must stop now; `signal` only starts nothing new. */
  readonly stopNow: AbortSignal;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Worked {
  readonly id: string;
  readonly step: string;
  readonly outcome: string;
  readonly seconds: number;
  readonly cost_usd: number;
}

export interface WorkResult {
  readonly steps: readonly Worked[];
  readonly tasks: readonly string[];
  readonly project: Project;
  /** Tasks that could not be started, and why. */
  readonly refused: ReadonlyMap<string, string>;
  readonly stopped: 'done' | 'interrupted' | 'limit';
}

interface Loop {
  readonly request: WorkRequest;
  readonly ports: WorkPorts;
  readonly workspace: Workspace;
  readonly running: Map<string, Promise<void>>;
  readonly tasks: Set<string>;
  readonly steps: Worked[];
  readonly refused: Map<string, string>;
  readonly finished: Set<string>;
  scope: Set<string> | null;
  failure: unknown;
  lastStart: number;
  project: Project;
}

const roundsMax = 100_000;

export async function workLoop(
  opened: Opened,
  workspace: Workspace,
  request: WorkRequest,
  ports: WorkPorts,
): Promise<WorkResult> {
  const project = await look(opened, ports);
  const loop: Loop = {
    request,
    ports,
    workspace,
    running: new Map(),
    tasks: new Set(),
    steps: [],
    refused: new Map(),
    finished: new Set(),
    scope: typeof request.scope === 'string' ? null : new Set(request.scope),
    failure: undefined,
    lastStart: 0,
    project,
  };
  await sweep(project, workspace, ports);
  let stopped: WorkResult['stopped'] = 'done';
  for (let round = 0; round < roundsMax; round += 1) {
    const going = await oneRound(loop);
    if (loop.failure !== undefined) break;
    if (going === 'act') continue;
    if (loop.running.size === 0) {
      if (going !== 'idle') stopped = going;
      break;
    }
    await Promise.race(loop.running.values());
  }
  await Promise.allSettled(loop.running.values());
  if (loop.failure !== undefined) throw loop.failure;
  const { tasks, steps, refused } = loop;
  return { steps, tasks: [...tasks], refused, stopped, project: await look(opened, ports) };
}

type Going = 'act' | 'idle' | 'interrupted' | 'limit';

async function oneRound(loop: Loop): Promise<Going> {
  const { ports, request } = loop;
  loop.project = await look(loop.project, ports);
  const facts = await engineFacts(loop);
  const decisions = decide(facts);
  if (await actOn(loop, decisions)) return 'act';
  announceEnds(loop);
  if (ports.signal.aborted) return 'interrupted';
  let going: Going = 'idle';
  for (const decision of decisions) {
    const view = loop.project.board.views.get(decision.task);
    if (!view || decision.action.kind !== 'run' || !mayStart(loop, view)) continue;
    if (isOverLimit(loop, view.id)) {
      going = 'limit';
      continue;
    }
    if (request.scope === 'next' && loop.scope === null) loop.scope = new Set([view.id]);
    await delay(loop, view.id);
    if (ports.signal.aborted) return 'interrupted';
    await start(loop, view, decision, facts);
    // What was started holds files, workers and money: the next choice is made on fresh facts.
    if (!loop.refused.has(view.id)) return loop.running.size < facts.parallelWorkers ? 'act' : 'idle';
  }
  return going;
}

async function engineFacts({ project, request, running }: Loop): Promise<Facts> {
  const facts = await localFacts(project);
  const { choice } = request;
  return {
    ...facts,
    settings: (task) => {
      const settings = facts.settings(task);
      return { ...settings, agents: agentOrder({ settings: project.settings(task), choice }) };
    },
    alive: (claim) => running.has(claim.task) || facts.alive(claim),
    parallelWorkers: choice.parallel ?? facts.parallelWorkers,
  };
}

/** Ends, stops and folds of what this run may touch; says whether anything was written. */
async function actOn(loop: Loop, decisions: readonly Decision[]): Promise<boolean> {
  let wrote = false;
  for (const decision of decisions) {
    const view = loop.project.board.views.get(decision.task);
    if (!view || loop.running.has(view.id) || !isActed(decision.action)) continue;
    const dead = decision.action.kind === 'record-dead' || decision.action.kind === 'fold';
    if (!dead && !isWanted(loop, view)) continue;
    if (decision.action.kind === 'record-dead') {
      await sweep(loop.project, loop.workspace, loop.ports);
    }
    wrote = (await act(loop.project, view, decision, loop.ports.now())) || wrote;
  }
  return wrote;
}

/** In the scope of this run, or a review that a task of it asked for. */
function isWanted({ scope, request, tasks }: Loop, view: TaskView): boolean {
  if (request.group !== undefined && view.task.group !== request.group) return false;
  if (scope === null) return request.scope === 'all' || tasks.size === 0;
  const of = view.record?.key?.startsWith('review of ') ? view.task.depends_on?.[0] : undefined;
  return scope.has(view.id) || (of !== undefined && scope.has(of));
}

function mayStart(loop: Loop, view: TaskView): boolean {
  return isWanted(loop, view) && !loop.running.has(view.id) && !loop.refused.has(view.id);
}

function isOverLimit({ tasks, request: { choice } }: Loop, id: string): boolean {
  if (tasks.has(id)) return false;
  if (choice.once) return tasks.size >= 1;
  return choice.maxTasks !== undefined && tasks.size >= choice.maxTasks;
}

async function delay(loop: Loop, id: string): Promise<void> {
  const { delaySeconds } = loop.request.choice;
  if (delaySeconds === 0 || loop.tasks.size === 0 || loop.tasks.has(id) || loop.running.size > 0) return;
  await loop.ports.sleep(delaySeconds * 1000, loop.ports.signal);
}

async function start(loop: Loop, view: TaskView, decision: Decision, facts: Facts): Promise<void> {
  const { ports, project, request } = loop;
  try {
    const whole = await wholeView(project, view.id);
    const job = await jobFor({
      project,
      repository: loop.workspace.repository,
      view: whole,
      decision,
      facts,
      choice: request.choice,
      now: ports.now(),
      random: ports.random,
    });
    if (!job) return void loop.refused.set(view.id, 'every agent that may run it is limited');
    const at = ports.now();
    const claimed = await claimStep({
      project,
      view: whole,
      job,
      holder: job.agent,
      run: localRun(),
      reservedUsd: facts.settings(view.task).budget,
      now: at,
      submit: (wanted) =>
        request.offline ? claimTask(project.ledger, wanted) : claimEverywhere(project, wanted, {}, ports),
    });
    if (claimed.kind !== 'claimed') {
      const why =
        claimed.kind === 'lost'
          ? `held by ${claimed.holder.holder} until ${claimed.holder.until}`
          : claimed.detail;
      return void loop.refused.set(view.id, why);
    }
    if (!loop.tasks.has(view.id)) {
      const kind = view.task.type === 'review' ? 'Running review task' : 'Running task';
      ports.say(
        view.task.type === 'review' ? `${kind} #${view.id}...` : `${kind} #${view.id}: ${view.task.title}`,
      );
    }
    loop.tasks.add(view.id);
    if (job.lane?.note) ports.say(`  ${job.lane.note}`);
    const done = stepUnderClaim(loop, whole, job).catch((error: unknown) => {
      loop.failure ??= error;
    });
    loop.running.set(
      view.id,
      done.finally(() => loop.running.delete(view.id)),
    );
  } catch (error) {
    if (!isGzaError(error)) throw error;
    loop.refused.set(view.id, error.message);
    ports.say(`  ${view.id}: ${error.message}`);
  }
}

/** How others on this machine can tell whether the holder of a claim lives. */
export function localRun(): string {
  return `local:${hostname()}:${process.pid}`;
}

async function stepUnderClaim(loop: Loop, view: TaskView, job: StepJob): Promise<void> {
  const { ports, workspace, request } = loop;
  const cyclesMax = loop.project.settings(view.task).auto_review
    ? loop.project.settings(view.task).max_review_cycles + (view.record?.extra_cycles ?? 0)
    : null;
  const turn: Turn = { step: job.step, cycle: job.cycle, cyclesMax };
  if (view.task.type !== 'review') ports.say(`  ${beginText(turn)}`);
  const renewing = setInterval(() => void renew(loop, job), (leaseSeconds / 3) * 1000);
  try {
    const report = await runStep({
      project: loop.project,
      view: await withRecord(loop, view),
      job,
      workspace,
      ...(request.choice.runner === undefined ? {} : { runner: request.choice.runner }),
      caller: ports.env,
      stateDir: stateDirOf(loop.project),
      now: ports.now,
      signal: ports.stopNow,
      sleep: ports.sleep,
      onEvent: (event) => ports.live(view.id, liveText(job, event)),
    });
    const recorded = await recordStep(loop.project.ledger, {
      job,
      report,
      at: ports.now(),
      agentTasks: loop.project.config.agent_tasks,
    });
    await keepArtifacts(loop.project, report.artifacts);
    loop.steps.push(workedOf(view.id, report));
    sayEnd(loop, view, turn, report);
    if (recorded.kind === 'superseded') {
      ports.say(
        `  ${view.id}: ${recorded.why}; ${recorded.ref ? `its work is kept at ${recorded.ref}` : 'nothing was changed'}`,
      );
    }
  } finally {
    clearInterval(renewing);
    ports.live(view.id, null);
  }
}

/** The record as it is after the claim. */
async function withRecord(loop: Loop, view: TaskView): Promise<TaskView> {
  const located = await (await loop.project.ledger.view()).task(view.id);
  return located ? { ...view, record: located.record, task: located.record, branch: located.branch } : view;
}

async function renew({ project, ports }: Loop, job: StepJob): Promise<void> {
  const at = ports.now();
  // A lease that could not be renewed is noticed when the step is recorded.
  await renewClaim(project.ledger, { claim: job.claim, at, until: addSeconds(at, leaseSeconds) }).catch(
    () => {},
  );
}

function liveText(job: StepJob, event: AgentEvent): string {
  const doing =
    event.kind === 'tool'
      ? `${event.name}${event.detail ? ` ${event.detail}` : ''}`
      : event.kind === 'text'
        ? event.text
        : event.kind;
  return `${job.step}: ${doing.replaceAll(/\s+/g, ' ').slice(0, 120)}`;
}

function workedOf(id: string, { record }: StepReport): Worked {
  const seconds = Math.round((Date.parse(record.ended_at) - Date.parse(record.started_at)) / 1000);
  return {
    id,
    step: record.step,
    outcome: record.verdict ?? record.outcome,
    seconds,
    cost_usd: record.cost_usd ?? 0,
  };
}

function sayEnd({ ports }: Loop, view: TaskView, turn: Turn, report: StepReport): void {
  const { record, gist, logPath, judged } = report;
  if (record.verdict) {
    ports.say(
      view.task.type === 'review'
        ? `✓ Review completed: ${record.verdict}`
        : `  ${reviewText(turn, record.verdict, record.verdict === 'APPROVED' ? '' : gist)}`,
    );
  } else if (record.outcome === 'ok') {
    if (record.step !== 'improve') ports.say(`  ${endText(turn)}`);
  } else {
    const why = judged.error?.split('\n')[0] ?? record.outcome;
    ports.say(`  ${turn.step} ended ${record.outcome}: ${why}`);
    ports.say(`  log: ${logPath}`);
  }
}

/** `✓ Task #29 completed (APPROVED after 3 cycles)`, once a task. */
function announceEnds({ project, tasks, finished, ports }: Loop): void {
  for (const id of tasks) {
    const view = project.board.views.get(id);
    if (!view?.record?.closed_at || finished.has(id)) continue;
    finished.add(id);
    const { record } = view;
    if (record.closed_as === 'failed') {
      ports.say(`${ports.style.red('✗')} Task #${id} failed: ${record.closed_reason ?? ''}`);
    } else if (view.task.type !== 'review') {
      ports.say(endOfTask(id, record.final_verdict, record.review_cycle ?? 0, record.closed_reason, ports));
    }
  }
}

function endOfTask(
  id: string,
  verdict: FinalVerdict | undefined,
  cycles: number,
  reason: string | undefined,
  ports: WorkPorts,
): string {
  const line = completedText(id, verdict, cycles, ports.style);
  return reason ? `${line}\n  ${reason}` : line;
}
