/**
 * GitHub Actions for the fake: takes the runs that events have queued, plays their job graphs with GitHub's own
 * parser and evaluator, and goes on until nothing is queued. One job at a time by default, so that a run is the
 * same every time; what a job does to the fake may queue the next run, as in life.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { condition, interpolate } from './expressions.ts';
import { bot, type Job } from './state.ts';
import {
  callOutputs,
  closeGroup,
  enlist,
  expand,
  groupStatus,
  instanceContexts,
  isCancelled,
  isDone,
  isInstanceCancelled,
  isWaitingOver,
  mayStart,
  openCall,
  scopeResult,
} from './workflow-graph.ts';
import { createGroups } from './workflow-groups.ts';
import { runJob } from './workflow-job.ts';
import { type Engine, report, type WorkflowReport } from './workflow-report.ts';
import { closeRun, isActive, isOver, startQueued } from './workflow-run.ts';
import type { JobGroup, JobInstance, Result, Scope, WorkflowOptions } from './workflow-types.ts';

export async function runWorkflows(options: WorkflowOptions): Promise<WorkflowReport> {
  const temp = mkdtempSync(join(tmpdir(), 'fake-runner-'));
  const engine: Engine = { options, temp, groups: createGroups(), active: [], jobs: [], running: new Map() };
  try {
    while (await turn(engine));
  } finally {
    await Promise.allSettled(engine.running.values());
    rmSync(temp, { recursive: true, force: true, maxRetries: 3 });
  }
  return report(engine);
}

/** One look at everything; false when all is at rest. */
async function turn(engine: Engine): Promise<boolean> {
  const { options, running } = engine;
  const before = running.size;
  await startQueued(engine);
  for (const active of engine.active)
    while (active.root && active.state !== 'done' && (await advance(engine, active.root)));
  const ready = instancesOf(engine).filter((one) => one.state === 'ready');
  const most = options.parallel ?? 1;
  if (ready.length > 0 && running.size < most) {
    const chosen = options.choose?.(ready) ?? ready[0];
    if (chosen) begin(engine, chosen);
    return true;
  }
  // What ended while this looked is looked at once more.
  if (running.size < before) return true;
  if (running.size === 0)
    return (
      !isOver(engine) &&
      options.github.state.runs.some((run) => run.status === 'queued' && !isActive(engine, run))
    );
  // What happens meanwhile starts on a machine that is free.
  await Promise.race([...running.values(), ...(running.size < most ? [wait(100)] : [])]);
  return true;
}

function instancesOf(engine: Engine): JobInstance[] {
  const of = (scope: Scope | null): JobInstance[] =>
    scope
      ? [...scope.groups.values()].flatMap((group) =>
          group.instances.flatMap((one) => (one.scope ? of(one.scope) : [one])),
        )
      : [];
  return engine.active.flatMap((one) => of(one.root));
}

/** Moves a workflow's jobs on as far as they go without running one; true when something moved. */
async function advance(engine: Engine, scope: Scope): Promise<boolean> {
  let moved = false;
  for (const group of scope.groups.values()) {
    if (isWaitingOver(group)) moved = openGroup(engine, group) || moved;
    for (const one of group.instances) {
      if (one.state === 'ready' && group.definition.uses) moved = (await call(engine, one)) || moved;
      if (one.state === 'running' && one.scope) moved = (await advanceCall(engine, one, one.scope)) || moved;
    }
    if (group.state === 'open' && group.instances.every((one) => one.state === 'done')) {
      closeGroup(group);
      moved = true;
    }
  }
  const { active } = scope;
  if (scope.caller === null && isDone(scope) && active.state !== 'done') {
    closeRun(engine, active, active.run.conclusion === 'cancelled' ? 'cancelled' : scopeResult(scope));
    return false;
  }
  return moved;
}

function openGroup(engine: Engine, group: JobGroup): boolean {
  const { options } = engine;
  try {
    if (!mayStart(group, options)) {
      group.result = isCancelled(group.scope) ? 'cancelled' : 'skipped';
      Object.assign(group, { state: 'done', tainted: groupStatus(group).failure });
      noteUnstarted(engine, group, group.result);
      return true;
    }
    group.instances = expand(group, options);
  } catch (error) {
    Object.assign(group, { state: 'done', result: 'failure', tainted: true });
    noteUnstarted(engine, group, 'failure', error instanceof Error ? error.message : String(error));
    return true;
  }
  group.state = 'open';
  for (const one of group.instances) enterGroup(engine, one);
  return true;
}

function noteUnstarted({ options, jobs }: Engine, group: JobGroup, result: Result, message?: string): void {
  const { active, prefix } = group.scope;
  const { state } = options.github;
  const name = `${prefix}${group.id}`;
  active.run.jobs.push({
    id: state.nextId++,
    name,
    status: 'completed',
    conclusion: result,
    startedAt: state.now,
    completedAt: state.now,
  });
  jobs.push({
    runId: active.run.id,
    workflow: active.run.workflow,
    name,
    result,
    permissions: {},
    secrets: [],
    outputs: {},
    steps: [],
    messages: message ? [message] : [],
  });
}

function enterGroup(engine: Engine, one: JobInstance): void {
  const { options, groups } = engine;
  const { definition } = one.group;
  if (!definition.uses) enlist(one, options.github.state);
  one.state = 'pending';
  const start = () => void (one.state = 'ready');
  const cancel = (reason: string) => {
    one.record.messages.push(reason);
    one.abort.abort();
    if (one.scope) one.scope.cancelled = true;
    if (one.state === 'pending' || one.state === 'ready') finish(engine, one, 'cancelled');
  };
  if (definition.concurrency === undefined) start();
  else
    one.release = groups.enter(interpolate(definition.concurrency, instanceContexts(one, options)), {
      start,
      cancel,
    });
}

async function call(engine: Engine, one: JobInstance): Promise<boolean> {
  one.scope = await openCall(one, engine.options);
  one.state = 'running';
  return true;
}

async function advanceCall(engine: Engine, one: JobInstance, scope: Scope): Promise<boolean> {
  const moved = await advance(engine, scope);
  if (!isDone(scope)) return moved;
  one.outputs = callOutputs(scope, engine.options);
  finish(engine, one, scopeResult(scope));
  return true;
}

function begin(engine: Engine, one: JobInstance): void {
  const work = execute(engine, one).finally(() => engine.running.delete(one));
  engine.running.set(one, work);
}

function jobOf(one: JobInstance): Job | undefined {
  return one.group.scope.active.run.jobs.find((job) => job.name === one.name && job.status !== 'completed');
}

async function execute(engine: Engine, one: JobInstance): Promise<void> {
  const { options, temp } = engine;
  const { github } = options;
  const { scope, definition } = one.group;
  const isStopped = () => isInstanceCancelled(one);
  if (isStopped() && !condition(definition.if, instanceContexts(one, options), groupStatus(one.group)))
    return finish(engine, one, 'cancelled');
  one.state = 'running';
  Object.assign(jobOf(one) ?? {}, { status: 'in_progress', startedAt: github.state.now });
  // A job that runs although its run was cancelled (always()) is not cancelled a second time.
  const wasStopped = isStopped();
  const secret = github.token({
    kind: 'actions',
    login: bot.login,
    permissions: one.record.permissions,
    runId: scope.active.run.id,
    job: one.name,
  });
  const result = await runJob(one, options, {
    token: secret,
    temp,
    isCancelled: () => !wasStopped && isStopped(),
  });
  const token = github.state.tokens[secret];
  if (token) token.revoked = true;
  finish(engine, one, result);
}

function finish(engine: Engine, one: JobInstance, result: Result): void {
  const { group, record } = one;
  const isForgiven =
    result === 'failure' &&
    interpolate(group.definition['continue-on-error'] ?? false, instanceContexts(one, engine.options)) ===
      true;
  Object.assign(record, { result, outputs: one.outputs });
  Object.assign(jobOf(one) ?? {}, {
    status: 'completed',
    conclusion: result,
    completedAt: engine.options.github.state.now,
    log: record.steps.map(({ name, log }) => `##[group]Run ${name}\n${log}`).join('\n'),
  });
  one.state = 'done';
  one.result = isForgiven ? 'success' : result;
  if (!group.definition.uses) engine.jobs.push(record);
  // Of jobs that set the same output, the last to end wins.
  for (const [name, value] of Object.entries(one.outputs)) if (value !== '') group.outputs[name] = value;
  one.release();
  if (one.result === 'failure' && group.definition.strategy?.['fail-fast'] !== false) stopOthers(engine, one);
}

function stopOthers(engine: Engine, failed: JobInstance): void {
  for (const other of failed.group.instances) {
    if (other === failed || other.state === 'done') continue;
    other.abort.abort();
    if (other.scope) other.scope.cancelled = true;
    else if (other.state !== 'running') finish(engine, other, 'cancelled');
  }
}
