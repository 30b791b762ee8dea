/** What the jobs after pick share: the fetched ledgers and the job of their claim. */

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { loadProject, type OpenedProject, openProject, type Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { savedCaches } from '../../core/doctor/workflow-traits.ts';
import { GzaError } from '../../core/errors.ts';
import { branchNameFault } from '../../core/task/task.ts';
import { openWork } from '../../engine/loop/work-run.ts';
import { type Git, type GitResult, gitFailure, openGit } from '../../git/git.ts';
import { listRefs } from '../../git/refs.ts';
import { isShallow, type Repository } from '../../git/repository.ts';
import { trackingPrefix } from '../../ledger/sync/remote-refs.ts';
import { readPlainFile } from '../../system/outside.ts';
import { mergeBase, type Range } from '../../workspace/patch/lane-diff.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { type ClaimedJob, readJob } from '../pick/claims.ts';
import { receive } from '../pick/push-state.ts';
import { type JobContext, remote } from './job-context.ts';

export interface OpenJob extends ClaimedJob {
  readonly project: Project;
  readonly view: TaskView;
  readonly workspace: Workspace;
}

/** Null when the claim is no longer held, because someone took over or stopped the task. */
export async function openJob(ci: JobContext): Promise<OpenJob | null> {
  const id = ci.input('claim');
  if (!/^[\w-]{1,100}$/.test(id)) {
    throw new GzaError('usage', `the input claim names no claim: ${JSON.stringify(id.slice(0, 100))}`, {
      hint: 'It is one of the ids that pick puts into its output `matrix`.',
    });
  }
  const opened = await openProject(ci.ports);
  const project = await loadProject(ci.ports, opened);
  const claimed = await readJob(project.view, id);
  if (!claimed) return null;
  return {
    ...claimed,
    project,
    view: await wholeView(project, claimed.job.id),
    workspace: await openWork(project),
  };
}

const prefix = `refs/remotes/${remote}/`;

/**
 * Makes a CI checkout look like a clone: the base branch is known, and every remote branch exists locally.
 */
export async function prepareRepository(
  { defaultBranch }: Pick<JobContext, 'defaultBranch'>,
  repository: Repository,
): Promise<void> {
  const { git, head } = repository;
  const rows = await listRefs(repository, [prefix.slice(0, -1), 'refs/heads']);
  const oids = new Map(rows.map(({ ref, oid }) => [ref, oid]));
  const branches = rows.flatMap(({ ref, oid }) => {
    const name = ref.slice(prefix.length);
    return ref.startsWith(prefix) && name !== 'HEAD' && branchNameFault(name) === null ? [{ oid, name }] : [];
  });
  if (!branches.some(({ name }) => name === defaultBranch)) {
    throw new GzaError('world', `the checkout does not have the branch ${defaultBranch}`, {
      hint: 'Check out with `fetch-depth: 0`: gza needs all branches, and the history of those it works on.',
    });
  }
  const known = rows.find(({ ref }) => ref === `${prefix}HEAD`)?.target;
  if (known !== `${prefix}${defaultBranch}`)
    await git.text(['symbolic-ref', `${prefix}HEAD`, `${prefix}${defaultBranch}`]);
  const moves = branches.filter(
    ({ name, oid }) => name !== head.branch && oids.get(`refs/heads/${name}`) !== oid,
  );
  const stdin = moves.map(({ name, oid }) => `update refs/heads/${name} ${oid}\n`).join('');
  if (moves.length > 0) await git.text(['update-ref', '--stdin'], { stdin });
}

/** The repository of this job, with the current ledgers of the remote. */
export async function openCheckout(ci: JobContext): Promise<OpenedProject> {
  const isFetched = await checkOut(ci);
  const opened = await openProject(ci.ports);
  await prepareRepository(ci, opened.repository);
  // `state_ref` is in the configuration, which can be read only after the checkout.
  const isWhole = isFetched && opened.ledger.store.namespace === defaultNamespace;
  await receive(ci, opened.ledger, { isFetched: isWhole });
  return opened;
}

/** Fetches branches and ledgers into the job's folder, so that the following steps need no token. */
export async function fetchJob(ci: JobContext): Promise<void> {
  await openCheckout(ci);
  const opened = ci.input('claim') === '' ? null : await openJob(ci);
  if (opened) await laneHistory(opened);
  await findOwnSetup(ci);
  ci.say('Branches and ledgers are here.');
}

/** Fetches the history that shows where the lane branched off its base. */
export async function laneHistory({ job, workspace }: OpenJob): Promise<void> {
  const { lane, base } = job;
  if (!lane || lane.head === base.commit) return;
  const newest = `refs/heads/${base.branch}`;
  const ranges = [lane.compareWith, base.commit, newest].map((one) => ({ base: one, head: lane.head }));
  await historyOf(workspace.repository, ranges);
}

/** Commits fetched per branch. This suffices for most lanes; for longer ones the rest is fetched later. */
const depth = 50;
const timeoutMs = 900_000;
const triesMax = 3;

export const defaultNamespace = 'refs/tasks';
const branches = `+refs/heads/*:refs/remotes/${remote}/*`;
/** Git options that ignore a person's settings and avoid asking the remote for known refs. */
const quiet = [
  '-c',
  'fetch.negotiationAlgorithm=noop',
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-write-fetch-head',
];

/** False when the caller made its own checkout, whose ledgers must be fetched separately. */
export async function checkOut({ ports, input, run, repository }: JobContext): Promise<boolean> {
  const base = input('base');
  if (base === '') return false;
  const { cwd } = ports;
  if (ports.env['GITHUB_WORKSPACE'] !== cwd) {
    throw new GzaError('usage', `the input base empties the folder of a job, and ${cwd} is none`, {
      hint: 'It is for the callable workflow. Elsewhere check out with `fetch-depth: 0` and leave it out.',
    });
  }
  // A machine that is reused may still hold an agent's files.
  for (const name of await readdir(cwd)) await rm(join(cwd, name), { recursive: true, force: true });
  // Does not download large files, and never asks for a password.
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

/** Fetches all commits, which merging, rebasing and comparing need. */
export async function wholeHistory(repository: Repository): Promise<void> {
  const { git } = repository;
  if (!isShallow(repository) || (await boundary(repository)).size === 0) return;
  await fetched(git, [...quiet, '--unshallow', '--filter=blob:none', remote, branches]);
}

/** Makes sure that the merge base of each range is known, fetching all commits if necessary. */
export async function historyOf(repository: Repository, ranges: readonly Range[]): Promise<void> {
  const cut = isShallow(repository) ? await boundary(repository) : new Set<string>();
  for (const range of ranges)
    if (cut.size > 0 && (await isCutOff(repository, range, cut))) return wholeHistory(repository);
}

/** Commits on branches whose parents were not fetched. Ledgers are left out, since they need no history. */
async function boundary({ commonDir, bareGit }: Repository): Promise<Set<string>> {
  const text = (await readPlainFile(join(commonDir, 'shallow'), 64 << 20))?.toString('utf8') ?? '';
  const cut = new Set(text.split('\n').filter(Boolean));
  if (cut.size === 0) return cut;
  const listed = await bareGit.text(['rev-list', '--max-parents=0', `--remotes=${remote}`]);
  return new Set(listed.split('\n').filter((oid) => cut.has(oid)));
}

/** A common commit is certainly the nearest one only when no history between was cut off. */
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

/**
 * The token for git, as a header in the environment of this process and the gits it starts. It is not in
 * .git/config, where an agent would find it, nor in a URL, which error messages print.
 */
export function gitAccess(
  server: string,
  token: string,
  mask: (secret: string) => void,
): Record<string, string> {
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  for (const secret of [token, basic]) mask(secret);
  const { origin } = new URL(server);
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${origin}/.extraheader`,
    GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${basic}`,
  };
}

const path = '.github/actions/gza-setup/action.yml';
const bytesMax = 1_000_000;

/** Reads the base branch's version, which is in the job's folder. An agent's files are elsewhere. */
export async function findOwnSetup(ci: Pick<JobContext, 'ports' | 'output'>): Promise<void> {
  const text = (await readPlainFile(join(ci.ports.cwd, path), bytesMax))?.toString('utf8');
  const [saves] = text === undefined ? [] : savedCaches(path, text);
  if (saves !== undefined) {
    throw new GzaError('input', `${path} uses ${saves}, which saves a cache when the job ends`, {
      hint: 'No cache is saved from the job of an agent. Restore one with actions/cache/restore; give actions/setup-go `cache: false` and actions/setup-node `package-manager-cache: false`, and others no `cache`.',
    });
  }
  ci.output('own-setup', String(text !== undefined));
}
