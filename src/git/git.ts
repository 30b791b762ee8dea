/**
 * The plumbing: runs git with exact bytes in and out, input through stdin, limits on time and output, and the
 * exit code as the answer. Objects, refs, patches and all that read-only verbs need go this way. What a
 * person would type goes through porcelain.ts, which says why not everything does. Both always turn hooks and
 * fsmonitor off, because the repository's own configuration may be hostile.
 */
import { spawn } from 'node:child_process';
import { fstatSync } from 'node:fs';
import { GzaError } from '../core/errors.ts';

export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** The author of gza's commits: the domain of the address can never exist, so that it is nobody's account. */
export const gzaIdentity: Identity = { name: 'gza', email: 'gza@gza.invalid' };

/** The second address is found in commits of earlier versions. */
export function isGzaEmail(email: string): boolean {
  return email === gzaIdentity.email || email === 'gza@users.noreply.github.com';
}

export interface GitResult {
  /** -1 if git was ended by a signal or a limit; `stderr` says which. */
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface GitOptions {
  readonly stdin?: string | Buffer;
  /** Added to, or with `undefined` taken out of, git's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default 120 s. Network commands pass their own. */
  readonly timeoutMs?: number;
  /** Default 256 MiB; beyond it git is ended and the call fails. */
  readonly outputBytesMax?: number;
  readonly signal?: AbortSignal;
}

export interface Git {
  readonly cwd: string;
  /** Runs git and returns its answer, whatever the exit code. Throws only if git cannot be started. */
  run(args: readonly string[], options?: GitOptions): Promise<GitResult>;
  /** Standard output without the last line break. Throws a `world` error if git fails. */
  text(args: readonly string[], options?: GitOptions): Promise<string>;
  /**
   * Whether git succeeds and writes nothing into this empty file. Opening pipes would take longer than most
   * of git.
   */
  isSilent(args: readonly string[], file: number, env: Readonly<Record<string, string>>): Promise<boolean>;
}

export interface OpenGitOptions {
  /**
   * True for clones that an agent worked in: git sees no GIT_* variables of the caller, and neither the
   * user's nor the machine's configuration.
   */
  readonly isolated?: boolean;
  /** Added to, or with `undefined` taken out of, the environment of every command. */
  readonly env?: GitOptions['env'];
  /** `key=value` for every command. */
  readonly config?: readonly string[];
}

/** For every command: nothing that the repository configures may run code. */
export const safeGitConfig: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.quotePath=false',
  'gc.auto=0',
  'maintenance.auto=false',
];

export const safeGitArguments: readonly string[] = asArguments(safeGitConfig);

function asArguments(config: readonly string[]): string[] {
  return config.flatMap((setting) => ['-c', setting]);
}

export function openGit(cwd: string, { isolated, env: own, config = [] }: OpenGitOptions = {}): Git {
  const env = { ...safeGitEnvironment(isolated), ...own };
  const first = asArguments(config);
  const run = (args: readonly string[], options: GitOptions = {}) =>
    runGit(cwd, env, [...first, ...args], options);
  return {
    cwd,
    run,
    async text(args, options) {
      const result = await run(args, options);
      if (result.code !== 0) throw gitFailure(args, result);
      return result.stdout.toString('utf8').replace(/\r?\n$/, '');
    },
    isSilent: (args, file, extra) => isSilent(cwd, { ...env, ...extra }, args, file),
  };
}

function isSilent(
  cwd: string,
  env: NodeJS.ProcessEnv,
  args: readonly string[],
  file: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const stdio = ['ignore', file, 'ignore'] as const;
    const child = spawn('git', [...safeGitArguments, ...args], {
      cwd,
      env,
      stdio: [...stdio],
      timeout: 120_000,
    });
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0 && fstatSync(file).size === 0));
  });
}

export function gitFailure(args: readonly string[], result: GitResult): GzaError {
  const said = result.stderr.trim().split('\n').slice(-8).join('\n');
  const verb = args.find((arg) => !arg.startsWith('-')) ?? args.join(' ');
  return new GzaError('world', `git ${verb} failed (exit ${result.code}): ${said || 'it said nothing'}`, {
    data: { args, exitCode: result.code },
  });
}

/** An error for git's refusal to read a repository of somebody else, or one with a damaged object. */
export function unreadableRepository(said: string): GzaError | null {
  const [, damaged] = /object ([0-9a-f]{40,64}) \(stored in [^)]*\) is corrupt/.exec(said) ?? [];
  if (damaged) {
    return new GzaError(
      'world',
      `the object ${damaged} of this repository is damaged, so git cannot read it`,
      {
        hint: 'Run `git fsck` to see what else is. Move the file of the object away and fetch it again from a\nclone that has it: git fetch --refetch <remote> refs/tasks/<branch>',
        data: { damaged },
      },
    );
  }
  if (!/dubious ownership/.test(said)) return null;
  return new GzaError('world', 'git refuses to work in this repository: it belongs to another user', {
    hint: said.match(/git config --global .*/)?.[0] ?? 'See safe.directory in `git help config`.',
  });
}

export function safeGitEnvironment(isolated = false): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env };
  if (isolated) {
    for (const name of Object.keys(env)) if (name.startsWith('GIT_')) delete env[name];
    env['GIT_CONFIG_GLOBAL'] = '/dev/null';
    env['GIT_CONFIG_NOSYSTEM'] = '1';
  }
  env['LC_ALL'] = 'C';
  env['GIT_TERMINAL_PROMPT'] = '0';
  env['GIT_OPTIONAL_LOCKS'] = '0';
  // For a server that says nothing: the programs that git starts then give up by themselves, and do not
  // outlive git.
  env['GIT_HTTP_LOW_SPEED_LIMIT'] ??= '1';
  env['GIT_HTTP_LOW_SPEED_TIME'] ??= '100';
  return env;
}

let ownGroup = false;

/**
 * Ctrl-C in a terminal reaches every process of the group. A program that saves its work on Ctrl-C still
 * needs git, so from then on git runs in groups of its own.
 */
export function keepGitFromInterrupts(): void {
  ownGroup = true;
}

export function isKeptFromInterrupts(): boolean {
  return ownGroup;
}

function runGit(
  cwd: string,
  env: NodeJS.ProcessEnv,
  args: readonly string[],
  { stdin, env: extra, timeoutMs = 120_000, outputBytesMax = 256 << 20, signal }: GitOptions,
): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...safeGitArguments, ...args], {
      cwd,
      env: extra ? { ...env, ...extra } : env,
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: ownGroup,
      ...(signal ? { signal } : {}),
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let bytes = 0;
    let limit = '';
    // Programs that git started may hold its pipes as long as a server that hangs lets them wait.
    const letGo = () => {
      for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    };
    const stop = (why: string) => {
      limit ||= why;
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      else letGo();
    };
    const timer = setTimeout(() => stop(`took longer than ${timeoutMs / 1000} s and was ended`), timeoutMs);
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > outputBytesMax) stop(`printed more than ${outputBytesMax} bytes and was ended`);
      else out.push(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      if (err.length < 1000) err.push(chunk);
    });
    child.on('error', (cause: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(notStarted(cwd, cause));
    });
    child.on('exit', () => {
      if (limit) letGo();
    });
    child.on('close', (code, killedBy) => {
      clearTimeout(timer);
      const said = Buffer.concat(err).toString('utf8');
      const why = limit || (killedBy ? `ended by ${killedBy}` : '');
      resolve({
        code: code ?? -1,
        stdout: Buffer.concat(out),
        stderr: why ? `${said}\n${why}`.trim() : said,
      });
    });
    if (stdin !== undefined) {
      // git may stop reading early (a refused update); then its exit code counts, not the broken pipe.
      child.stdin?.on('error', () => {});
      child.stdin?.end(stdin);
    }
  });
}

export function notStarted(cwd: string, cause: NodeJS.ErrnoException): GzaError {
  if (cause.code === 'ENOENT') {
    return new GzaError('world', `git could not be started in ${cwd}: not found`, {
      hint: 'Install git 2.34 or newer, and check that the folder exists.',
      cause,
    });
  }
  return new GzaError('world', `git could not be started in ${cwd}: ${cause.message}`, { cause });
}
