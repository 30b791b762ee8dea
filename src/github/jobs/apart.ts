/**
 * Agents and code under test run as a separate user, since others wrote them. That user has no sudo, cannot
 * see the processes of the job's user, and cannot write the files of its runner. This is possible only on
 * GitHub's own machines. The user works in a copy of the checkout and returns only a few files and log lines.
 * On other machines the job says that it is not separated.
 */
import { execFile, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { HeldKeys } from '../../agents/agent-environment.ts';
import type { Metered } from '../../agents/proxy/meter.ts';
import { GzaError, isGzaError } from '../../core/errors.ts';
import { whyFailed } from '../../core/system-error.ts';
import { agentLines, agentSecrets } from '../../core/text/doctor/caller-workflow.ts';
import { changesFiles } from '../../engine/engine.ts';
import { emptyLeft, type Left, runWithout, withholdSecrets } from '../../engine/left.ts';
import { stateDirOf } from '../../engine/loop/state-dir.ts';
import { holdJobKeys } from '../../engine/perform/ask-agent.ts';
import { perform } from '../../engine/perform/perform.ts';
import { openLineSplitter } from '../../system/redacted-log.ts';
import type { JobContext } from './job-context.ts';
import {
  type OpenJob,
  openJob,
  readLeft,
  readVerification,
  writeLeft,
  writeVerification,
} from './open-job.ts';
import { verifyJob } from './verify.ts';

const user = 'gza-agent';

/** Set in the environment of the part of the job that runs as that user. */
const apartName = 'GZA_AGENT_APART';

interface Half {
  readonly what: string;
  readonly run: (ci: JobContext) => Promise<void>;
  /** Keeps secrets in this process that the other user does not need. */
  readonly hold?: (ci: JobContext) => Promise<HeldKeys | null>;
  /**
   * A folder for this part. It is copied, since the other user may not be able to read the job's own folders.
   */
  readonly given?: string;
  /** Copies the results out of the other user's temporary folder, even after a failure. */
  readonly take: (temp: string, held: HeldKeys | null) => Promise<void>;
  readonly failed: string;
}

export function agentApart(ci: JobContext): Promise<void> {
  return apart(ci, {
    what: 'The agent runs',
    run: agentJob,
    failed: 'the agent’s half of this job failed',
    hold: async () => {
      const opened = await openJob(ci);
      if (!opened || opened.job.isRecheck === true) return null;
      return holdJobKeys(opened.job, opened.project.config, ci.ports.env);
    },
    take: async (temp, held) => {
      // Takes only the expected files, each a plain file of bounded size.
      const found = await readLeft(join(temp, 'gza-left'), null);
      const safe =
        found.kind === 'left' ? withholdSecrets(found.left, held?.environment.secrets ?? []) : null;
      const left = safe && countedLeft(safe, held?.proxy?.usage());
      if (left) await writeLeft(leftDir(ci), left);
      reportLeft(ci, leftDir(ci), left);
    },
  });
}

export function verifyApart(ci: JobContext): Promise<void> {
  return apart(ci, {
    what: 'The checks run',
    run: verifyJob,
    failed: 'the checks failed, or could not be run; the log says how',
    given: ci.input('left'),
    take: async (temp) => {
      const dir = join(ci.temp, 'gza-verified');
      ci.output('verified', dir);
      const printed = await readVerification(join(temp, 'gza-verified'));
      if (printed !== null) await writeVerification(dir, printed);
    },
  });
}

async function apart(ci: JobContext, half: Half): Promise<void> {
  if (ci.ports.env[apartName] === '1') return half.run(ci);
  const made = await prepare(ci, half);
  if ('why' in made) {
    return ci.group(`${half.what} as the user of this job: ${made.why}.`, () => half.run(ci));
  }
  const { folder } = made;
  let held: HeldKeys | null = null;
  try {
    held = (await half.hold?.(ci)) ?? null;
    if (held) ci.say(held.said);
    const title = `${half.what} as the user ${user}, who has no sudo.`;
    const code = await ci.group(title, () => runApart(ci, half, { folder, held }));
    await sudo(['chown', '-R', String(process.getuid?.() ?? 0), join(folder, 'temp')]);
    await half.take(join(folder, 'temp'), held);
    if (code !== 0) throw new GzaError('refused', `${half.failed} (exit code ${code})`);
  } finally {
    await held?.proxy?.close();
    await sudo(['rm', '-rf', folder]);
  }
}

/**
 * Replaces the reported cost by what the proxy counted, because the report comes from the agent's own user.
 */
function countedLeft(left: Left, seen: Metered | undefined): Left {
  if (!seen || seen.answers === 0) return left;
  const { usage, costUsd } = seen;
  const last = left.runs.length - 1;
  const runs = left.runs.map((run, index) => ({
    ...run,
    usage: index === last ? usage : null,
    ...(costUsd === null ? {} : { costUsd: index === last ? costUsd : null }),
  }));
  return { ...left, runs };
}

type Prepared = { readonly folder: string } | { readonly why: string };

async function prepare(ci: JobContext, half: Half): Promise<Prepared> {
  const { env } = ci.ports;
  if (ci.input('agent-user') === 'same') return { why: 'the input agent-user asks for it' };
  // On other machines the new user would remain, and sudo may be meant for other things.
  const isHosted = env['RUNNER_ENVIRONMENT'] === 'github-hosted' && Boolean(env['ImageOS']);
  if (!isHosted || process.platform !== 'linux') return { why: 'this is no Linux machine of GitHub’s own' };
  if ((await sudo(['true'])) !== 0) return { why: 'there is no sudo to make another one' };
  const folder = await mkdtemp(join(tmpdir(), 'gza-agent-'));
  // Others may enter the folder but not write to it, so that nobody can replace the program that runs there.
  await chmod(folder, 0o711);
  const why = await fill(folder, ci, half);
  if (env['GZA_ISOLATION'] !== 'off') await allowSandbox();
  if (why === null) return { folder };
  await sudo(['rm', '-rf', folder]);
  return { why };
}

/**
 * Installs what the sandbox needs. These machines are deleted after the job, so that is harmless. Whether the
 * sandbox works is reported where it is used. Ubuntu lets only named programs create user namespaces, so that
 * restriction is switched off.
 */
async function allowSandbox(): Promise<void> {
  const apt = (words: string) =>
    sudo(`timeout 120 env DEBIAN_FRONTEND=noninteractive apt-get ${words}`.split(' '));
  const install = 'install -qy bubblewrap';
  if ((await run('bwrap', ['--version'])) !== 0 && (await apt(install)) !== 0) {
    await apt('update -q');
    await apt(install);
  }
  await sudo(['sysctl', '-qw', 'kernel.apparmor_restrict_unprivileged_userns=0']);
}

/** Returns what failed; null when nothing did. */
async function fill(folder: string, { ports: { cwd } }: JobContext, { given }: Half): Promise<string | null> {
  const own = ['work', 'home', 'temp', 'tmp'].map((name) => join(folder, name));
  for (const dir of own) await mkdir(dir);
  const dist = join(folder, 'dist');
  const steps = [
    ['cp', '-a', `${cwd}/.`, join(folder, 'work')],
    ...(given ? [['cp', '-r', given, join(folder, 'temp', 'given')]] : []),
    ['cp', '-r', dirname(process.argv[1] ?? ''), dist],
    ['chmod', '-R', 'a+rX', dist],
    ['cp', process.execPath, join(folder, 'node')],
  ];
  if ((await run('id', ['-u', user])) !== 0) {
    const added = await sudo(['useradd', '--no-create-home', '--home-dir', join(folder, 'home'), user]);
    if (added !== 0) return `the user ${user} could not be made`;
  }
  for (const [file = '', ...args] of steps) {
    if ((await run(file, args)) !== 0) return `${file} ${args.join(' ')} failed`;
  }
  return (await sudo(['chown', '-R', user, ...own])) === 0 ? null : 'chown failed';
}

/** Variables that only the job's user may see. */
const keptBack =
  /^(ACTIONS_|RUNNER_|INPUT_|GITHUB_(TOKEN|ENV|PATH|STATE|OUTPUT|STEP_SUMMARY|EVENT_PATH)|GIT_|SUDO_)/;
const isPlainName = /^[A-Za-z_][A-Za-z0-9_]*$/;

function runApart(
  ci: JobContext,
  { given }: Half,
  { folder, held }: { readonly folder: string; readonly held: HeldKeys | null },
): Promise<number> {
  const { env, signal } = ci.ports;
  const { keys = {} } = held?.environment ?? {};
  const isKey = (name: string) => [...agentSecrets, ...(held?.names ?? []), agentLines].includes(name);
  const names = Object.keys({ ...env, ...keys }).filter(
    (name) => isPlainName.test(name) && !keptBack.test(name) && (name in keys || !isKey(name)),
  );
  const temp = join(folder, 'temp');
  const set = {
    PATH: env['PATH'] ?? '',
    HOME: join(folder, 'home'),
    // rustup keeps its compilers under HOME and finds none in another one.
    ...(env['HOME'] && !env['RUSTUP_HOME'] ? { RUSTUP_HOME: join(env['HOME'], '.rustup') } : {}),
    TMPDIR: join(folder, 'tmp'),
    RUNNER_TEMP: temp,
    GITHUB_WORKSPACE: join(folder, 'work'),
    INPUT_COMMAND: ci.input('command'),
    INPUT_CLAIM: ci.input('claim'),
    INPUT_LEFT: given ? join(temp, 'given') : join(temp, 'gza-left'),
    [apartName]: '1',
  };
  const assignments = Object.entries(set).map(([name, value]) => `${name}=${value}`);
  const command = ['env', ...assignments, join(folder, 'node'), join(folder, 'dist', 'index.js')];
  const args = ['-n', '-u', user, `--preserve-env=${names.join(',')}`, '--', ...command];
  return new Promise((resolve, reject) => {
    const child = spawn('sudo', args, {
      cwd: join(folder, 'work'),
      env: { ...process.env, ...keys },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // Processes of that user can write here too, so no line may be a command to the runner.
    const shown = [child.stdout, child.stderr].map((stream) => sayLines(stream, ci));
    // sudo runs as root: this process cannot signal it, and sudo would not forward the runner's signals.
    const stop = () => void sudo(['pkill', '-TERM', '-u', user, '-f', 'dist/index.js']);
    signal.addEventListener('abort', stop, { once: true });
    child.on('error', reject);
    // Processes that it left behind may keep the output open.
    child.on('exit', () => void sudo(['pkill', '-KILL', '-u', user]));
    child.on('close', (code) => {
      signal.removeEventListener('abort', stop);
      for (const end of shown) end();
      resolve(code ?? 1);
    });
  });
}

const lineCharsMax = 20_000;

/** Prints the lines of a stream. The returned function prints what remains at the end. */
function sayLines(stream: NodeJS.ReadableStream, ci: JobContext): () => void {
  const lines = openLineSplitter(lineCharsMax);
  stream.setEncoding('utf8');
  const say = (line: string) => ci.say(line.replace(/^::(error|warning|notice)::/, '$1: '));
  stream.on('data', (text: string) => {
    for (const line of lines.push(text)) say(line);
  });
  return () => {
    for (const line of lines.end()) say(line);
  };
}

function sudo(args: readonly string[]): Promise<number> {
  return run('sudo', ['-n', ...args]);
}

function run(file: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    execFile(file, [...args], { timeout: 600_000 }, (error) => {
      if (!error) resolve(0);
      else resolve(typeof error.code === 'number' ? error.code : 1);
    });
  });
}

export async function agentJob(ci: JobContext): Promise<void> {
  const opened = await openJob(ci);
  if (!opened) return ci.say('The claim is not held any more, so nothing is done.');
  const { job } = opened;
  const what =
    job.isRecheck === true ? 'only the checks, no agent' : `${job.step} of ${job.id} by ${job.agent}`;
  ci.say(`${what}, at most ${job.timeoutMinutes} minutes`);
  const started_at = ci.ports.now();
  const dir = leftDir(ci);
  const write = async (left: Left) => {
    await writeLeft(dir, left);
    reportLeft(ci, dir, left);
  };
  const empty = (...runs: Left['runs']) => emptyLeft(job, { started_at, ended_at: ci.ports.now() }, runs);
  if (job.isRecheck === true) return write(empty());
  try {
    const left = await leftBy(ci, opened);
    await write(left);
    if (left.broken !== undefined) ci.warn(`what it left could not be taken: ${left.broken}`);
    const last = left.runs.at(-1);
    if (last) ci.say(`It ended: ${last.kind}${last.error ? ` (${last.error.split('\n')[0]})` : ''}`);
  } catch (error) {
    // No agent ran. This is written down too, so that the landing job can record the failure.
    await write(empty(runWithout(job, isGzaError(error) ? 'config' : 'crash', whyFailed(error))));
    if (!isGzaError(error)) throw error;
    ci.warn(error.message);
  }
}

async function leftBy(ci: JobContext, { job, project, view, workspace }: OpenJob): Promise<Left> {
  const { ports } = ci;
  const { left } = await perform({
    project,
    view,
    job,
    workspace,
    caller: ports.env,
    stateDir: stateDirOf(project),
    now: ports.now,
    signal: ports.signal,
    // The prefix keeps an agent from giving commands to the runner.
    onLine: (line) => ci.say(`| ${line}`),
    sleep: async (ms, signal) => {
      await wait(ms, undefined, { signal }).catch(() => {});
    },
  });
  return left;
}

export function leftDir(ci: Pick<JobContext, 'input' | 'temp'>): string {
  return ci.input('left') || join(ci.temp, 'gza-left');
}

/** Sets the outputs for the later jobs. `left` is null when there is no result. */
export function reportLeft(ci: Pick<JobContext, 'output'>, dir: string, left: Left | null): void {
  ci.output('left', dir);
  ci.output('changed', String(left !== null && left.patch !== null));
  ci.output('checks', String(left !== null && changesFiles(left.step)));
}
