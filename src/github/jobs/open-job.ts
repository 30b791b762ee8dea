/** What the jobs after pick share: fetched ledgers, the job of their claim, and what one leaves for the next. */

import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { loadProject, type OpenedProject, openProject, type Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { type Check, keepEnds, type Verification } from '../../core/checks/verification.ts';
import { savedCaches } from '../../core/doctor/workflow-traits.ts';
import { GzaError } from '../../core/errors.ts';
import { stepNames } from '../../core/ledger/record/record.ts';
import { resultKinds } from '../../core/policy/endings.ts';
import { parseJson } from '../../core/shape.ts';
import { branchNameFault } from '../../core/task/task.ts';
import { claimOfAgent, type StepJob } from '../../engine/engine.ts';
import { type Left, leftMax } from '../../engine/left.ts';
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

const text = (max: number) => z.string().max(max);
const count = z.number().min(0).max(leftMax.count);
const runShape = z.strictObject({
  agent: z.strictObject({ name: text(leftMax.word), version: text(leftMax.word).optional() }),
  kind: z.enum(resultKinds),
  text: text(leftMax.text),
  error: text(leftMax.error).optional(),
  resetAt: z.iso.datetime().optional(),
  sessionId: text(leftMax.word).optional(),
  turns: count,
  usage: z.strictObject({ input: count, cachedInput: count, output: count, reasoning: count }).nullable(),
  costUsd: z.number().min(0).max(leftMax.dollars).nullable(),
  unpriced: count.optional(),
  pricedAsOf: z.iso.date().optional(),
});

const skipReasons = [
  'ignored',
  'oversized',
  'unsafe-path',
  'nested-repository',
  'submodule',
  'special-file',
  'unreadable',
] as const;

const leftShape = z.strictObject({
  v: z.literal(1),
  task: text(leftMax.word),
  claim: text(leftMax.word),
  step: z.enum(stepNames),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime(),
  runs: z.array(runShape).max(leftMax.runs),
  spool_cut: z.boolean(),
  skipped: z.array(z.strictObject({ path: text(leftMax.path), why: z.enum(skipReasons) })).max(leftMax.list),
  subjects: z.array(text(leftMax.subject)).max(leftMax.list),
  too_large: text(leftMax.why).optional(),
  broken: text(leftMax.why).optional(),
  discarded: z.array(text(leftMax.path)).max(leftMax.list),
});

const leftBytesMax = { result: 8 << 20, patch: 64 << 20, spool: 8 << 20, verification: 1_000_000 };

export async function writeLeft(dir: string, { patch, spool, log: _log, ...left }: Left): Promise<void> {
  // An agent may have placed a pipe or a link at this path.
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  if (patch) await writeFile(join(dir, 'patch'), patch);
  await writeFile(join(dir, 'spool.jsonl'), spool);
  // Written last: when this file exists, the others are complete.
  await writeFile(join(dir, 'result.json'), JSON.stringify({ v: 1, ...left }));
}

export type ReadLeft =
  | { readonly kind: 'left'; readonly left: Left }
  /** The job wrote nothing, because it died before it could. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unreadable'; readonly why: string };

/** `expected` is null when the caller only copies the files. */
export async function readLeft(
  dir: string,
  expected: (Pick<StepJob, 'id' | 'claim' | 'taken'> & { readonly step: string }) | null,
): Promise<ReadLeft> {
  try {
    const result = await readPlainFile(join(dir, 'result.json'), leftBytesMax.result);
    if (result === null) return { kind: 'nothing' };
    const parsed = leftShape.safeParse(JSON.parse(result.toString('utf8')));
    if (!parsed.success) return { kind: 'unreadable', why: z.prettifyError(parsed.error).slice(0, 500) };
    const { v: _v, ...left } = parsed.data;
    const isOther =
      expected !== null &&
      (left.task !== expected.id || left.claim !== claimOfAgent(expected) || left.step !== expected.step);
    if (isOther) return { kind: 'unreadable', why: 'it is the result of another step' };
    const patch = await readPlainFile(join(dir, 'patch'), leftBytesMax.patch);
    const spool = await readPlainFile(join(dir, 'spool.jsonl'), leftBytesMax.spool);
    return { kind: 'left', left: { ...left, patch, spool: spool?.toString('utf8') ?? '' } };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'unreadable', why: why.slice(0, 500) };
  }
}

const outputMax = 20_000;

const checkShape = z.object({
  name: z.enum(['files', 'setup', 'tests', 'verify', 'build']),
  command: text(5_000).optional(),
  ok: z.boolean(),
  skipped: z.boolean().optional(),
  reason: text(20_000).nullable(),
  exitCode: z.number().nullable().optional(),
  endedBy: z.enum(['timeout', 'idle', 'output_limit', 'resources', 'cancelled']).optional(),
  timedOut: z.boolean().optional(),
  seconds: z.number().min(0).max(1e6),
  output: text(4 * outputMax),
});

const baseline = z.object({ commit: z.string().regex(/^[0-9a-f]{40,64}$/), failed: text(2_000) });
const verificationShape = z.object({
  ok: z.boolean(),
  checks: z.array(checkShape).max(10),
  baseline: baseline.optional(),
});

export function printVerification({ ok, checks, baseline }: Verification): string {
  const kept = checks.map(({ results: _results, ...check }) => ({
    ...check,
    output: keepEnds(check.output, outputMax / 4, outputMax),
  }));
  return JSON.stringify({ ok, checks: kept, baseline });
}

/**
 * The landing job trusts how the job ended, since GitHub reports that. The file only says what failed, and is
 * ignored when it contradicts the job's result.
 */
export function believedVerification(jobResult: string, printed: string | null): Verification {
  const ok = jobResult === 'success';
  const told = printed === null ? null : parsedVerification(printed);
  if (told && told.ok === ok) return told;
  if (ok) return { ok, checks: [] };
  const reason = `the verify job ended ${jobResult || 'without a result'} and did not say what failed`;
  return { ok, checks: [{ name: 'verify', ok, reason, seconds: 0, results: null, output: '' }] };
}

function parsedVerification(printed: string): Verification | null {
  const found = verificationShape.safeParse(parseJson(printed));
  if (!found.success) return null;
  const { ok, checks, baseline } = found.data;
  if (ok !== checks.every((check) => check.ok)) return null;
  const all = checks.map((check) => ({ ...check, results: null }) as Check);
  return { ok, checks: all, ...(baseline && !ok ? { baseline } : {}) };
}

const verificationName = 'verification.json';

export async function writeVerification(dir: string, printed: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, verificationName), printed);
}

/** Null when there is no file. */
export async function readVerification(dir: string): Promise<string | null> {
  if (dir === '') return null;
  const bytes = await readPlainFile(join(dir, verificationName), leftBytesMax.verification).catch(() => null);
  return bytes?.toString('utf8') ?? null;
}
