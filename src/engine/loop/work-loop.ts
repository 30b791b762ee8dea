/**
 * `gza work`: plays rounds until nothing is left to do. Each round reads everything again, so that it sees
 * what another `gza work`, a person or a crash has changed. A task starts only under a claim.
 */
import { hostname } from 'node:os';
import { localFacts, localRun } from '../../app/facts/facts.ts';
import { loadProject, type OpenedProject, type Project, warnJoined } from '../../app/project.ts';
import { claimEverywhere } from '../../app/share/share.ts';
import type { TaskView } from '../../core/board/board.ts';
import {
  baselineEvents,
  failedBaselines,
  forgetBaseline,
  hasPassed,
} from '../../core/ledger/ledger-state.ts';
import type { Decision, Facts } from '../../core/policy/decide.ts';
import { firstStep, isWork, lastGood } from '../../core/policy/steps-so-far.ts';
import { clashLines } from '../../core/text/terminal/lines.ts';
import { addSeconds, parseTime, printDuration } from '../../core/time.ts';
import { type ClaimRequest, claimTask } from '../../ledger/claim.ts';
import { claimOnRemote } from '../../ledger/sync/sync.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { checkBaseline, projectChecks } from '../checks/verify.ts';
import { integrateFinished } from './integrate.ts';
import { baseOf } from './lane-of.ts';
import { agentOrder } from './plan-step.ts';
import { foresee, unstack } from './rebase-on.ts';
import { type Begun, type Front, playRound, type Round, type Settled } from './round.ts';
import { leaseSeconds, runClaimed } from './run-claimed.ts';
import { forgetTask, readSession, stateDirOf } from './state-dir.ts';
import { foldMerged, sweep } from './sweep.ts';
import {
  isWanted,
  type Loop,
  openReporter,
  reviewedBy,
  spentBy,
  type WorkPorts,
  type WorkRequest,
  type WorkResult,
} from './work-run.ts';

export async function workLoop(
  opened: OpenedProject,
  workspace: Workspace,
  request: WorkRequest,
  ports: WorkPorts,
): Promise<WorkResult> {
  const project = await loadProject(ports, opened);
  const loop: Loop = {
    request,
    ports,
    workspace,
    project,
    reporter: openReporter(ports),
    running: new Map(),
    tidying: [],
    tasks: new Set(),
    ended: new Set(),
    steps: [],
    refused: new Map(),
    unusable: new Map(),
    acted: new Map(),
    integrated: new Map(),
    scope: typeof request.scope === 'string' ? null : new Set(request.scope),
    failure: undefined,
  };
  await sweep(project, workspace, ports);
  await forgetFailedBaselines(project, ports.now());
  const { stopped, last } = await rounds(loop);
  await Promise.allSettled(loop.running.values());
  await Promise.all(loop.tidying);
  if (loop.failure !== undefined) throw loop.failure;
  const ended = await loadProject(ports, opened);
  for (const line of clashLines(await foresee(ended, workspace.repository, ports.now())))
    ports.say(`Ahead: ${line}`);
  const { steps, refused } = loop;
  const tasks = [...new Set([...loop.tasks, ...loop.ended])];
  const isBaseRed = waitingIn(loop, last).some(({ rule }) => rule === 'baseline-failed');
  const left = { waits: waitsOf(loop, last), isBaseRed, nextAt: nextTime(loop, last) };
  return {
    steps,
    tasks,
    refused,
    ...left,
    stopped,
    integrated: loop.integrated,
    project: await loadProject(ports, opened),
  };
}

async function rounds(
  loop: Loop,
): Promise<{ readonly stopped: WorkResult['stopped']; readonly last: Round }> {
  const front = frontOf(loop);
  const waitForLimit = openPatience(loop);
  for (;;) {
    const last = await playRound(front);
    if (loop.failure !== undefined) return { stopped: 'done', last };
    // The started step uses files, workers and money, so the next choice needs fresh facts.
    if (last.end === 'begun') continue;
    if (loop.running.size > 0) {
      await Promise.race(loop.running.values());
      continue;
    }
    if (last.end === 'full') return { stopped: 'limit', last };
    if (last.end === 'stopped') return { stopped: 'interrupted', last };
    if (!(await waitForLimit(nextTime(loop, last)))) return { stopped: 'done', last };
  }
}

function frontOf(loop: Loop): Front {
  const { ports, workspace, request, refused, running, reporter } = loop;
  const delayed = new Set<string>();
  const said = new Set<string>();
  return {
    now: ports.now,
    run: localRun(),
    leaseSeconds,
    submit: (project, wanted) => submit(loop, project, wanted),
    acted: loop.acted,
    look: async () => {
      loop.project = await loadProject(ports, loop.project);
      return { project: loop.project, facts: await engineFacts(loop) };
    },
    mayStart: (view) =>
      isWanted(loop, view) &&
      !running.has(view.id) &&
      !refused.has(view.id) &&
      !(request.choice.checksOnly && loop.steps.length > 0),
    mayAct: (view, { action }) => {
      const isOurs = action.kind === 'fold' || action.kind === 'record-dead' || isWanted(loop, view);
      return isOurs && !running.has(view.id) && !refused.has(view.id);
    },
    recordDead: async ({ project }) => {
      await sweep(project, workspace, ports);
      return true;
    },
    wrote: (seen, view, decision) => wrote(loop, seen.facts, view, decision),
    settled: ({ project }) => {
      reporter.ends(project, [...loop.tasks, ...loop.ended]);
      return !ports.signal.aborted;
    },
    isFull: (view) => isOverLimit(loop, view),
    wasSplit: ({ id }, segments) => {
      ports.say(`Task #${id} is split into ${segments.map((one) => `#${one}`).join(', ')}`);
      for (const one of segments) loop.scope?.add(one);
    },
    notSplit: ({ id }, why) => {
      if (!said.has(id)) ports.say(`Task #${id} is not split: ${why}`);
      said.add(id);
    },
    prepare: async (_, view) => {
      if (request.scope === 'next' && loop.scope === null) loop.scope = new Set([view.id]);
      if (await integrated(loop)) return true;
      return (await delay(loop, delayed, view.id)) || (await seeBaseline(loop, view)) || unstack(loop, view);
    },
    planning: () => ({
      repository: workspace.repository,
      choice: request.choice,
      unusable: loop.unusable,
      running: running.size,
      now: ports.now,
      random: ports.random,
      session: async (owner, wasCut) =>
        request.choice.resume || wasCut ? readSession(stateDirOf(loop.project), owner) : null,
    }),
    begin: async (_, begun) => {
      begin(loop, begun);
      return true;
    },
    refuse: (id, why) => {
      // The end of the run reports the reason once, for all tasks that it keeps from starting.
      refused.set(id, why);
    },
  };
}

/** With `--integrate`, integrates finished work before the next task starts, so that it builds on that. */
async function integrated({ request, project, workspace, tasks, ended, integrated: done, ports }: Loop) {
  if (!request.integrate) return false;
  if (!(await integrateFinished(project, workspace, [...tasks, ...ended], done, ports))) return false;
  await foldMerged(await loadProject(ports, project), workspace, ports);
  return true;
}

/** Forgets checks that failed on the base, because someone may have repaired this machine since. */
async function forgetFailedBaselines({ ledger }: Project, at: string): Promise<void> {
  await ledger.write(async (view) => {
    const marks = (await view.meta(view.base))?.marks ?? {};
    const failed = [...failedBaselines(marks, hostname(), '').keys()];
    const events = failed.map((commit) => forgetBaseline(commit, hostname(), at));
    return events.length > 0 ? { changes: [{ branch: view.base, events }] } : null;
  });
}

/**
 * Before the first work on a base, runs the project's checks on the base itself, once per commit. Returns
 * whether the facts are out of date.
 */
async function seeBaseline(loop: Loop, view: TaskView): Promise<boolean> {
  const { project, workspace, ports, request } = loop;
  const commands = projectChecks({ project, view });
  if (!commands || request.choice.checksOnly || !isWork(firstStep(view)) || lastGood(view, isWork))
    return false;
  const base = await baseOf(project, workspace.repository);
  const { ledger } = project;
  const marks = (await project.view.meta(project.view.base))?.marks ?? {};
  const from = view.record?.lane?.folded_at === undefined ? view.record?.lane?.fork_point : undefined;
  if ((from ?? base.commit) !== base.commit || hasPassed(marks, hostname(), base.commit)) return false;
  ports.live(view.id, `the checks on ${base.branch}`);
  const name = `baseline.${ports.random()}`;
  const signal = ports.stopNow;
  const found = await checkBaseline({
    project,
    view,
    workspace,
    commands,
    base,
    caller: ports.env,
    name,
    signal,
  });
  ports.live(view.id, null);
  if (!found) return !ports.signal.aborted;
  // What it looks for is made by a task: nothing is known about the base.
  const seen = found.isToCome ? { ...found, failed: null } : found;
  const at = ports.now();
  await ledger.write(async (now) => {
    const events = baselineEvents((await now.meta(now.base))?.marks ?? {}, seen, hostname(), at);
    return { changes: [{ branch: now.base, events }] };
  });
  if (seen.failed !== null)
    ports.say(
      `Nothing begins on ${base.branch} (${base.commit.slice(0, 12)}), as its checks fail without any work: ${seen.failed}. Mend them there, or set \`baseline: skip\` on the task that does.`,
    );
  return true;
}

function begin(loop: Loop, { view, job }: Begun): void {
  const { running, tasks, reporter, project } = loop;
  if (!tasks.has(view.id)) reporter.task(project, view, [...running.keys()]);
  tasks.add(view.id);
  if (job.lane?.note) reporter.line(view.id, job.lane.note);
  const done = runClaimed(loop, view, job);
  running.set(
    view.id,
    done.finally(() => running.delete(view.id)),
  );
}

/** With `--push`, the remote must accept the claim before an agent starts. */
function submit({ request, ports }: Loop, project: Project, wanted: ClaimRequest) {
  const { ledger } = project;
  if (request.offline) return claimTask(ledger, wanted);
  if (!request.push) return claimEverywhere(project, wanted, {}, ports);
  return claimOnRemote(ledger, wanted, { remote: 'origin', tell: warnJoined(ledger, ports) });
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
      // When a person names a task, its branch may be changed again despite their own commits.
      return personCommits && !named.includes(view.id) ? { ...lane, personCommits } : lane;
    },
    // After the requested check, the task follows the normal rules.
    command: (view) =>
      request.choice.checksOnly && steps.length === 0 && named.includes(view.id)
        ? { step: 'implement', by: 'a person' }
        : facts.command(view),
    alive: (claim) => running.has(claim.task) || facts.alive(claim),
    limits: Object.fromEntries(Object.entries(facts.limits).filter(([, until]) => until > ports.now())),
    parallelWorkers: choice.parallel ?? facts.parallelWorkers,
    dollarsLeft: left.length > 0 ? Math.min(...left) : null,
  };
}

async function wrote(loop: Loop, facts: Facts, view: TaskView, { action }: Decision): Promise<void> {
  const { kind } = action;
  if (kind === 'finish' || kind === 'fail') loop.ended.add(view.id);
  if (kind !== 'fold') await loop.ports.pushState?.(view.record?.lane?.branch ?? null);
  if (kind === 'finish') await forgetTask(stateDirOf(loop.project), view.id, [...facts.agents, 'runner']);
}

function isOverLimit({ tasks, project, request: { choice } }: Loop, view: TaskView): boolean {
  const of = reviewedBy(view);
  // A review that a task asked for counts with that task.
  if (tasks.has(view.id) || (of !== undefined && tasks.has(of))) return false;
  if (choice.once) return tasks.size >= 1;
  const max = choice.maxTasks ?? project.config.max_tasks;
  return max !== undefined && tasks.size >= max;
}

/** Waits between tasks. Returns whether it waited, because earlier decisions are then out of date. */
async function delay(
  { request, tasks, running, ports }: Loop,
  delayed: Set<string>,
  id: string,
): Promise<boolean> {
  const { delaySeconds } = request.choice;
  const isFirst = tasks.size === 0 || tasks.has(id) || running.size > 0 || delayed.has(id);
  if (delaySeconds === 0 || isFirst) return false;
  delayed.add(id);
  await ports.sleep(delaySeconds * 1000, ports.signal);
  return true;
}

/** Decisions that only wait for a limit, or for the base branch. */
function waitingIn(loop: Loop, { project, decisions }: Settled): readonly Decision[] {
  return decisions.filter(({ task, rule, wanted, action }) => {
    const view = project.board.views.get(task);
    const isHeld = wanted !== undefined || rule === 'baseline-failed';
    return isHeld && action.kind === 'wait' && view !== undefined && isWanted(loop, view);
  });
}

function waitsOf(loop: Loop, last: Settled): ReadonlyMap<string, string> {
  return new Map(waitingIn(loop, last).map(({ task, because }) => [task, because]));
}

/** The earliest time at which a waiting task may continue; null when none waits for a time. */
function nextTime(loop: Loop, last: Settled): string | null {
  const times = waitingIn(loop, last).flatMap(({ task, action }) => {
    const until = action.kind === 'wait' ? action.until : undefined;
    return until && !loop.refused.has(task) ? [until] : [];
  });
  return times.toSorted()[0] ?? null;
}

/**
 * When all remaining tasks wait for a time, such as the end of a usage limit, a run over all tasks waits
 * too, up to a bound. So a run started in the evening is finished in the morning. It checks the facts again
 * after each slice.
 */
const sliceMs = 60_000;

/** Makes the function that waits for a time. It returns whether it waited, and announces a time once. */
function openPatience({ request, ports, project }: Loop): (nextAt: string | null) => Promise<boolean> {
  let waitsFor: string | null = null;
  let waitedMs = 0;
  return async (nextAt) => {
    if (nextAt === null || request.scope !== 'all' || request.noWait || ports.signal.aborted) return false;
    const now = parseTime(ports.now());
    const leftMs = project.config.limit_wait_minutes * 60_000 - waitedMs;
    // A second more, because the provider's clock may be slightly behind this one.
    const waitMs = Math.max(0, parseTime(addSeconds(nextAt, 1)) - now);
    if (waitMs > leftMs) return false;
    if (waitsFor !== nextAt) {
      waitsFor = nextAt;
      const long = printDuration(Math.ceil(waitMs / 1000));
      ports.say(
        `Nothing can start before ${nextAt}: waiting ${long}. Ctrl-C ends; gza work --all goes on later.`,
      );
    }
    await ports.sleep(Math.min(sliceMs, waitMs), ports.signal);
    // Measured by the clock, because the machine may have slept longer than the timer.
    waitedMs += Math.max(1000, parseTime(ports.now()) - now);
    return true;
  };
}
