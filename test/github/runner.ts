/**
 * A built action run as the runner runs it: a child process, nothing of our environment, inputs as INPUT_*, the
 * event in a file, the step's files there and empty, masks applied, limits kept.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { isFree, runInProcess } from '../in-process.ts';
import type { Github } from './github.ts';
import { createStepFiles, readStepFiles, type StepSaid, stepFileEnvironment } from './step-files.ts';
import { type Annotation, createCommandReader } from './workflow-commands.ts';

export interface ProcessRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Folder for the step's files. */
  readonly temp: string;
  readonly secrets?: readonly string[];
  readonly timeoutMs?: number;
  /** Asked while it runs: a cancelled job, as one out of time, gets SIGINT, soon SIGTERM, then SIGKILL. */
  readonly isCancelled?: () => boolean;
  /** A program that can be run in this process, as in-process.ts says. */
  readonly inProcess?: boolean | undefined;
  /** Ends the process, its children too, at the n-th request it makes from now. */
  readonly kill?: {
    readonly github: Github;
    readonly request: number;
    readonly phase: 'before' | 'after';
    /** Counts requests of this kind alone. */
    readonly operation?: string;
  };
}

export interface StepResult extends StepSaid {
  /** -1 when killed. */
  readonly exitCode: number;
  readonly log: string;
  readonly annotations: readonly Annotation[];
  readonly masks: ReadonlySet<string>;
  /** Names of outputs that hold a masked value: GitHub drops them between jobs. */
  readonly maskedOutputs: readonly string[];
}

let steps = 0;

export async function runProcess(run: ProcessRun): Promise<StepResult> {
  steps += 1;
  const files = createStepFiles(run.temp, String(steps));
  const reader = createCommandReader(run.secrets ?? []);
  const log: string[] = [];
  const env = { ...run.env, ...stepFileEnvironment(files) };
  const started = canBeHere(run) ? startHere(run, env) : startProcess(run, env);
  const watch = watchEnd(run, started.signal);
  const { kill } = run;
  const disarm = kill?.github.faults.add({
    skip: kill.request - 1,
    ...(kill.operation === undefined ? {} : { match: { operation: kill.operation } }),
    effect: { kind: 'run', phase: kill.phase, run: () => started.signal('SIGKILL') },
  });
  const printed = started.streams.map((stream) =>
    lines(stream, (line) => {
      const shown = reader.line(line);
      if (shown !== null) log.push(shown);
    }),
  );
  const exitCode = await started.ended;
  await Promise.all(printed);
  clearInterval(watch);
  disarm?.();
  const said = readStepFiles(files);
  const maskedOutputs = Object.entries(said.outputs).filter(([, value]) => reader.mask(value) !== value);
  return {
    ...said,
    exitCode,
    log: log.join('\n'),
    annotations: [
      ...reader.annotations,
      ...said.errors.map((message) => ({ level: 'error' as const, title: '', message })),
    ],
    masks: reader.masks,
    maskedOutputs: maskedOutputs.map(([name]) => name),
  };
}

interface Started {
  readonly ended: Promise<number>;
  readonly streams: readonly NodeJS.ReadableStream[];
  readonly signal: (name: Signal) => void;
}

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGKILL';

function startProcess({ command, args, cwd }: ProcessRun, env: Record<string, string>): Started {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  return {
    streams: [child.stdout, child.stderr],
    // The step's process is told; git and agents must not outlive a killed job.
    signal: (name) => {
      if (child.pid !== undefined && child.exitCode === null)
        process.kill(name === 'SIGKILL' ? -child.pid : child.pid, name);
    },
    ended: new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve(code ?? -1));
    }),
  };
}

function canBeHere({ inProcess, command, kill }: ProcessRun): boolean {
  return inProcess === true && command === process.execPath && !kill && isFree();
}

function startHere({ args: [file = '', ...args], cwd }: ProcessRun, env: Record<string, string>): Started {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const print = (name: 'stdout' | 'stderr', chunk: Buffer) => void streams[name].write(chunk);
  const running = runInProcess({ file, args, cwd, env, print });
  return {
    streams: Object.values(streams),
    signal: (name) => {
      if (name === 'SIGKILL') throw new Error('a step that is killed must be played in a process of its own');
      running.signal(name);
    },
    ended: running.ended.finally(() => {
      for (const stream of Object.values(streams)) stream.end();
    }),
  };
}

/** The runner waits 7.5 s after SIGINT, and 2.5 after SIGTERM (ProcessInvoker). */
function watchEnd(run: ProcessRun, signal: (name: Signal) => void): NodeJS.Timeout {
  const deadline = Date.now() + (run.timeoutMs ?? 60_000);
  let since = 0;
  return setInterval(() => {
    if (!run.isCancelled?.() && Date.now() < deadline) return;
    if (since === 0) signal('SIGINT');
    if (since === 150) signal('SIGTERM');
    if (since === 200) signal('SIGKILL');
    since += 1;
  }, 50);
}

async function lines(stream: NodeJS.ReadableStream, take: (line: string) => void): Promise<void> {
  let rest = '';
  for await (const chunk of stream) {
    const parts = (rest + String(chunk)).split(/\r?\n/);
    rest = parts.pop() ?? '';
    for (const part of parts) take(part);
  }
  if (rest) take(rest);
}

export interface JobFacts {
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly actor: string;
  readonly ref: string;
  readonly sha: string;
  readonly workflow: string;
  readonly job: string;
  readonly runId: number;
  readonly runNumber: number;
  readonly attempt: number;
  readonly workspace: string;
  readonly temp: string;
  /** The file of the run's own workflow. */
  readonly workflowPath?: string;
}

/** The variables every step finds, and nothing of the machine's own but PATH. */
export function runnerEnvironment(github: Github, job: JobFacts): Record<string, string> {
  const { owner, repo } = github.state;
  const eventPath = join(job.temp, `event-${job.runId}.json`);
  writeFileSync(eventPath, JSON.stringify(job.payload));
  const pull = job.payload['pull_request'] as
    | { head?: { ref?: string }; base?: { ref?: string } }
    | undefined;
  const home = join(job.temp, 'home');
  mkdirSync(home, { recursive: true });
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    LANG: 'C.UTF-8',
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTOR: job.actor,
    GITHUB_TRIGGERING_ACTOR: job.actor,
    GITHUB_ACTOR_ID: String(github.state.users[job.actor]?.id ?? 0),
    GITHUB_API_URL: github.apiUrl,
    GITHUB_GRAPHQL_URL: github.graphqlUrl,
    GITHUB_SERVER_URL: github.serverUrl,
    GITHUB_REPOSITORY: `${owner}/${repo}`,
    GITHUB_REPOSITORY_OWNER: owner,
    GITHUB_REPOSITORY_ID: '424242',
    GITHUB_EVENT_NAME: job.event,
    GITHUB_EVENT_PATH: eventPath,
    GITHUB_REF: job.ref,
    GITHUB_REF_NAME: job.ref.replace(/^refs\/(heads|tags|pull)\//, ''),
    GITHUB_REF_TYPE: job.ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    GITHUB_SHA: job.sha,
    GITHUB_JOB: job.job,
    GITHUB_RUN_ID: String(job.runId),
    GITHUB_RUN_NUMBER: String(job.runNumber),
    GITHUB_RUN_ATTEMPT: String(job.attempt),
    GITHUB_RETENTION_DAYS: '90',
    GITHUB_WORKFLOW: job.workflow,
    GITHUB_WORKFLOW_REF: `${owner}/${repo}/${job.workflowPath ?? '.github/workflows/gza.yml'}@${job.ref}`,
    GITHUB_WORKFLOW_SHA: job.sha,
    GITHUB_HEAD_REF: pull?.head?.ref ?? '',
    GITHUB_BASE_REF: pull?.base?.ref ?? '',
    GITHUB_WORKSPACE: job.workspace,
    GZA_ISOLATION: process.env['GZA_TEST_ISOLATION'] ?? 'off',
    RUNNER_OS: 'Linux',
    RUNNER_ARCH: 'X64',
    RUNNER_NAME: 'fake',
    RUNNER_ENVIRONMENT: 'github-hosted',
    RUNNER_TEMP: job.temp,
    RUNNER_TOOL_CACHE: join(job.temp, 'tools'),
  };
}

/** `INPUT_` names as the runner makes them: upper case, spaces to `_`, hyphens kept. */
export function inputEnvironment(inputs: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [
      `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`,
      value,
    ]),
  );
}

export interface ActionRun {
  readonly github: Github;
  /** dist/index.js. */
  readonly entry: string;
  /** The node to run it with; default the one that runs the tests. */
  readonly node?: string;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly job: Partial<JobFacts> & Pick<JobFacts, 'workspace' | 'temp'>;
  readonly kill?: Omit<NonNullable<ProcessRun['kill']>, 'github'>;
  readonly timeoutMs?: number;
  readonly inProcess?: boolean;
}

/** One step `uses: <the action>`, outside any workflow. */
export async function runAction({
  github,
  entry,
  node,
  inputs,
  env,
  secrets,
  job,
  kill,
  timeoutMs,
  inProcess,
}: ActionRun): Promise<StepResult> {
  const sha = (await github.data.commit(github.state.defaultBranch)) ?? '';
  const facts: JobFacts = {
    event: 'workflow_dispatch',
    payload: {},
    actor: 'olive',
    ref: `refs/heads/${github.state.defaultBranch}`,
    sha,
    workflow: 'gza',
    job: 'work',
    runId: 1,
    runNumber: 1,
    attempt: 1,
    ...job,
  };
  const temp = mkdtempSync(join(facts.temp, 'step-'));
  return runProcess({
    command: node ?? process.execPath,
    args: [entry],
    cwd: facts.workspace,
    env: { ...runnerEnvironment(github, facts), ...inputEnvironment(inputs ?? {}), ...env },
    temp,
    inProcess,
    secrets: secrets ?? [],
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(kill ? { kill: { ...kill, github } } : {}),
  });
}
