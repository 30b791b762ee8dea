/** What the jobs after pick have in common: the ledgers as they were fetched, and the job of their claim. */
import { loadProject, type OpenedProject, openProject, type Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import { branchNameFault } from '../../core/task/task.ts';
import { openWork } from '../../engine/loop/work-run.ts';
import { listRefs } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { type ClaimedJob, readJob } from '../pick/claims.ts';
import { receive } from '../pick/share.ts';
import { checkOut, defaultNamespace, historyOf } from './checkout.ts';
import { type Ci, remote } from './ci.ts';
import { findOwnSetup } from './own-setup.ts';

export interface OpenJob extends ClaimedJob {
  readonly project: Project;
  readonly view: TaskView;
  readonly workspace: Workspace;
}

/** Null when the claim is not held any more: someone took the task over, or stopped it. */
export async function openJob(ci: Ci): Promise<OpenJob | null> {
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

/** A checkout of CI as the engine expects a clone: the base branch is known, and every branch is at hand. */
export async function prepareRepository(
  { defaultBranch }: Pick<Ci, 'defaultBranch'>,
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

/** The repository as this job finds it, with the ledgers as the remote has them now. */
export async function openCheckout(ci: Ci): Promise<OpenedProject> {
  const isFetched = await checkOut(ci);
  const opened = await openProject(ci.ports);
  await prepareRepository(ci, opened.repository);
  // `state_ref` stands in the configuration, which is known only now.
  const isWhole = isFetched && opened.ledger.store.namespace === defaultNamespace;
  await receive(ci, opened.ledger, { isFetched: isWhole });
  return opened;
}

/** Brings branches and ledgers into the job's folder, so that the steps that follow need no token. */
export async function fetchJob(ci: Ci): Promise<void> {
  await openCheckout(ci);
  const opened = ci.input('claim') === '' ? null : await openJob(ci);
  if (opened) await laneHistory(opened);
  await findOwnSetup(ci);
  ci.say('Branches and ledgers are here.');
}

/** What tells where the lane parted from its base. */
export async function laneHistory({ job, workspace }: OpenJob): Promise<void> {
  const { lane, base } = job;
  if (!lane || lane.head === base.commit) return;
  const newest = `refs/heads/${base.branch}`;
  const ranges = [lane.compareWith, base.commit, newest].map((one) => ({ base: one, head: lane.head }));
  await historyOf(workspace.repository, ranges);
}
