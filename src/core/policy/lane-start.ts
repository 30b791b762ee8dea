/** What is known of the branch of a task that must come first. */
export interface Predecessor {
  readonly branch: string;
  /** `gone`: closed unmerged, or its branch was deleted. */
  readonly state: 'merged' | 'unmerged' | 'gone';
}

export interface LaneStartFacts {
  readonly branch: string;
  readonly hasBranch: boolean;
  /** `same_branch`: the one predecessor's lane is continued. */
  readonly isSameBranch: boolean;
  readonly predecessors: readonly Predecessor[];
}

export type LaneStart =
  /** The branch is there: its head is the start, and where it forked from is on record. */
  | { readonly kind: 'continue'; readonly branch: string }
  /** From another lane's branch; its head is the fork point. */
  | { readonly kind: 'stack'; readonly branch: string; readonly on: string }
  | { readonly kind: 'base'; readonly branch: string; readonly note?: string }
  | { readonly kind: 'wait'; readonly unmerged: readonly string[] };

/** Where the work on a lane starts. A branch can have one parent: of two unmerged predecessors, one must merge. */
export function laneStart({ branch, hasBranch, isSameBranch, predecessors }: LaneStartFacts): LaneStart {
  const unmerged = [
    ...new Set(predecessors.filter(({ state }) => state === 'unmerged').map((one) => one.branch)),
  ];
  const [first] = unmerged;
  if (isSameBranch && unmerged.length === 1 && first !== undefined)
    return { kind: 'continue', branch: first };
  if (hasBranch) return { kind: 'continue', branch };
  if (unmerged.length > 1) return { kind: 'wait', unmerged };
  if (first !== undefined) return { kind: 'stack', branch, on: first };
  const [ended] = predecessors;
  if (!isSameBranch || !ended) return { kind: 'base', branch };
  const how = ended.state === 'merged' ? 'merged' : 'gone';
  return { kind: 'base', branch, note: `${ended.branch} is ${how}; the work goes on from the base branch` };
}
