/**
 * GitHub Actions for the fake: takes the runs that events have queued, plays their job graphs with GitHub's own
 * parser and evaluator, and goes on until nothing is queued. One job at a time by default, so that a run is the
 * same every time; what a job does to the fake may queue the next run, as in life.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { condition, interpolate } from './expressions.ts';
import { defaultPermissions, parsePermissions } from './permissions.ts';
import { bot, type Job, type Permissions, type Run } from './state.ts';
import { triggersOf } from './triggers.ts';
import { checkWorkflow, loadWorkflow } from './workflow-check.ts';
import { githubContext } from './workflow-contexts.ts';
import {
  callOutputs,
  closeGroup,
  createScope,
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
import { createGroups, type Groups } from './workflow-groups.ts';
import { runJob } from './workflow-job.ts';
import { commitSource } from './workflow-source.ts';
import type {
  ActiveRun,
  JobGroup,
  JobInstance,
  JobRecord,
  Json,
  Result,
  Scope,
  WorkflowOptions,
} from './workflow-types.ts';

export interface WorkflowReport {
  readonly runs: readonly Run[];
  readonly jobs: readonly JobRecord[];
  /** The one job with this name; throws, with all names, when there is none or more than one. */
  job(name: string): JobRecord;
  /** Everything that happened, for the message of a failing test. */
  transcript(): string;
}

interface Engine {
  readonly options: WorkflowOptions;
  readonly temp: string;
  readonly groups: Groups;
  readonly active: ActiveRun[];
  readonly jobs: JobRecord[];
  readonly running: Map<JobInstance, Promise<void>>;
}

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
  if (running.size === 0)
    return options.github.state.runs.some((run) => run.status === 'queued' && !isActive(engine, run));
  await Promise.race(running.values());
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

function isActive(engine: Engine, run: Run): boolean {
  return engine.active.some((one) => one.run === run && one.state !== 'done');
}

async function startQueued(engine: Engine): Promise<void> {
  const { github, runsMax = 60 } = engine.options;
  for (const run of github.state.runs) {
    if (run.status !== 'queued' || isActive(engine, run)) continue;
    if (engine.active.length >= runsMax)
      throw new Error(
        `Workflows do not come to rest: more than ${runsMax} runs.\n${report(engine).transcript()}`,
      );
    await openRun(engine, run);
  }
}

async function openRun(engine: Engine, run: Run): Promise<void> {
  const { options, groups } = engine;
  const active: ActiveRun = { run, root: null, release: () => {}, state: 'pending' };
  engine.active.push(active);
  const source = commitSource(options.github, run.headSha, engine.temp);
  const content = (await loadWorkflow(source, run.workflow)) ?? {};
  const permissions = topPermissions(options, run, content);
  const errors = await checkWorkflow({ source, path: run.workflow, content, permissions, depth: 0 }, options);
  if (errors.length > 0) return failToStart(engine, active, errors);
  const secrets = isFromFork(options, run) ? {} : { ...options.secrets };
  const scope = createScope({
    active,
    source,
    path: run.workflow,
    content,
    inputs: dispatchInputs(run, content),
    secrets,
    permissions,
    prefix: '',
    caller: null,
  });
  const start = () => {
    active.root = scope;
    active.state = 'started';
    run.status = 'in_progress';
  };
  const cancel = (reason: string) => {
    run.message = reason;
    run.conclusion = 'cancelled';
    if (active.state === 'pending') closeRun(engine, active, 'cancelled');
  };
  if (content['concurrency'] === undefined) return start();
  run.status = 'pending';
  const setting = interpolate(content['concurrency'], {
    github: githubContext(scope, options),
    inputs: scope.inputs,
    vars: options.variables ?? {},
  });
  active.release = groups.enter(setting, { start, cancel });
}

function topPermissions(options: WorkflowOptions, run: Run, content: Json): Permissions {
  const fallback = defaultPermissions(options.github.state.settings.defaultPermissions);
  const asked = parsePermissions(content['permissions'], fallback);
  return isFromFork(options, run) ? readOnly(asked) : asked;
}

function readOnly(permissions: Permissions): Permissions {
  return Object.fromEntries(
    Object.entries(permissions).map(([name, level]) => [name, level === 'write' ? 'read' : level]),
  );
}

/** A fork's pull request runs without secrets and may only read; pull_request_target is the base's own. */
function isFromFork({ github }: WorkflowOptions, run: Run): boolean {
  const pull = run.payload['pull_request'] as { head?: { repo?: { full_name?: string } } } | undefined;
  const from = pull?.head?.repo?.full_name;
  return (
    run.event !== 'pull_request_target' &&
    from !== undefined &&
    from !== `${github.state.owner}/${github.state.repo}`
  );
}

/** `inputs` of a dispatch have the types of the file; `github.event.inputs` are text. */
function dispatchInputs(run: Run, content: Json): Json {
  const rules = (triggersOf(content)['workflow_dispatch']?.['inputs'] ?? {}) as Record<
    string,
    { type?: string } | null
  >;
  const given = (run.payload['inputs'] ?? {}) as Record<string, string>;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      rules[name]?.type === 'boolean'
        ? value === 'true'
        : rules[name]?.type === 'number'
          ? Number(value)
          : value,
    ]),
  );
}

function failToStart(engine: Engine, active: ActiveRun, errors: readonly string[]): void {
  active.run.message = errors.join('\n');
  closeRun(engine, active, 'startup_failure');
}

function closeRun({ options }: Engine, active: ActiveRun, conclusion: string): void {
  const { run } = active;
  active.state = 'done';
  Object.assign(run, { status: 'completed', conclusion, updatedAt: options.github.state.now });
  active.release();
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

function report(engine: Engine): WorkflowReport {
  const { jobs } = engine;
  return {
    runs: engine.active.map((one) => one.run),
    jobs,
    job(name) {
      const found = jobs.filter((one) => one.name === name);
      const [only] = found;
      if (!only || found.length > 1)
        throw new Error(
          `${found.length} jobs are named ${name}; there are: ${jobs.map((one) => one.name).join(', ')}`,
        );
      return only;
    },
    transcript: () =>
      [
        ...engine.active.map(
          ({ run }) =>
            `run ${run.id} ${run.workflow} ${run.event} by ${run.actor}: ${run.status} ${run.conclusion} ${run.message ?? ''}`,
        ),
        ...jobs.flatMap((job) => [
          `job ${job.runId} ${job.name}: ${job.result} ${job.messages.join('; ')}`,
          ...job.steps.map(
            (step) =>
              `  ${step.outcome} ${step.name}${step.log ? `\n${step.log.replace(/^/gm, '    ')}` : ''}`,
          ),
        ]),
      ].join('\n'),
  };
}
