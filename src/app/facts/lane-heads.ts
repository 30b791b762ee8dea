/** Where the branches of tasks at work stand, and whether a person was there: one git call where nothing moved. */

import type { TaskView } from '../../core/board/board.ts';
import type { LaneLink } from '../../core/ledger/record/record.ts';
import type { LaneFacts } from '../../core/policy/decide.ts';
import { isGzaEmail } from '../../git/git.ts';
import { listRefs } from '../../git/refs.ts';

import type { Project } from '../project.ts';

export type Heads = Pick<LaneFacts, 'head' | 'diff' | 'gone' | 'personCommits'>;

/** It has a branch on which something was tried. */
export function isAtWork({ record }: TaskView): boolean {
  const { lane, closed_at, steps = [] } = record ?? {};
  return lane !== undefined && !lane.folded_at && !closed_at && steps.length > 0;
}

export async function laneHeads(
  project: Project,
  atWork: readonly TaskView[],
): Promise<ReadonlyMap<string, Heads>> {
  if (atWork.length === 0) return new Map();
  const tips = await branchTips(project);
  const heads = new Map<string, Heads>();
  for (const view of atWork) heads.set(view.id, await headsOf(project, view, tips));
  return heads;
}

/** Full names of refs, here and as last fetched, to commits. */
export async function branchTips({ repository }: Project): Promise<ReadonlyMap<string, string>> {
  const rows = await listRefs(repository, ['refs/heads', 'refs/remotes/origin']);
  return new Map(rows.map(({ ref, oid }) => [ref, oid]));
}

async function headsOf(
  project: Project,
  { record }: TaskView,
  tips: ReadonlyMap<string, string>,
): Promise<Heads> {
  const branch = record?.lane?.branch ?? '';
  const last = lastHead(project, branch);
  const head = tips.get(`refs/heads/${branch}`) ?? tips.get(`refs/remotes/origin/${branch}`);
  if (head === undefined) return (await hadBranch(project, last)) ? { gone: true } : {};
  if (last === undefined || head === last.head) {
    return last?.diff === undefined ? { head } : { head, diff: last.diff };
  }
  return { head, personCommits: await hasForeignCommits(project, last.head, head) };
}

interface LastHead {
  readonly head: string;
  readonly diff?: string | undefined;
  readonly isFork: boolean;
}

/** What the last step of the branch left, whichever of its tasks that was of. */
function lastHead({ board }: Project, branch: string): LastHead | undefined {
  let last: { head: string; diff?: string | undefined; at: string; isFork: boolean } | undefined;
  let rebased: LaneLink['rebased'];
  for (const { record } of board.views.values()) {
    if (record?.lane?.branch !== branch) continue;
    for (const { head, diff, ended_at } of record.steps ?? []) {
      if (head === undefined || (last && ended_at < last.at)) continue;
      last = { head, diff, at: ended_at, isFork: head === record.lane.fork_point };
    }
    rebased ??= record.lane.rebased;
  }
  // gza itself put it elsewhere since.
  if (last && rebased?.from === last.head) return { ...last, head: rebased.to, diff: rebased.diff };
  return last;
}

/** A branch that never was made, or that was never fetched, was not deleted. */
async function hadBranch({ repository }: Project, last: LastHead | undefined): Promise<boolean> {
  if (!last || last.isFork) return false;
  return (await repository.git.run(['cat-file', '-e', `${last.head}^{commit}`])).code === 0;
}

/** Merges of the base do not count; what gza committed does not either. */
async function hasForeignCommits({ repository, view }: Project, from: string, to: string): Promise<boolean> {
  const isAncestor = await repository.git.run(['merge-base', '--is-ancestor', from, to]);
  if (isAncestor.code === 1) return true;
  const args = [
    'log',
    '--no-merges',
    '--max-count=200',
    '--format=%ce',
    to,
    `^${from}`,
    `^refs/heads/${view.base}`,
  ];
  const log = await repository.git.run([...args, '--']);
  const mails = log.stdout.toString('utf8').split('\n').filter(Boolean);
  return log.code === 0 && mails.some((mail) => !isGzaEmail(mail));
}
