/**
 * git commands as a person types them: fetch, push, merge, rebase, log, ls-remote, a summary of a diff.
 * simple-git runs them and reads their output, and only this file configures it. The build makes it a file of
 * its own in `dist/`, loaded with the first such command, so verbs that only read never load it.
 *
 * Everything else is plumbing and belongs to git.ts. simple-git decodes what git prints, reads it without a
 * limit, ends git only with SIGINT, runs it in the process group of gza, cannot keep a `cat-file --batch`
 * open, and reports a failure as text. So it is not used for bytes, objects, refs and patches; nor for what
 * an agent may have made endless; nor for what must survive Ctrl-C; nor for the push that moves a branch and
 * its ledgers together, where every outcome counts.
 */
import type { Readable } from 'node:stream';
import type { GitError, pathspec, SimpleGit, SimpleGitOptions } from 'simple-git';
import { GzaError } from '../core/errors.ts';
import {
  type GitResult,
  gitFailure,
  notStarted,
  type OpenGitOptions,
  safeGitConfig,
  safeGitEnvironment,
} from './git.ts';

export interface PorcelainOptions extends OpenGitOptions {
  /** Default 120 s. */
  readonly timeoutMs?: number;
}

/** git failed, or took too long: then its code is -1. */
export class PorcelainError extends GzaError {
  readonly result: GitResult;

  constructor(verb: string, result: GitResult) {
    const { message, data } = gitFailure([verb], result);
    super('world', message, { data });
    this.result = result;
  }
}

/**
 * `names` puts what could be taken for an option (a remote, a refspec) behind `--`. Throws a PorcelainError
 * if git fails.
 */
export async function porcelain<T>(
  cwd: string,
  use: (git: SimpleGit, names: typeof pathspec) => PromiseLike<T>,
  { timeoutMs = 120_000, config = [], isolated, env: own }: PorcelainOptions = {},
): Promise<T> {
  const { pathspec: names, simpleGit } = await import('simple-git');
  const env = withoutPrograms({ ...safeGitEnvironment(isolated), ...own });
  const stop = new AbortController();
  let failed: GitResult | undefined;
  const git = simpleGit({
    baseDir: cwd,
    config: [...safeGitConfig, ...config],
    abort: stop.signal,
    // By default it does not wait for the last output of a git that has ended.
    completion: { onClose: true, onExit: false },
    // Otherwise its input stays open, and a git that waits for input waits for ever.
    input: () => Buffer.alloc(0),
    unsafe,
    // It removes every GIT_ variable, and refuses one that is set but not allowed.
    allowEnvironment: Object.keys(env),
    // By default a failure without output does not count as one.
    errors(error, { exitCode, stdOut, stdErr }) {
      if (exitCode === 0) return error;
      const stderr = Buffer.concat(stdErr).toString('utf8');
      failed = { code: exitCode ?? -1, stdout: Buffer.concat(stdOut), stderr };
      return error ?? Buffer.from('it failed');
    },
  });
  git.env(env).outputHandler((_command, stdout, stderr) => {
    // Programs that git started may hold its pipes for longer than git lives.
    const letGo = () => [stdout, stderr].forEach((stream) => (stream as Readable).destroy());
    stop.signal.addEventListener('abort', letGo, { once: true });
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      stop.abort();
      const stderr = `took longer than ${timeoutMs / 1000} s and was ended`;
      reject(new PorcelainError('command', { code: -1, stdout: Buffer.alloc(0), stderr }));
    }, timeoutMs);
  });
  try {
    return await Promise.race([use(git, names), late]);
  } catch (error) {
    if (!failed || error instanceof GzaError) throw error;
    if (failed.stderr.includes('spawn git ENOENT'))
      throw notStarted(cwd, Object.assign(new Error(), { code: 'ENOENT' }));
    throw new PorcelainError(String((error as GitError).task?.commands[0]), failed);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * simple-git refuses what could make git run a program. All words of a command are gza's own here, so these
 * are allowed: they come from gza's hardening, or from the environment of the person who runs it.
 */
const unsafe = {
  // Set by gza, to turn hooks off.
  allowUnsafeHooksPath: true,
  // Set by gza, to turn it off.
  allowUnsafeFsMonitor: true,
  // GIT_CONFIG_GLOBAL, with which gza leaves a person's configuration out; also PREFIX, which conda sets.
  allowUnsafeConfigPaths: true,
  // GIT_CONFIG_COUNT: how a job on CI says how to log in.
  allowUnsafeConfigEnvCount: true,
  allowUnsafeCredentialHelper: true,
  // GIT_ASKPASS and SSH_ASKPASS, where a desktop or an editor asks for the password.
  allowUnsafeAskPass: true,
  // GIT_SSH_COMMAND: a deploy key.
  allowUnsafeSshCommand: true,
  // GIT_PROXY_COMMAND, `url.<base>.insteadOf` and `protocol.<name>.allow`: the way to the host.
  allowUnsafeGitProxy: true,
  allowUnsafeUrlRewrite: true,
  allowUnsafeProtocolOverride: true,
} satisfies SimpleGitOptions['unsafe'];

/** Nothing here opens an editor or a pager, uses an external diff, or needs the parts of another git. */
const programs = /^(GIT_)?(SEQUENCE_)?(EDITOR|VISUAL|PAGER)$|^GIT_(EXTERNAL_DIFF|TEMPLATE_DIR|EXEC_PATH)$/i;

function withoutPrograms(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name, value]) => value !== undefined && !programs.test(name));
  return Object.fromEntries(kept);
}
