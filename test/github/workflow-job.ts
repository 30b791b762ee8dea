/** One job on one fresh machine: its steps in order, their files, their actions, what they leave behind. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { builtinActions } from './builtin-actions.ts';
import {
  asText,
  type Contexts,
  condition,
  interpolate,
  interpolateMap,
  interpolateText,
  type StatusFunctions,
} from './expressions.ts';
import {
  inputEnvironment,
  type ProcessRun,
  runnerEnvironment,
  runProcess,
  type StepResult,
} from './runner.ts';
import { githubContext, jobContexts, jobFacts, strategyContext } from './workflow-contexts.ts';
import { folderSource, locate, type Source } from './workflow-source.ts';
import type {
  JobInstance,
  Json,
  Result,
  StepAnswer,
  StepDefinition,
  WorkflowOptions,
} from './workflow-types.ts';

export interface JobRun {
  readonly instance: JobInstance;
  readonly options: WorkflowOptions;
  readonly token: string;
  readonly workspace: string;
  readonly temp: string;
  readonly base: Record<string, string>;
  readonly env: Record<string, string>;
  readonly path: string[];
  readonly masks: Set<string>;
  readonly posts: (() => Promise<void>)[];
  readonly isCancelled: () => boolean;
  endsAt: number;
  status: 'success' | 'failure' | 'cancelled';
}

/** Steps see each other only within one list: a job's, or a composite action's. */
interface Frame {
  readonly steps: Record<string, { outputs: Record<string, string>; outcome: Result; conclusion: Result }>;
  readonly inputs: Json;
  readonly source: Source;
  readonly actionPath: string;
  readonly env: Json;
}

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
  const minutes = Number(definition['timeout-minutes'] ?? 360);
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
    endsAt: Date.now() + minutes * (options.minuteMs ?? 60_000),
    status: 'success',
  };
  const frame: Frame = { steps: {}, inputs: scope.inputs, source: scope.source, actionPath: '', env: {} };
  Object.assign(job.env, interpolateMap(scope.content['env'], contexts(job, frame)));
  Object.assign(job.env, interpolateMap(definition.env, contexts(job, frame)));
  await runSteps(job, frame, definition.steps ?? []);
  for (const post of job.posts.reverse()) await post();
  instance.outputs = jobOutputs(job, frame);
  return job.status;
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

function contexts(job: JobRun, frame: Frame): Contexts {
  const { instance, options } = job;
  const { scope, needs } = instance.group;
  return jobContexts(scope, needs, options, {
    github: githubContext(scope, options, {
      token: job.token,
      workspace: job.workspace,
      job: instance.group.id,
      action_path: frame.actionPath,
    }),
    env: { ...job.env, ...frame.env },
    inputs: frame.inputs,
    matrix: instance.matrix,
    strategy: strategyContext(instance),
    steps: frame.steps,
    secrets: { ...scope.secrets, GITHUB_TOKEN: job.token },
    job: { status: job.status, workflow_ref: scope.source.label, workflow_file_path: scope.path },
    runner: {
      os: 'Linux',
      arch: 'X64',
      name: 'fake',
      temp: job.temp,
      tool_cache: join(job.temp, 'tools'),
      environment: 'github-hosted',
    },
  });
}

function status(job: JobRun): StatusFunctions {
  const cancelled = job.isCancelled();
  if (cancelled) job.status = 'cancelled';
  return {
    success: job.status === 'success',
    failure: job.status === 'failure',
    cancelled: job.status === 'cancelled',
  };
}

/** False when a step failed that may not. */
async function runSteps(job: JobRun, frame: Frame, steps: readonly StepDefinition[]): Promise<boolean> {
  let fine = true;
  for (const [at, step] of steps.entries()) {
    const name = step.id ?? `__${at}`;
    if (!condition(step.if, contexts(job, frame), status(job))) {
      frame.steps[name] = { outputs: {}, outcome: 'skipped', conclusion: 'skipped' };
      continue;
    }
    const result = await runStep(job, { ...frame, env: { ...frame.env } }, step);
    const failed = result.exitCode !== 0;
    const timedOut = Date.now() > job.endsAt;
    const isAllowed =
      failed && interpolate(step['continue-on-error'] ?? false, contexts(job, frame)) === true;
    const outcome: Result = job.isCancelled() || timedOut ? 'cancelled' : failed ? 'failure' : 'success';
    frame.steps[name] = { outputs: result.outputs, outcome, conclusion: isAllowed ? 'success' : outcome };
    note(job, frame, step, outcome, result);
    if (timedOut) {
      job.instance.record.messages.push('The job has exceeded the maximum execution time.');
      job.status = 'cancelled';
      // What is always() has five more minutes.
      job.endsAt = Date.now() + 5 * (job.options.minuteMs ?? 60_000);
    } else if (failed && !isAllowed && !job.isCancelled()) {
      job.status = 'failure';
      fine = false;
    }
    if (!fine && frame.actionPath) break;
  }
  return fine;
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

const nothingSaid: StepResult = {
  exitCode: 0,
  log: '',
  outputs: {},
  state: {},
  env: {},
  path: [],
  summary: '',
  errors: [],
  annotations: [],
  masks: new Set(),
  maskedOutputs: [],
};

const failed = (log: string): StepResult => ({
  ...nothingSaid,
  exitCode: 1,
  log,
  annotations: [{ level: 'error', title: '', message: log }],
});

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

async function stepCall(job: JobRun, frame: Frame, step: StepDefinition) {
  const { github } = job.options;
  return {
    github,
    inputs: interpolateMap(step.with, contexts(job, frame)),
    workspace: job.workspace,
    temp: job.temp,
    token: job.token,
    run: job.instance.group.scope.active.run,
    server: github.serverUrl,
  };
}

function answered(job: JobRun, { outputs = {}, failed: why, post }: StepAnswer): StepResult {
  if (post) job.posts.push(async () => post());
  return why ? failed(why) : { ...nothingSaid, outputs };
}

async function runScript(
  job: JobRun,
  frame: Frame,
  step: StepDefinition,
  env: Record<string, string>,
): Promise<StepResult> {
  const text = interpolateText(step.run, contexts(job, frame));
  const file = join(mkdtempSync(join(job.temp, 'script-')), 'script.sh');
  writeFileSync(file, text);
  const defaults = (job.instance.group.definition['defaults'] ??
    job.instance.group.scope.content['defaults'] ??
    {}) as { run?: Json };
  const shell = asText(step.shell ?? defaults.run?.['shell']) || 'default';
  const shells: Record<string, string> = {
    default: 'bash -e {0}',
    bash: 'bash --noprofile --norc -eo pipefail {0}',
    sh: 'sh -e {0}',
    node: 'node {0}',
  };
  const [command = 'bash', ...args] = (shells[shell] ?? shell)
    .split(' ')
    .map((part) => part.replace('{0}', file));
  const directory = interpolateText(
    step['working-directory'] ?? defaults.run?.['working-directory'],
    contexts(job, frame),
  );
  return start(job, step, { command, args, cwd: resolve(job.workspace, directory), env: { ...env } });
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
  return runNode(job, step, {
    folder,
    inputs,
    env,
    main: String(action.runs['main']),
    post: action.runs['post'],
  });
}

function actionInputs(
  job: JobRun,
  frame: Frame,
  step: StepDefinition,
  rules: Record<string, { default?: unknown } | null>,
): Record<string, string> {
  const given = interpolateMap(step.with, contexts(job, frame));
  const inputs: Record<string, string> = {};
  for (const [name, rule] of Object.entries(rules))
    inputs[name] = interpolateText(rule?.default ?? '', contexts(job, frame));
  for (const [name, value] of Object.entries(given)) {
    const known = Object.keys(rules).find((one) => one.toLowerCase() === name.toLowerCase());
    // The runner only warns; a test wants to know.
    if (!known)
      job.instance.record.messages.push(
        `Unexpected input(s) '${name}', valid inputs are ['${Object.keys(rules).join("', '")}']`,
      );
    inputs[known ?? name] = value;
  }
  return inputs;
}

interface NodeAction {
  readonly folder: string;
  readonly inputs: Record<string, string>;
  readonly env: Record<string, string>;
  readonly main: string;
  readonly post: unknown;
}

async function runNode(
  job: JobRun,
  step: StepDefinition,
  { folder, inputs, env, main, post }: NodeAction,
): Promise<StepResult> {
  const command = job.options.node ?? process.execPath;
  const given = { ...env, ...inputEnvironment(inputs), GITHUB_ACTION_PATH: folder };
  const result = await start(job, step, {
    command,
    args: [join(folder, main)],
    cwd: job.workspace,
    env: given,
  });
  if (typeof post === 'string')
    job.posts.push(async () => {
      const state = Object.fromEntries(
        Object.entries(result.state).map(([name, value]) => [`STATE_${name}`, value]),
      );
      const after = await start(job, step, {
        command,
        args: [join(folder, post)],
        cwd: job.workspace,
        env: { ...given, ...state },
      });
      job.instance.record.steps.push({
        ...after,
        name: `Post ${step.name ?? step.uses ?? ''}`,
        uses: step.uses ?? '',
        outcome: after.exitCode === 0 ? 'success' : 'failure',
      });
    });
  return result;
}

async function start(
  job: JobRun,
  step: StepDefinition,
  run: Pick<ProcessRun, 'command' | 'args' | 'cwd' | 'env'>,
): Promise<StepResult> {
  const { options, instance } = job;
  const kill = options.kill?.(instance.record, step.id ?? step.name ?? step.uses ?? '');
  const stepEnds =
    step['timeout-minutes'] === undefined
      ? Number.POSITIVE_INFINITY
      : Number(step['timeout-minutes']) * (options.minuteMs ?? 60_000);
  const path = [...job.path, job.base['PATH']].join(':');
  const result = await runProcess({
    ...run,
    env: { ...job.base, ...job.env, ...run.env, PATH: path },
    temp: job.temp,
    secrets: [...job.masks],
    timeoutMs: Math.max(1, Math.min(stepEnds, job.endsAt - Date.now(), 2 ** 31 - 1)),
    isCancelled: job.isCancelled,
    ...(kill ? { kill: { ...kill, github: options.github } } : {}),
  });
  Object.assign(job.env, result.env);
  job.path.unshift(...result.path);
  for (const mask of result.masks) job.masks.add(mask);
  return result;
}
