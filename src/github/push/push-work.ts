/**
 * `--push`: pushes branches, ledgers and pull requests. It pushes after each step, so that little is lost in
 * a kill. At the end it pushes everything, including what a killed run missed.
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
  /** Pushes after a step. Never rejects: what fails now is pushed later. */
  readonly pushState: (branch: string | null) => Promise<void>;
  /** Pushes everything, and returns lines for the end of the run. */
  readonly end: (result: WorkResult) => Promise<string[]>;
}

interface Open {
  readonly opened: OpenedProject;
  readonly repository: Repository;
  readonly ports: WorkPorts;
  readonly remote: string;
  /** Lanes whose ledgers the remote had before this run. */
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
  // A refusal is reported at the end.
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
  // This comes before the ledgers are pushed, because they store the numbers of pull requests.
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

/** Lanes of this run, and earlier ones with a ledger on the remote, which a killed run may have missed. */
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

/** Pushes with force only over a commit of gza's own, for example after a rebase. */
async function pushBranch(
  project: Project,
  { branch, remote }: { readonly branch: string; readonly remote: string },
): Promise<PushedBranch> {
  const lane = [...project.board.views.values()].find(({ record }) => record?.lane?.branch === branch)?.record
    ?.lane;
  // The pull request is compared with the branch below, so that one is pushed first.
  if (lane?.joins && lane.stacked_on) await pushJoin(project, remote, lane.stacked_on);
  const first = await push(project, remote, branch, []);
  if (first.kind === 'pushed' || !/non-fast-forward|fetch first|stale info/.test(first.why)) return first;
  const there = await tipThere(project, remote, branch);
  if (there === null || !(await isOurs(project, branch, there))) return first;
  return push(project, remote, branch, [`--force-with-lease=refs/heads/${branch}:${there}`]);
}

/** Pushes gza's own branch, but not over a person's commits. */
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
    // The message may contain a URL with a token.
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

/** Whether a step of the lane made this commit, so that replacing it loses nobody else's work. */
async function isOurs(project: Project, branch: string, commit: string): Promise<boolean> {
  for (const { id, record } of project.board.views.values()) {
    if (record?.lane?.branch !== branch) continue;
    const whole = await wholeView(project, id);
    if (whole.record?.steps?.some(({ head }) => head === commit)) return true;
  }
  return false;
}
