/**
 * Looks, decides, acts, until nothing is left to do. Everything is read anew in each round, so that another
 * `gza work`, a person or a lost process is noticed; a task is only ever started under a claim.
 */
import { localFacts } from '../../app/facts/facts.ts';
import { loadProject, type OpenedProject } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { type Decision, decide, decideTask, type Facts } from '../../core/policy/decide.ts';
import { addSeconds, parseTime, printDuration } from '../../core/time.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { act, isActed } from '../act.ts';
import { forgetTask } from '../perform/session-file.ts';
import { agentOrder } from './agent-choice.ts';
import { autoSplit } from './auto-split.ts';
import {
  isWanted,
  type Loop,
  reviewedBy,
  spentBy,
  type WorkPorts,
  type WorkRequest,
  type WorkResult,
} from './loop.ts';
import { announceEnds } from './progress-lines.ts';
import { startStep } from './start-step.ts';
import { stateDirOf } from './state-dir.ts';
import { sweep } from './sweep.ts';
import { unstack } from './unstack.ts';

const roundsMax = 100_000;
const actedMax = 5;

export async function workLoop(
  opened: OpenedProject,
  workspace: Workspace,
  request: WorkRequest,
  ports: WorkPorts,
): Promise<WorkResult> {
  const loop: Loop = {
    request,
    ports,
    workspace,
    running: new Map(),
    tasks: new Set(),
    steps: [],
    refused: new Map(),
    waits: new Map(),
    ended: new Set(),
    finished: new Set(),
    crowded: new Set(),
    unusable: new Map(),
    acted: new Map(),
    scope: typeof request.scope === 'string' ? null : new Set(request.scope),
    nextAt: null,
    waitsFor: null,
    waitedMs: 0,
    failure: undefined,
    project: await loadProject(ports, opened),
  };
  await sweep(loop.project, workspace, ports);
  const stopped = await rounds(loop);
  await Promise.allSettled(loop.running.values());
  if (loop.failure !== undefined) throw loop.failure;
  const { steps, refused, waits, nextAt } = loop;
  const tasks = [...new Set([...loop.tasks, ...loop.ended])];
  return { steps, tasks, refused, waits, nextAt, stopped, project: await loadProject(ports, opened) };
}

async function rounds(loop: Loop): Promise<WorkResult['stopped']> {
  for (let round = 0; round < roundsMax; round += 1) {
    const going = await oneRound(loop);
    if (loop.failure !== undefined) return 'done';
    if (going === 'act') continue;
    if (loop.running.size === 0) {
      if (going === 'idle' && (await waitForLimit(loop))) continue;
      return going === 'idle' ? 'done' : going;
    }
    await Promise.race(loop.running.values());
  }
  return 'limit';
}

type Going = 'act' | 'idle' | 'interrupted' | 'limit';

async function oneRound(loop: Loop): Promise<Going> {
  const { ports } = loop;
  loop.project = await loadProject(ports, loop.project);
  const facts = await engineFacts(loop);
  const decisions = decide(facts, (view) => mayStart(loop, view));
  if (await actOn(loop, decisions, facts)) return 'act';
  announceEnds(loop);
  if (ports.signal.aborted) return 'interrupted';
  noteWaits(loop, decisions);
  loop.nextAt = nextTime(loop, decisions);
  let going: Going = 'idle';
  for (const decision of decisions) {
    const view = loop.project.board.views.get(decision.task);
    if (!view || !mayStart(loop, view)) continue;
    if (await splitFirst(loop, view, decision)) return 'act';
    if (decision.action.kind !== 'run') continue;
    if (isOverLimit(loop, view)) {
      going = 'limit';
      continue;
    }
    if (isStuck(loop, decision)) return 'act';
    if (loop.request.scope === 'next' && loop.scope === null) loop.scope = new Set([view.id]);
    if (await delay(loop, view.id)) return 'act';
    if (await unstack(loop, view)) return 'act';
    await startStep(loop, view, decision, facts);
    // What was started holds files, workers and money: the next choice is made on fresh facts.
    return 'act';
  }
  return going;
}

/** Where splits are automatic, a task that is about to start, or may not for its size, is split instead. */
async function splitFirst(loop: Loop, view: TaskView, { action, rule }: Decision): Promise<boolean> {
  const { ports, project, scope } = loop;
  if (action.kind !== 'run' && rule !== 'too-complex') return false;
  const split = await autoSplit(project, view, ports.now());
  if (split?.kind === 'too-large') sayOnce(loop, `Task #${view.id} is not split: ${split.why}`);
  if (split?.kind !== 'split') return false;
  const { segments } = split;
  ports.say(`Task #${view.id} is split into ${segments.map((id) => `#${id}`).join(', ')}`);
  for (const id of scope === null ? [] : segments) scope?.add(id);
  return true;
}

function sayOnce({ acted, ports }: Loop, line: string): void {
  if (!acted.has(line)) ports.say(line);
  acted.set(line, 1);
}

async function engineFacts({ project, request, running, steps, ports, unusable }: Loop): Promise<Facts> {
  const facts = await localFacts(project);
  const { choice, scope } = request;
  const { run } = project.config.budget;
  const runLeft = run === undefined ? null : run - spentBy({ steps });
  const left = [facts.dollarsLeft, runLeft].filter((one) => one !== null);
  const named = typeof scope === 'string' ? [] : scope;
  return {
    ...facts,
    settings: (task) => {
      const settings = facts.settings(task);
      const agents = agentOrder({ settings: project.settings(task), choice });
      const usable = agents.filter((name) => !unusable.has(name));
      return { ...settings, agents: usable.length > 0 ? usable : agents };
    },
    lane: (view) => {
      const { personCommits, ...lane } = facts.lane(view);
      // A person who names a task hands its branch back.
      return personCommits && !named.includes(view.id) ? { ...lane, personCommits } : lane;
    },
    alive: (claim) => running.has(claim.task) || facts.alive(claim),
    limits: Object.fromEntries(Object.entries(facts.limits).filter(([, until]) => until > ports.now())),
    parallelWorkers: choice.parallel ?? facts.parallelWorkers,
    dollarsLeft: left.length > 0 ? Math.min(...left) : null,
  };
}

/** Ends, stops and folds of what this run may touch; says whether anything was written. */
async function actOn(loop: Loop, decisions: readonly Decision[], facts: Facts): Promise<boolean> {
  const { project, workspace, ports } = loop;
  let wrote = false;
  const isDead = ({ action, task }: Decision) => action.kind === 'record-dead' && !loop.running.has(task);
  const dead = decisions.filter(isDead);
  if (dead.length > 0 && !dead.every((one) => isStuck(loop, one))) {
    await sweep(project, workspace, ports);
    return true;
  }
  for (const decision of decisions) {
    const view = project.board.views.get(decision.task);
    if (!view || loop.running.has(view.id) || !isActed(decision.action)) continue;
    if (decision.action.kind !== 'fold' && !isWanted(loop, view)) continue;
    if (loop.refused.has(view.id) || isStuck(loop, decision)) continue;
    // Lists leave out what steps said; what is written down has it.
    const whole = decideTask(await wholeView(project, view.id), facts);
    const isWritten = await act(project, view, whole, ports.now());
    const { kind } = decision.action;
    if (isWritten && (kind === 'finish' || kind === 'fail')) loop.ended.add(view.id);
    if (isWritten && kind !== 'fold') await ports.share?.(view.record?.lane?.branch ?? null);
    if (isWritten && kind === 'finish') {
      await forgetTask(stateDirOf(project), view.id, [...facts.agents, 'runner']);
    }
    wrote ||= isWritten;
  }
  return wrote;
}

/** The same rule on the same task again and again, with no step between: it would go on so for ever. */
function isStuck({ acted, refused, steps, ports }: Loop, { task, rule }: Decision): boolean {
  const done = steps.filter(({ id }) => id === task).length;
  const key = `${task} ${rule} ${done}`;
  const times = (acted.get(key) ?? 0) + 1;
  acted.set(key, times);
  if (times <= actedMax) return false;
  const why = `the rule ${rule} was acted on ${actedMax} times without effect; gza why ${task} and gza fsck may say why`;
  if (!refused.has(task)) ports.say(`  ${task}: ${why}`);
  refused.set(task, why);
  return true;
}

function mayStart(loop: Loop, view: TaskView): boolean {
  return isWanted(loop, view) && !loop.running.has(view.id) && !loop.refused.has(view.id);
}

function isOverLimit({ tasks, project, request: { choice } }: Loop, view: TaskView): boolean {
  const of = reviewedBy(view);
  // A review that a task asked for belongs to it.
  if (tasks.has(view.id) || (of !== undefined && tasks.has(of))) return false;
  if (choice.once) return tasks.size >= 1;
  const max = choice.maxTasks ?? project.config.max_tasks;
  return max !== undefined && tasks.size >= max;
}

/** Says whether it waited: what was decided before is old then. */
async function delay({ request, tasks, running, ports, acted }: Loop, id: string): Promise<boolean> {
  const { delaySeconds } = request.choice;
  const isFirst = tasks.size === 0 || tasks.has(id) || running.size > 0 || acted.has(`delayed ${id}`);
  if (delaySeconds === 0 || isFirst) return false;
  acted.set(`delayed ${id}`, 1);
  await ports.sleep(delaySeconds * 1000, ports.signal);
  return true;
}

/** What could go on but for a limit is told at the end. */
function noteWaits(loop: Loop, decisions: readonly Decision[]): void {
  loop.waits.clear();
  for (const { task, wanted, because, action } of decisions) {
    const view = loop.project.board.views.get(task);
    if (wanted && action.kind === 'wait' && view && isWanted(loop, view)) loop.waits.set(task, because);
  }
}

/**
 * A run over all tasks that has nothing left but what waits for a time (an agent's usage limit, above all) waits for
 * it, up to a bound: who starts it in the evening wants the rest in the morning. Each slice ends in a fresh look.
 */
const sliceMs = 60_000;

/** When the first of the tasks may go on that only wait for a time; null when none does. */
function nextTime(loop: Loop, decisions: readonly Decision[]): string | null {
  const times = decisions.flatMap(({ task, wanted, action }) => {
    const view = loop.project.board.views.get(task);
    const until = wanted && action.kind === 'wait' ? action.until : undefined;
    return until && view && isWanted(loop, view) && !loop.refused.has(task) ? [until] : [];
  });
  return times.toSorted()[0] ?? null;
}

/** Whether it waited; said once for each time that is waited for. */
async function waitForLimit(loop: Loop): Promise<boolean> {
  const { request, ports, nextAt, project } = loop;
  if (nextAt === null || request.scope !== 'all' || request.noWait || ports.signal.aborted) return false;
  const now = parseTime(ports.now());
  const leftMs = project.config.limit_wait_minutes * 60_000 - loop.waitedMs;
  // The clock of the limit may be a little behind this one.
  const waitMs = Math.max(0, parseTime(addSeconds(nextAt, 1)) - now);
  if (waitMs > leftMs) return false;
  if (loop.waitsFor !== nextAt) {
    loop.waitsFor = nextAt;
    const long = printDuration(Math.ceil(waitMs / 1000));
    ports.say(
      `Nothing can start before ${nextAt}: waiting ${long}. Ctrl-C ends; gza work --all goes on later.`,
    );
  }
  await ports.sleep(Math.min(sliceMs, waitMs), ports.signal);
  // Where the machine slept, more time has passed than was waited.
  loop.waitedMs += Math.max(1000, parseTime(ports.now()) - now);
  return true;
}
