import { readdir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { GzaError } from '../core/errors.ts';
import type { Git, GitOptions, GitResult } from '../git/git.ts';
import { gitFailure, openGit } from '../git/git.ts';

/** The user's repository, as far as this room touches it: its objects and refs, never its work tree or index. */
export interface BareRepository {
  /** Where the common files are, also for a linked worktree or a bare repository; without links. */
  readonly commonDir: string;
  readonly objectsDir: string;
  readonly objectFormat: 'sha1' | 'sha256';
  readonly isShallow: boolean;
  readonly isBare: boolean;
  /** The user's own ignore rules for all repositories. */
  readonly excludesFile: string;
  /** A clone with a filter: objects may be missing until they are asked for. */
  readonly isPartial: boolean;
  /** Runs git on the objects and refs alone, with the repository's own configuration. */
  run(args: readonly string[], options?: GitOptions): Promise<GitResult>;
  text(args: readonly string[], options?: GitOptions): Promise<string>;
}

export async function openBareRepository(repoDir: string): Promise<BareRepository> {
  const args = ['rev-parse', '--path-format=absolute', '--git-common-dir', '--git-path', 'objects'];
  const outside = openGit(repoDir);
  const [result, excludes] = await Promise.all([
    outside.run([...args, '--show-object-format', '--is-shallow-repository', '--is-bare-repository']),
    outside.run(['config', '--type=path', '--get', 'core.excludesFile']),
  ]);
  if (result.code !== 0) throw gitFailure(args, result);
  const [found = '', objectsDir = '', format, shallow, bare] = result.stdout.toString('utf8').split('\n');
  if (/[\n\r]/.test(repoDir) || !path.isAbsolute(objectsDir)) {
    throw new GzaError('world', `cannot work in ${JSON.stringify(repoDir)}: the path has a line break in it`);
  }
  const commonDir = await realpath(found);
  const git = openGit(commonDir);
  // core.bare: neither the index nor the attributes of anyone's work tree take part.
  const env = {
    GIT_DIR: commonDir,
    GIT_WORK_TREE: undefined,
    GIT_INDEX_FILE: undefined,
    GIT_PREFIX: undefined,
    // A clone does not see replacements either.
    GIT_NO_REPLACE_OBJECTS: '1',
  };
  const run: Git['run'] = (args, options = {}) =>
    git.run(['-c', 'core.bare=true', ...args], { ...options, env: { ...env, ...options.env } });
  return {
    commonDir,
    objectsDir,
    objectFormat: format === 'sha256' ? 'sha256' : 'sha1',
    isShallow: shallow === 'true',
    isBare: bare === 'true',
    excludesFile: excludes.stdout.toString('utf8').trim() || usualExcludesFile(),
    isPartial: await hasPromisorPack(objectsDir),
    run,
    async text(args, options) {
      const done = await run(args, options);
      if (done.code !== 0) throw gitFailure(args, done);
      return done.stdout.toString('utf8').replace(/\r?\n$/, '');
    },
  };
}

function usualExcludesFile(): string {
  return path.join(process.env['XDG_CONFIG_HOME'] || path.join(homedir(), '.config'), 'git/ignore');
}

async function hasPromisorPack(objectsDir: string): Promise<boolean> {
  const names = await readdir(path.join(objectsDir, 'pack')).catch(() => []);
  return names.some((name) => name.endsWith('.promisor'));
}

const prefetchTimeoutMs = 600_000;

/** Gets in one request what git would otherwise fetch file by file, or not at all from a clone of this one. */
export async function prefetchTree(repository: BareRepository, commit: string): Promise<void> {
  if (!repository.isPartial) return;
  const listed = await repository.text([
    'rev-list',
    '--objects',
    '--missing=print',
    '--no-object-names',
    `${commit}^{tree}`,
  ]);
  const missing = listed
    .split('\n')
    .filter((line) => line.startsWith('?'))
    .map((line) => line.slice(1));
  if (missing.length === 0) return;
  const remotes = await repository.text(['config', '--get-regexp', '^remote\\..*\\.promisor$']);
  const remote = /^remote\.(.*)\.promisor/.exec(remotes)?.[1];
  if (remote === undefined) {
    throw new GzaError(
      'world',
      `${missing.length} objects of ${commit} are missing, and no remote promises them`,
      {
        hint: 'Run `git fetch --refetch --no-filter` to complete this clone.',
      },
    );
  }
  await repository.text(
    [
      '-c',
      'fetch.negotiationAlgorithm=noop',
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--recurse-submodules=no',
      '--filter=blob:none',
      '--stdin',
      remote,
    ],
    { stdin: `${missing.join('\n')}\n`, timeoutMs: prefetchTimeoutMs },
  );
}
