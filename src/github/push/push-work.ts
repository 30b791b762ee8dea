/**
 * `--push`: branches, ledgers and pull requests, to the remote. After each step, so that a kill leaves little untold;
 * and at the end for all of them, so that what a killed run did not get to say is said by the next.
 */

import { loadProject, type OpenedProject, type Project, warnJoined } from '../../app/project.ts';
import { syncQuietly } from '../../app/share/share.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import { isGzaError } from '../../core/errors.ts';
import { syncText } from '../../core/text/terminal/joined.ts';
import type { WorkPorts, WorkResult } from '../../engine/loop/work-run.ts';
import { PorcelainError, porcelain } from '../../git/porcelain.ts';
import { listRefs } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { trackedTips } from '../../ledger/sync/remote-refs.ts';
import { syncLedgers } from '../../ledger/sync/sync.ts';
import { hasPersonsWork } from '../../workspace/branch/join-branches.ts';
import { type PullPlace, pullPlace, pushPulls } from './push-pulls.ts';

export interface Sharing {
  /** What others should know by now. Never rejects: what is not shared now is shared later. */
  readonly pushState: (branch: string | null) => Promise<void>;
  /** A line each for the end of the run. */
  readonly end: (result: WorkResult) => Promise<string[]>;
}

interface Open {
  readonly opened: OpenedProject;
  readonly repository: Repository;
  readonly ports: WorkPorts;
  readonly remote: string;
  /** Lanes whose state the remote had before. */
  readonly known: ReadonlySet<string>;
  place?: PullPlace | string;
}

export async function openPushing(
  opened: OpenedProject,
  repository: Repository,
  remote: string,
  ports: WorkPorts,
): Promise<Sharing> {
  const known = new Set((await trackedTips(opened.ledger.store, remote)).keys());
  const open: Open = { opened, repository, ports, remote, known };
  let turn: Promise<unknown> = Promise.resolve();
  return {
    pushState: async (branch) => {
      const mine = turn.then(() => shareOne(open, branch));
      turn = mine;
      await mine;
    },
    end: async (result) => {
      await turn;
      return shareAll(open, result);
    },
  };
}

async function shareOne(open: Open, branch: string | null): Promise<void> {
  const { opened, ports, remote } = open;
  const project = await loadProject(ports, opened);
  const pushed = branch === null ? null : await pushBranch(project, { branch, remote });
  await syncQuietly(opened.ledger, remote, ports);
  // Why it was refused is told at the end.
  if (branch === null || pushed?.kind !== 'pushed') return;
  await pullsOf(open, project, [branch]);
}

async function pullsOf(open: Open, project: Project, branches: readonly string[]) {
  open.place ??= await pullPlace(project, open.ports, open.remote);
  if (typeof open.place === 'string') return open.place;
  try {
    return await pushPulls(open.place, project, open.repository, branches, open.ports);
  } catch (error) {
    if (!isGzaError(error)) throw error;
    return error.message;
  }
}

async function shareAll(open: Open, result: WorkResult): Promise<string[]> {
  const { ports, remote, opened } = open;
  const project = await loadProject(ports, opened);
  const lines: string[] = [];
  const pushed: string[] = [];
  for (const branch of await lanesToShare(open, project, result)) {
    const one = await pushBranch(project, { branch, remote });
    if (one.kind === 'pushed') pushed.push(branch);
    else lines.push(`✗ ${branch} was not pushed: ${one.why} (it is kept here)`);
  }
  // Numbers of pull requests go into the ledgers.
  const pulls = pushed.length > 0 ? await pullsOf(open, project, pushed) : '';
  for (const branch of pushed) {
    const pull = typeof pulls === 'string' ? undefined : pulls.get(branch);
    if (typeof pull === 'string')
      lines.push(`✗ ${branch} was pushed, its pull request is not as it should be: ${pull}`);
    else lines.push(`✓ pushed ${branch}${pull ? `: pull request #${pull.number} ${pull.url}` : ''}`);
  }
  if (typeof pulls === 'string' && pulls !== '') lines.push(noPulls(pulls, pushed));
  try {
    const { ledger } = opened;
    const synced = await syncLedgers(ledger, { remote, push: true, tell: warnJoined(ledger, ports) });
    lines.push(syncText(remote, synced));
  } catch (error) {
    if (!isGzaError(error)) throw error;
    ports.progress(`warning: the state was not shared: ${error.message}`);
  }
  return lines;
}

function noPulls(why: string, [first = '', ...more]: readonly string[]): string {
  const many = more.length > 0 ? ` and ${more.length} more` : '';
  return `  no pull request was opened for ${first}${many}: ${why}. By hand: gza pr --branch ${first} prints its text`;
}

/** Those of this run, and those of before whose state is shared: what a killed run did not get to. */
async function lanesToShare({ known }: Open, project: Project, { tasks }: WorkResult): Promise<string[]> {
  const of = new Set(tasks);
  const branches = new Set<string>();
  for (const { id, record } of project.board.views.values()) {
    const lane = record?.lane;
    if (!lane || lane.folded_at || !(of.has(id) || known.has(lane.branch))) continue;
    branches.add(lane.branch);
  }
  const here = new Set((await listRefs(project.repository, ['refs/heads'])).map(({ ref }) => ref));
  return [...branches].filter((branch) => here.has(`refs/heads/${branch}`));
}

type PushedBranch = { readonly kind: 'pushed' } | { readonly kind: 'refused'; readonly why: string };

const networkMs = 120_000;

/** One that gza itself put on another commit may replace what gza pushed before. */
async function pushBranch(
  project: Project,
  { branch, remote }: { readonly branch: string; readonly remote: string },
): Promise<PushedBranch> {
  const lane = [...project.board.views.values()].find(({ record }) => record?.lane?.branch === branch)?.record
    ?.lane;
  // Its pull request is compared with what it stands on.
  if (lane?.joins && lane.stacked_on) await pushJoin(project, remote, lane.stacked_on);
  const first = await push(project, remote, branch, []);
  if (first.kind === 'pushed' || !/non-fast-forward|fetch first|stale info/.test(first.why)) return first;
  const there = await tipThere(project, remote, branch);
  if (there === null || !(await isOurs(project, branch, there))) return first;
  return push(project, remote, branch, [`--force-with-lease=refs/heads/${branch}:${there}`]);
}

/** gza's own branch; not over what a person put there. */
async function pushJoin(project: Project, remote: string, branch: string): Promise<void> {
  if ((await push(project, remote, branch, [])).kind === 'pushed') return;
  const { repository } = project;
  const ref = `refs/heads/${branch}`;
  const there = await tipThere(project, remote, branch);
  const isKnown = there && (await repository.git.run(['cat-file', '-e', `${there}^{commit}`])).code === 0;
  if (!isKnown || (await hasPersonsWork(repository, ref, there, undefined))) return;
  await push(project, remote, branch, [`--force-with-lease=${ref}:${there}`]);
}

async function push(
  { repository }: Project,
  remote: string,
  branch: string,
  more: readonly string[],
): Promise<PushedBranch> {
  const ref = `refs/heads/${branch}`;
  try {
    await porcelain(
      repository.git.cwd,
      (git, names) => git.push(['--no-verify', '--no-follow-tags', ...more, names(remote, `${ref}:${ref}`)]),
      { timeoutMs: networkMs },
    );
    return { kind: 'pushed' };
  } catch (error) {
    if (!(error instanceof PorcelainError)) throw error;
    const { stdout, stderr } = error.result;
    const [, told] = /^!\t[^\t]*\t(.*)$/m.exec(stdout.toString('utf8')) ?? [];
    const reason = told ?? stderr.trim().split('\n').at(-1);
    // An address may hold a token.
    const why = (reason || 'git said nothing').replaceAll(/\/\/[^/@\s]*@/g, '//');
    return { kind: 'refused', why };
  }
}

async function tipThere({ repository }: Project, remote: string, branch: string): Promise<string | null> {
  const ref = `refs/heads/${branch}`;
  const listed = await porcelain(repository.git.cwd, (git) => git.listRemote(['--', remote, ref]), {
    timeoutMs: networkMs,
  }).catch(() => '');
  const line = listed.split('\n').find((one) => one.endsWith(`\t${ref}`));
  return line?.split('\t')[0] ?? null;
}

/** A step of the lane left it there, so nobody else's commit is lost. */
async function isOurs(project: Project, branch: string, commit: string): Promise<boolean> {
  for (const { id, record } of project.board.views.values()) {
    if (record?.lane?.branch !== branch) continue;
    const whole = await wholeView(project, id);
    if (whole.record?.steps?.some(({ head }) => head === commit)) return true;
  }
  return false;
}
