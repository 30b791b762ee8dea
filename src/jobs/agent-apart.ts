/**
 * The agent's job as a user of its own, who has no sudo and cannot look into the processes of the job's user: where
 * it can be done, which is on GitHub's own machines. There it is a copy of the checkout that is worked in, and what
 * comes back are three files. Where it cannot be done, that is said.
 */
import { execFile, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { GzaError } from '../core/errors.ts';
import { changesFiles } from '../engine/settings-of-view.ts';
import { agentJob } from './agent.ts';
import type { Ci } from './ci.ts';
import { copyLeft } from './step-left.ts';

const user = 'gza-agent';

/** Set for the half that runs as that user. */
const apartName = 'GZA_AGENT_APART';

export async function agentApart(ci: Ci): Promise<void> {
  const { env } = ci.ports;
  if (env[apartName] === '1') return agentJob(ci);
  const base = await prepare(ci);
  if ('why' in base) {
    ci.say(`The agent runs as the user of this job: ${base.why}.`);
    return agentJob(ci);
  }
  ci.say(`The agent runs as the user ${user}, who has no sudo.`);
  const { folder } = base;
  try {
    const code = await runApart(ci, folder);
    await sudo(['pkill', '-KILL', '-u', user]);
    await sudo(['chown', '-R', String(process.getuid?.() ?? 0), join(folder, 'left')]);
    const dir = ci.input('left') || join(ci.temp, 'gza-left');
    const copied = await copyLeft(join(folder, 'left'), dir);
    ci.output('left', dir);
    ci.output('changed', String(copied?.hasPatch === true));
    ci.output('checks', String(copied !== null && changesFiles(copied.left.step)));
    if (code !== 0) throw new GzaError('world', `the agent's half of this job ended with exit code ${code}`);
  } finally {
    await sudo(['rm', '-rf', folder]);
  }
}

type Prepared = { readonly folder: string } | { readonly why: string };

async function prepare({ ports: { env, cwd }, input }: Ci): Promise<Prepared> {
  if (input('agent-user') === 'same') return { why: 'the input agent-user asks for it' };
  // Elsewhere a user that was made would stay, and sudo may be there for other things.
  const isHosted = env['RUNNER_ENVIRONMENT'] === 'github-hosted' && Boolean(env['ImageOS']);
  if (!isHosted || process.platform !== 'linux') return { why: 'this is no Linux machine of GitHub’s own' };
  if ((await sudo(['true'])) !== 0) return { why: 'there is no sudo to make another one' };
  const folder = await mkdtemp(join(tmpdir(), 'gza-agent-'));
  await chmod(folder, 0o711);
  for (const name of ['work', 'home', 'left']) await mkdir(join(folder, name));
  const program = process.argv[1] ?? '';
  const steps = [
    ['cp', '-a', `${cwd}/.`, join(folder, 'work')],
    // The job's own folders may be closed to others.
    ['cp', '-r', dirname(program), join(folder, 'dist')],
    ['cp', process.execPath, join(folder, 'node')],
  ];
  if ((await run('id', ['-u', user])) !== 0) {
    const made = await sudo(['useradd', '--no-create-home', '--home-dir', join(folder, 'home'), user]);
    if (made !== 0) return { why: `the user ${user} could not be made` };
  }
  for (const [file = '', ...args] of steps) {
    if ((await run(file, args)) !== 0) return { why: `${file} ${args.join(' ')} failed` };
  }
  if ((await sudo(['chown', '-R', user, folder])) !== 0) return { why: 'chown failed' };
  return { folder };
}

/** What only the job's user may know. */
const keptBack =
  /^(ACTIONS_|RUNNER_|GITHUB_(TOKEN|ENV|PATH|STATE|OUTPUT|STEP_SUMMARY)|INPUT_TOKEN|GIT_|SUDO_)/;
const isPlainName = /^[A-Za-z_][A-Za-z0-9_]*$/;

function runApart({ ports }: Ci, folder: string): Promise<number> {
  const { env, signal } = ports;
  const names = Object.keys(env).filter((name) => isPlainName.test(name) && !keptBack.test(name));
  const set = {
    PATH: env['PATH'] ?? '',
    HOME: join(folder, 'home'),
    TMPDIR: tmpdir(),
    RUNNER_TEMP: folder,
    GITHUB_WORKSPACE: join(folder, 'work'),
    GITHUB_EVENT_PATH: '',
    INPUT_LEFT: join(folder, 'left'),
    [apartName]: '1',
  };
  const assignments = Object.entries(set).map(([name, value]) => `${name}=${value}`);
  const command = ['env', ...assignments, join(folder, 'node'), join(folder, 'dist', 'index.js')];
  const args = ['-n', '-u', user, `--preserve-env=${names.join(',')}`, '--', ...command];
  return new Promise((resolve, reject) => {
    const child = spawn('sudo', args, { cwd: join(folder, 'work'), stdio: ['ignore', 'inherit', 'inherit'] });
    // sudo is root's process: only root may end it, and it would not pass on what the runner sends.
    const stop = () => void sudo(['pkill', '-TERM', '-u', user, '-f', 'dist/index.js']);
    signal.addEventListener('abort', stop, { once: true });
    child.on('error', reject);
    child.on('close', (code) => {
      signal.removeEventListener('abort', stop);
      resolve(code ?? 1);
    });
  });
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
