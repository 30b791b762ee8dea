/**
 * What a job works on, by one fetch: the base branch, all other branches and the ledgers, each with its newest commits.
 * Where more of the history is needed, to merge, to rebase or to see where a lane began, the commits of all of it are
 * fetched, and of files what is asked for.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GzaError } from '../../core/errors.ts';
import { type Git, type GitResult, gitFailure, openGit } from '../../git/git.ts';
import { isShallow, type Repository } from '../../git/repository.ts';
import { trackingPrefix } from '../../ledger/sync/remote-refs.ts';
import { readPlainFile } from '../../system/outside.ts';
import { mergeBase, type Range } from '../../workspace/patch/lane-diff.ts';
import { type Ci, remote } from './ci.ts';

/** Of each branch. Most lanes began later; of the others the rest is fetched. */
const depth = 50;
const timeoutMs = 900_000;
const triesMax = 3;

export const defaultNamespace = 'refs/tasks';
const branches = `+refs/heads/*:refs/remotes/${remote}/*`;
/** Nothing of a person's settings or of a repository before has a say, and no ref is asked for that is known. */
const quiet = [
  '-c',
  'fetch.negotiationAlgorithm=noop',
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-write-fetch-head',
];

/** False where a checkout of somebody's own is used, whose ledgers are fetched apart. */
export async function checkOut({ ports, input, run, repository }: Ci): Promise<boolean> {
  const base = input('base');
  if (base === '') return false;
  const { cwd } = ports;
  if (ports.env['GITHUB_WORKSPACE'] !== cwd) {
    throw new GzaError('usage', `the input base empties the folder of a job, and ${cwd} is none`, {
      hint: 'It is for the callable workflow. Elsewhere check out with `fetch-depth: 0` and leave it out.',
    });
  }
  // A machine that is kept may hold what an agent left here.
  for (const name of await readdir(cwd)) await rm(join(cwd, name), { recursive: true, force: true });
  // Large files stay pointers, and nobody is asked for a password.
  const git = openGit(cwd, { env: { GIT_LFS_SKIP_SMUDGE: '1', GIT_TERMINAL_PROMPT: '0' } });
  const server = run.url.split(`/${repository}/actions/`)[0] ?? '';
  await git.text(['init', '--quiet', '--initial-branch=gza-none']);
  await git.text(['remote', 'add', remote, `${server}/${repository}`]);
  const ledgers = `+${defaultNamespace}/*:${trackingPrefix(remote)}*`;
  await fetched(git, [...quiet, `--depth=${depth}`, remote, branches, ledgers]);
  const isCommit = /^[0-9a-f]{40,64}$/.test(base);
  if (isCommit && (await git.run(['cat-file', '-e', `${base}^{commit}`])).code !== 0)
    await fetched(git, [...quiet, '--depth=1', remote, base]);
  await git.text([
    'checkout',
    '--quiet',
    '--force',
    '--detach',
    isCommit ? base : `refs/remotes/${remote}/${base}`,
  ]);
  return true;
}

async function fetched(git: Git, args: readonly string[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const result: GitResult = await git.run(args, { timeoutMs });
    if (result.code === 0) return;
    if (tries < triesMax && !/not found|could not read|denied|authentication/i.test(result.stderr)) {
      await wait(500 * 2 ** tries);
      continue;
    }
    throw gitFailure(args.slice(2), result);
  }
}

/** Before anything is merged, rebased or compared: all commits. */
export async function wholeHistory(repository: Repository): Promise<void> {
  const { git } = repository;
  if (!isShallow(repository) || (await boundary(repository)).size === 0) return;
  await fetched(git, [...quiet, '--unshallow', '--filter=blob:none', remote, branches]);
}

/** Where each of these parted is known for sure, or all commits are fetched. */
export async function historyOf(repository: Repository, ranges: readonly Range[]): Promise<void> {
  const cut = isShallow(repository) ? await boundary(repository) : new Set<string>();
  for (const range of ranges)
    if (cut.size > 0 && (await isCutOff(repository, range, cut))) return wholeHistory(repository);
}

/** Commits whose parents were not fetched, of branches: of the ledgers none is needed. */
async function boundary({ commonDir, bareGit }: Repository): Promise<Set<string>> {
  const text = (await readPlainFile(join(commonDir, 'shallow'), 64 << 20))?.toString('utf8') ?? '';
  const cut = new Set(text.split('\n').filter(Boolean));
  if (cut.size === 0) return cut;
  const listed = await bareGit.text(['rev-list', '--max-parents=0', `--remotes=${remote}`]);
  return new Set(listed.split('\n').filter((oid) => cut.has(oid)));
}

/** A common commit is only the nearest when nothing on the way to it was cut off. */
async function isCutOff(repository: Repository, range: Range, cut: ReadonlySet<string>): Promise<boolean> {
  const { base, head } = range;
  const known = await mergeBase(repository, range);
  if (known === null) return true;
  const listed = await repository.bareGit.run(['rev-list', '--max-parents=0', base, head, `^${known}`]);
  if (listed.code !== 0)
    throw new GzaError('world', `the history of ${head} cannot be read: ${listed.stderr}`);
  return listed.stdout
    .toString('utf8')
    .split('\n')
    .some((oid) => cut.has(oid));
}
