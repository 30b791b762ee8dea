/**
 * A lane that was built on another stands on its own when that one is merged: its commits, from where it left the
 * other, are put on top of the base, and branch and ledgers say so in one transaction. A conflict changes nothing.
 */
import type { Project } from '../../app/project.ts';
import type { LaneLink } from '../../core/ledger/record/record.ts';
import type { Repository } from '../../git/open-repository.ts';
import type { Change } from '../../ledger/ledger.ts';
import type { RefMove } from '../../ledger/store/move-refs.ts';
import { rebaseLane } from '../../workspace/branch/rebase-lane.ts';
import { diffId } from '../../workspace/patch/lane-diff.ts';
import { gzaIdentity } from '../../workspace/workspace.ts';
import { baseOf } from './lane-of.ts';

export interface StackedLane {
  readonly link: LaneLink;
  readonly head: string;
  readonly tasks: readonly string[];
}

export type RebasedOnBase =
  | { readonly kind: 'rebased'; readonly base: string; readonly move: RefMove }
  | { readonly kind: 'stays'; readonly base: string; readonly why: string };

/** The branch below is merged and its ledger came home. */
export function isBelowMerged({ view, board }: Project, { stacked_on: on, fork_point }: LaneLink): boolean {
  if (on === undefined || fork_point === undefined || view.tip(on) !== null) return false;
  return [...board.views.values()].some(
    ({ record }) => record?.lane?.branch === on && record.merged_at !== undefined,
  );
}

/** Where the last step left it, also when it was put elsewhere more than once since. */
export function leftAt({ rebased }: LaneLink, head: string): string {
  return rebased?.to === head ? rebased.from : head;
}

export async function rebaseOnBase(
  project: Project,
  repository: Repository,
  { link, head, tasks }: StackedLane,
  at: string,
): Promise<RebasedOnBase> {
  const base = await baseOf(project, repository);
  const { branch, id, fork_point: forkPoint = head } = link;
  const rebased = await rebaseLane(repository, {
    onto: base.commit,
    forkPoint,
    head,
    committer: gzaIdentity,
  });
  if (rebased.kind !== 'rebased') {
    const why =
      rebased.kind === 'conflict'
        ? `conflicts in ${rebased.paths.slice(0, 5).join(', ')}`
        : 'nothing is left of it';
    return { kind: 'stays', base: base.branch, why };
  }
  const to = rebased.commit;
  const diff = await diffId(repository, { base: base.commit, head: to });
  const own: LaneLink = {
    id,
    branch,
    fork_point: base.commit,
    rebased: { from: leftAt(link, head), to, diff },
  };
  const move = { ref: `refs/heads/${branch}`, to, from: head };
  await project.ledger.write(async (view) => ({
    changes: [branch, view.base].map(
      (ledger): Change => ({
        branch: ledger,
        events: tasks.map((task) => ({ kind: 'enter-lane', at, id: task, lane: own })),
      }),
    ),
    refs: [move],
  }));
  return { kind: 'rebased', base: base.branch, move };
}
