/** What one job's steps share, and how one process of it is started. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  asText,
  type Contexts,
  interpolateMap,
  interpolateText,
  type StatusFunctions,
} from './expressions.ts';
import { inputEnvironment, type ProcessRun, runProcess, type StepResult } from './runner.ts';
import { githubContext, jobContexts, strategyContext } from './workflow-contexts.ts';
import { type Source } from './workflow-source.ts';
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
  /** The machine is gone: nothing of the job runs any more. */
  isLost: boolean;
  /** A step was already ended for the cancel; those that still run are left in peace. */
  isTold: boolean;
  status: 'success' | 'failure' | 'cancelled';
}

/** Steps see each other only within one list: a job's, or a composite action's. */
export interface Frame {
  readonly steps: Record<string, { outputs: Record<string, string>; outcome: Result; conclusion: Result }>;
  readonly inputs: Json;
  readonly source: Source;
  readonly actionPath: string;
  readonly env: Json;
}

export function contexts(job: JobRun, frame: Frame): Contexts {
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

export function status(job: JobRun): StatusFunctions {
  const cancelled = job.isCancelled();
  if (cancelled) Object.assign(job, { status: 'cancelled', isTold: true });
  return {
    success: job.status === 'success',
    failure: job.status === 'failure',
    cancelled: job.status === 'cancelled',
  };
}

export const nothingSaid: StepResult = {
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

export const failed = (log: string): StepResult => ({
  ...nothingSaid,
  exitCode: 1,
  log,
  annotations: [{ level: 'error', title: '', message: log }],
});

export async function stepCall(job: JobRun, frame: Frame, step: StepDefinition) {
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

export function answered(job: JobRun, { outputs = {}, failed: why, post }: StepAnswer): StepResult {
  if (post) job.posts.push(async () => post());
  return why ? failed(why) : { ...nothingSaid, outputs };
}

export async function runScript(
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
  // Only the scripts of a composite action learn where it lies.
  const place: Record<string, string> = frame.actionPath ? { GITHUB_ACTION_PATH: frame.actionPath } : {};
  const cwd = resolve(job.workspace, directory);
  return start(job, frame, step, { command, args, cwd, env: { ...env, ...place } });
}

export function actionInputs(
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
  readonly uses: string;
}

export async function runNode(
  job: JobRun,
  frame: Frame,
  step: StepDefinition,
  { folder, inputs, env, main, post, uses }: NodeAction,
): Promise<StepResult> {
  const command = job.options.node ?? process.execPath;
  const [, repository = '', version = ''] = /^([^/.]+\/[^/@]+)[^@]*@(.+)$/.exec(uses) ?? [];
  const self = { GITHUB_ACTION_REPOSITORY: repository, GITHUB_ACTION_REF: version };
  const given = { ...env, ...inputEnvironment(inputs), ...self };
  const result = await start(job, frame, step, {
    command,
    args: [join(folder, main)],
    cwd: job.workspace,
    env: given,
    inProcess: job.options.inProcess,
  });
  if (typeof post === 'string')
    job.posts.push(async () => {
      const state = Object.fromEntries(
        Object.entries(result.state).map(([name, value]) => [`STATE_${name}`, value]),
      );
      const after = await start(job, frame, step, {
        command,
        args: [join(folder, post)],
        cwd: job.workspace,
        env: { ...given, ...state },
        inProcess: job.options.inProcess,
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
  frame: Frame,
  step: StepDefinition,
  run: Pick<ProcessRun, 'command' | 'args' | 'cwd' | 'env' | 'inProcess'>,
): Promise<StepResult> {
  const { options, instance } = job;
  const kill = options.kill?.(instance.record, step.id ?? step.name ?? step.uses ?? '');
  const asked = Number(
    interpolateText(step['timeout-minutes'], contexts(job, frame)) || Number.POSITIVE_INFINITY,
  );
  const stepEnds = asked * (options.minuteMs ?? 60_000);
  const path = [...job.path, job.base['PATH']].join(':');
  const result = await runProcess({
    ...run,
    env: { ...job.base, ...job.env, ...run.env, PATH: path },
    temp: job.temp,
    secrets: [...job.masks],
    timeoutMs: Math.max(1, Math.min(stepEnds, job.endsAt - Date.now(), 2 ** 31 - 1)),
    isCancelled: () => !job.isTold && job.isCancelled(),
    ...(kill ? { kill: { ...kill, github: options.github } } : {}),
  });
  if (kill?.machine && result.exitCode === -1) job.isLost = true;
  Object.assign(job.env, result.env);
  job.path.unshift(...result.path);
  for (const mask of result.masks) job.masks.add(mask);
  return result;
}
