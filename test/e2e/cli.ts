/** The built command line as a process, in repositories of its own: nothing of this machine's git or user reaches it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { isFree, runInProcess } from '../in-process.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const cliFile = join(root, 'dist', 'cli.js');

/** Many processes a test, on machines that may be busy. */
jest.setTimeout(180_000);

/** A call that takes longer hangs; it is ended and fails. */
const callMsMax = 60_000;

export interface Ran {
  /** -1 when it was ended by a signal. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Standard input; empty when not given. */
  readonly stdin?: string;
}

export interface Sandbox extends AsyncDisposable {
  /** Everything is below it. */
  readonly dir: string;
  /** The repository that calls run in unless they say otherwise. */
  readonly repo: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A path in gza's folder of the repository, which is made by the first run. */
  state(...names: string[]): string;
  /** Runs `gza`, whatever its exit code. */
  gza(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** What `gza` printed; fails when the exit code is not 0. Words are split at spaces unless given as a list. */
  says(args: string | readonly string[], options?: RunOptions): Promise<string>;
  json<T = Record<string, unknown>>(args: string | readonly string[], options?: RunOptions): Promise<T>;
  /** Files a task and gives its id. */
  add(...args: string[]): Promise<string>;
  git(...args: string[]): string;
  write(path: string, text: string): string;
  /** An empty commit, or one of the files named; gives its id. */
  commit(subject: string, ...files: string[]): string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A repository with one commit on `main`, or with none. */
export function openSandbox({ empty = false, init = asUsual } = {}): Sandbox {
  const dir = mkdtempSync(join(tmpdir(), 'gza-e2e-'));
  const repo = join(dir, 'repo');
  const env = environment(dir);
  const children = new Set<ChildProcess>();
  const git = (...args: string[]) => gitIn(repo, env, args);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
    return join(repo, path);
  };
  const gza = (args: readonly string[], options: RunOptions = {}) => {
    const given = { cwd: repo, ...options, env: { ...env, ...options.env } };
    // Two at the same time are two processes; and what is said to node is said to a process.
    const isHere = isFree() && given.env['NODE_OPTIONS'] === env['NODE_OPTIONS'];
    return isHere ? here(args, given) : start([process.execPath, cliFile, ...args], given, children);
  };
  const says = async (args: string | readonly string[], options?: RunOptions) => {
    const words = typeof args === 'string' ? args.split(' ') : args;
    const ran = await gza(words, options);
    if (ran.code !== 0)
      throw new Error(`gza ${words.join(' ')}: exit ${ran.code}\n${ran.stdout}${ran.stderr}`);
    return ran.stdout;
  };
  const sandbox: Sandbox = {
    dir,
    repo,
    env,
    state: (...names) => join(stateOf(dir), ...names),
    gza,
    says,
    git,
    write,
    json: async <T>(args: string | readonly string[], options?: RunOptions) =>
      JSON.parse(
        await says([...(typeof args === 'string' ? args.split(' ') : args), '--json'], options),
      ) as T,
    add: async (...args) => (await says(['add', ...args])).split(':')[0] as string,
    commit: (subject, ...files) => {
      if (files.length > 0) git('add', '--', ...files);
      git('commit', '-q', '--allow-empty', '-m', subject);
      return headOf(repo) ?? git('rev-parse', 'HEAD');
    },
    [Symbol.asyncDispose]: async () => {
      for (const child of children) child.kill('SIGKILL');
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  mkdirSync(join(dir, 'home'));
  if (!empty && init === asUsual) cpSync(begun(env), repo, { recursive: true, preserveTimestamps: true });
  else {
    gitIn(dir, env, ['init', '-q', ...init, repo]);
    if (!empty) sandbox.commit('Begin');
  }
  return sandbox;
}

const asUsual: readonly string[] = ['-b', 'main'];

/** What most sandboxes begin with; made once for a run of jest. */
function begun(env: Sandbox['env']): string {
  const kept = join(process.env['GZA_TEST_RUN'] ?? '', 'begun');
  if (existsSync(kept)) return kept;
  const made = mkdtempSync(`${kept}-`);
  // As git makes it: some tests run the program as another user.
  chmodSync(made, 0o755);
  gitIn(made, env, ['init', '-q', ...asUsual]);
  // Else git starts a process after each commit, to see whether there is something to tidy.
  gitIn(made, env, ['config', 'maintenance.auto', 'false']);
  gitIn(made, env, ['commit', '-q', '--allow-empty', '-m', 'Begin']);
  for (const name of readdirSync(join(made, '.git/hooks'))) rmSync(join(made, '.git/hooks', name));
  renameInto(made, kept);
  return kept;
}

/** Another worker may have been there first. */
function renameInto(made: string, kept: string): void {
  try {
    renameSync(made, kept);
  } catch (error) {
    if (!existsSync(kept)) throw error;
    rmSync(made, { recursive: true });
  }
}

/** Read where git has just written it. */
function headOf(repo: string): string | undefined {
  const branch = /^ref: (\S+)$/m.exec(readFileSync(join(repo, '.git/HEAD'), 'utf8'))?.[1];
  return branch && readFileSync(join(repo, '.git', branch), 'utf8').trim();
}

/** Puts an executable on PATH; what it is called decides what `$0` is. */
export function executable(dir: string, name: string, script: string): string {
  const path = join(dir, 'bin', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, script);
  chmodSync(path, 0o755);
  return path;
}

async function here(args: readonly string[], { cwd = '', env = {}, stdin = '' }: RunOptions): Promise<Ran> {
  const printed: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  const print = (stream: 'stdout' | 'stderr', chunk: Buffer) => void printed[stream].push(chunk);
  const code = await runInProcess({ file: cliFile, args, cwd, env, stdin, print }).ended;
  const [stdout, stderr] = [printed.stdout, printed.stderr].map((chunks) =>
    Buffer.concat(chunks).toString('utf8'),
  );
  return { code, stdout: stdout ?? '', stderr: stderr ?? '' };
}

export function start(
  [program = '', ...args]: readonly string[],
  { cwd, env, stdin = '' }: RunOptions,
  children: Set<ChildProcess> = new Set(),
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: env, stdio: 'pipe' });
    children.add(child);
    const timer = setTimeout(() => child.kill('SIGKILL'), callMsMax);
    const [out, err]: Buffer[][] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => out?.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err?.push(chunk));
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      children.delete(child);
      resolve({
        code: code ?? -1,
        stdout: Buffer.concat(out ?? []).toString('utf8'),
        stderr: Buffer.concat(err ?? []).toString('utf8'),
      });
    });
  });
}

function environment(dir: string): Record<string, string | undefined> {
  return {
    PATH: `${join(dir, 'bin')}:${process.env['PATH'] ?? ''}`,
    HOME: join(dir, 'home'),
    TMPDIR: dir,
    TZ: 'UTC',
    LC_ALL: 'C.UTF-8',
    NO_COLOR: '1',
    NODE_OPTIONS: `--require=${join(process.env['GZA_TEST_RUN'] ?? '', 'code-cache.cjs')}`,
    // Agents of the tests use files beside their work; work-sandbox.test.ts is about the sandbox.
    GZA_ISOLATION: process.env['GZA_TEST_ISOLATION'] ?? 'off',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Ann',
    GIT_AUTHOR_EMAIL: 'ann@example.com',
    GIT_COMMITTER_NAME: 'Ann',
    GIT_COMMITTER_EMAIL: 'ann@example.com',
  };
}

function stateOf(dir: string): string {
  const folder = join(dir, 'home/.local/state/gza');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('repo-')) : [];
  return join(folder, names[0] ?? 'none');
}

function gitIn(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
): string {
  return execFileSync('git', args, {
    cwd,
    env: env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd();
}
