/** One job on one fresh machine: its steps in order, their files, their actions, what they leave behind. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { builtinActions } from './builtin-actions.ts';
import { condition, interpolate, interpolateMap, interpolateText } from './expressions.ts';
import {
  actionInputs,
  answered,
  contexts,
  type Frame,
  failed,
  type JobRun,
  nothingSaid,
  runNode,
  runScript,
  status,
  stepCall,
} from './job-run.ts';
import { runnerEnvironment, type StepResult } from './runner.ts';
import { jobFacts } from './workflow-contexts.ts';
import { folderSource, locate } from './workflow-source.ts';
import type { JobInstance, Json, Result, StepDefinition, WorkflowOptions } from './workflow-types.ts';

export async function runJob(
  instance: JobInstance,
  options: WorkflowOptions,
  { token, temp, isCancelled }: { token: string; temp: string; isCancelled: () => boolean },
): Promise<Result> {
  const folder = mkdtempSync(join(temp, 'job-'));
  const workspace = join(folder, 'work');
  const runnerTemp = join(folder, 'temp');
  for (const one of [workspace, runnerTemp]) mkdirSync(one);
  const { scope, definition, id } = instance.group;
  const job: JobRun = {
    instance,
    options,
    token,
    workspace,
    temp: runnerTemp,
    base: {
      ...runnerEnvironment(options.github, jobFacts(scope, id, workspace, runnerTemp)),
      ...options.env,
    },
    env: {},
    path: options.path ? [options.path] : [],
    masks: new Set([token, ...Object.values(scope.secrets)]),
    posts: [],
    isCancelled,
    endsAt: Number.POSITIVE_INFINITY,
    isLost: false,
    isTold: false,
    status: 'success',
  };
  const frame: Frame = { steps: {}, inputs: scope.inputs, source: scope.source, actionPath: '', env: {} };
  const minutes = Number(interpolateText(definition['timeout-minutes'], contexts(job, frame)) || 360);
  job.endsAt = Date.now() + minutes * (options.minuteMs ?? 60_000);
  instance.record.runsOn = interpolate(definition['runs-on'], contexts(job, frame));
  const wrong = noRunner(job) ?? unresolved(job, definition.steps ?? []);
  if (wrong) {
    instance.record.messages.push(wrong);
    return 'failure';
  }
  Object.assign(job.env, interpolateMap(scope.content['env'], contexts(job, frame)));
  Object.assign(job.env, interpolateMap(definition.env, contexts(job, frame)));
  await runSteps(job, frame, definition.steps ?? []);
  if (job.isLost) return 'failure';
  for (const post of job.posts.reverse()) await post();
  instance.outputs = jobOutputs(job, frame);
  return job.status;
}

const hosted = /^(ubuntu|windows|macos)-/;

/**
 * A callee of another owner is given the caller's hosted runners, and none of its own machines (docs, reuse workflows,
 * "Using runners in reusable workflows"); what nobody takes fails after 24 hours (docs, self-hosted runners).
 */
function noRunner({ instance: { record, group }, options }: JobRun): string | undefined {
  const { owner } = group.scope.source;
  const labels = [record.runsOn].flat().map(String);
  const isOwn = owner === options.github.state.owner || labels.every((one) => hosted.test(one));
  return isOwn
    ? undefined
    : `No runner took the job in 24 hours: ${owner} has none with ${labels.join(', ')}.`;
}

/** Every action is fetched before the first step (actions/runner, ActionManager.PrepareActionsAsync). */
function unresolved({ instance, options }: JobRun, steps: readonly StepDefinition[]): string | undefined {
  for (const { uses = './' } of steps) {
    const name = uses.split('@')[0] ?? '';
    if (uses.startsWith('./') || options.actions?.[name] || builtinActions[name]) continue;
    const located = locate(uses, instance.group.scope.source, options);
    if (typeof located === 'string') return located;
  }
  return undefined;
}

/** A value with a secret in it does not leave the job. */
function jobOutputs(job: JobRun, frame: Frame): Record<string, string> {
  const outputs = interpolateMap(job.instance.group.definition.outputs, contexts(job, frame));
  for (const [name, value] of Object.entries(outputs)) {
    if (![...job.masks].some((mask) => value.includes(mask))) continue;
    job.instance.record.messages.push(`Skip output '${name}' since it may contain secret.`);
    delete outputs[name];
  }
  return outputs;
}

/** False when a step failed that may not. */
async function runSteps(job: JobRun, frame: Frame, steps: readonly StepDefinition[]): Promise<boolean> {
  let fine = true;
  for (const [at, step] of steps.entries()) {
    const name = step.id ?? `__${at}`;
    const isWanted = () => condition(step.if, contexts(job, frame), status(job));
    if (isWanted() && (await isLostBefore(job, step))) return false;
    if (!isWanted()) {
      frame.steps[name] = { outputs: {}, outcome: 'skipped', conclusion: 'skipped' };
      continue;
    }
    const [statusBefore, postedBefore] = [job.status, job.isTold];
    const result = await runStep(job, { ...frame, env: { ...frame.env } }, step);
    const failed = result.exitCode !== 0;
    const timedOut = Date.now() > job.endsAt;
    const isAllowed =
      failed && interpolate(step['continue-on-error'] ?? false, contexts(job, frame)) === true;
    const isEnded = timedOut || (!postedBefore && job.isCancelled());
    const outcome: Result = isEnded ? 'cancelled' : failed ? 'failure' : 'success';
    frame.steps[name] = { outputs: result.outputs, outcome, conclusion: isAllowed ? 'success' : outcome };
    note(job, frame, step, outcome, result);
    if (job.isLost) return false;
    if (timedOut) {
      job.instance.record.messages.push('The job has exceeded the maximum execution time.');
      job.status = 'cancelled';
      // What is always() has five more minutes.
      job.endsAt = Date.now() + 5 * (job.options.minuteMs ?? 60_000);
    } else if (failed && !isAllowed && !job.isCancelled()) {
      job.status = 'failure';
      fine = false;
    }
    // What failed inside a composite action is forgiven with it.
    if (isAllowed) job.status = statusBefore;
  }
  return fine;
}

async function isLostBefore(job: JobRun, step: StepDefinition): Promise<boolean> {
  const name = step.id ?? step.name ?? step.uses ?? '';
  job.isLost = (await job.options.beforeStep?.(job.instance.record, name)) === 'lost';
  return job.isLost;
}

function note(job: JobRun, frame: Frame, step: StepDefinition, outcome: Result, result: StepResult): void {
  job.instance.record.steps.push({
    name: step.name
      ? interpolateText(step.name, contexts(job, frame))
      : (step.uses ?? step.run?.split('\n')[0] ?? ''),
    uses: step.uses ?? '',
    outcome,
    exitCode: result.exitCode,
    log: result.log,
    outputs: result.outputs,
    summary: result.summary,
    annotations: result.annotations,
  });
}

async function runStep(job: JobRun, frame: Frame, step: StepDefinition): Promise<StepResult> {
  Object.assign(frame.env, interpolateMap(step.env, contexts(job, frame)));
  const env = interpolateMap(frame.env, {});
  if (step.run !== undefined) return runScript(job, frame, step, env);
  const uses = step.uses ?? '';
  const name = uses.split('@')[0] ?? '';
  const handler = job.options.actions?.[name] ?? builtinActions[name];
  if (handler) return answered(job, await handler(await stepCall(job, frame, step)));
  return useAction(job, frame, step, uses, env);
}

async function useAction(
  job: JobRun,
  frame: Frame,
  step: StepDefinition,
  uses: string,
  env: Record<string, string>,
): Promise<StepResult> {
  // `./` in a step is the workspace, as checked out; only `$/` is the workflow's own repository.
  const here = uses.startsWith('./') ? folderSource('workspace', job.workspace) : frame.source;
  const located = locate(uses, here, job.options);
  if (typeof located === 'string') return failed(located);
  const folder = join(await located.source.folder(), located.path);
  const text =
    (await located.source.read(join(located.path, 'action.yml'))) ??
    (await located.source.read(join(located.path, 'action.yaml')));
  if (text === null)
    return failed(
      `Can't find 'action.yml' under '${uses}'. Did you forget to run actions/checkout before running your local action?`,
    );
  const action = parse(text) as {
    inputs?: Record<string, { default?: unknown } | null>;
    outputs?: Record<string, { value?: string }>;
    runs: Json;
  };
  const inputs = actionInputs(job, frame, step, action.inputs ?? {});
  const inner: Frame = { steps: {}, inputs, source: located.source, actionPath: folder, env: frame.env };
  const using = String(action.runs['using']);
  if (using === 'composite') {
    const fine = await runSteps(job, inner, (action.runs['steps'] ?? []) as StepDefinition[]);
    const outputs = Object.fromEntries(
      Object.entries(action.outputs ?? {}).map(([name, one]) => [
        name,
        interpolateText(one.value, contexts(job, inner)),
      ]),
    );
    return { ...nothingSaid, outputs, exitCode: fine ? 0 : 1 };
  }
  if (!/^node(20|24)$/.test(using)) return failed(`'using: ${using}' is not supported`);
  return runNode(job, frame, step, {
    folder,
    inputs,
    env,
    main: String(action.runs['main']),
    post: action.runs['post'],
    uses,
  });
}
