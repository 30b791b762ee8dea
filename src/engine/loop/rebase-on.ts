/**
 * A lane's own commits, from where it left what it stood on, are put on top of something else, and branch and ledgers
 * say so in one transaction. A conflict changes nothing.
 */
import type { Project } from '../../app/project.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { LaneLink } from '../../core/ledger/record/record.ts';
import type { Repository } from '../../git/open-repository.ts';
import type { LedgerView } from '../../ledger/ledger.ts';
import type { RefMove } from '../../ledger/store/move-refs.ts';
import { type RebaseResult, rebaseLane } from '../../workspace/branch/rebase-lane.ts';
import { diffId } from '../../workspace/patch/lane-diff.ts';
import { gzaIdentity } from '../../workspace/workspace.ts';

export interface LaneToMove {
  readonly link: LaneLink;
  readonly head: string;
  readonly forkPoint: string;
  readonly tasks: readonly string[];
}

export interface Onto {
  readonly branch: string;
  readonly commit: string;
  /** Another lane, which is not merged yet. */
  readonly isLane?: boolean;
}

export type Rebased =
  | { readonly kind: 'moved'; readonly move: RefMove }
  | Exclude<RebaseResult, { readonly kind: 'rebased' }>;

/** The branch below is merged and its ledger came home. */
export function isBelowMerged({ view, board }: Project, { stacked_on: on, fork_point }: LaneLink): boolean {
  if (on === undefined || fork_point === undefined || view.tip(on) !== null) return false;
  return [...board.views.values()].some(
    ({ record }) => record?.lane?.branch === on && record.merged_at !== undefined,
  );
}

/** `also`: recorded in the base ledger together with the move. */
export async function rebaseOn(
  { ledger }: Project,
  repository: Repository,
  { link, head, forkPoint, tasks }: LaneToMove,
  onto: Onto,
  at: string,
  also: (view: LedgerView, to: string) => Promise<readonly Event[]> = async () => [],
): Promise<Rebased> {
  const rebased = await rebaseLane(repository, {
    onto: onto.commit,
    forkPoint,
    head,
    committer: gzaIdentity,
  });
  if (rebased.kind !== 'rebased') return rebased;
  const { branch, id, rebased: before } = link;
  const to = rebased.commit;
  // Where the last step left it, also when it was put elsewhere more than once since.
  const from = before?.to === head ? before.from : head;
  const lane: LaneLink = {
    id,
    branch,
    fork_point: onto.commit,
    ...(onto.isLane ? { stacked_on: onto.branch } : {}),
    rebased: { from, to, diff: await diffId(repository, { base: onto.commit, head: to }) },
  };
  const move = { ref: `refs/heads/${branch}`, to, from: head };
  const entered = tasks.map((task): Event => ({ kind: 'enter-lane', at, id: task, lane }));
  await ledger.write(async (view) => ({
    changes: [
      { branch, events: entered },
      { branch: view.base, events: [...entered, ...(await also(view, to))] },
    ],
    refs: [move],
  }));
  return { kind: 'moved', move };
}
