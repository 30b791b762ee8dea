/** The branch of a task that must come first. */
export interface Predecessor {
  readonly branch: string;
  /** `gone`: closed unmerged, or its branch was deleted. */
  readonly state: 'merged' | 'unmerged' | 'gone';
  /** When it was merged; if it is not merged, when it began. */
  readonly at?: string | undefined;
}

export interface LaneStartFacts {
  readonly branch: string;
  readonly hasBranch: boolean;
  /** `same_branch`: continues the lane of its one predecessor. */
  readonly isSameBranch: boolean;
  readonly predecessors: readonly Predecessor[];
}

export type LaneStart =
  /** The branch exists: work starts at its head, and its fork point is on record. */
  | { readonly kind: 'continue'; readonly branch: string }
  /** Starts from another lane's branch, whose head is the fork point. */
  | { readonly kind: 'stack'; readonly branch: string; readonly on: string }
  /**
   * Starts from a commit that joins these branches, and the base branch if some of what it needs is merged.
   */
  | {
      readonly kind: 'join';
      readonly branch: string;
      readonly on: readonly string[];
      readonly withBase: boolean;
    }
  | { readonly kind: 'base'; readonly branch: string; readonly note?: string };

/** Where the work on a lane starts: on top of everything that it waits for. */
export function laneStart({ branch, hasBranch, isSameBranch, predecessors }: LaneStartFacts): LaneStart {
  const unmerged = predecessors.filter(({ state }) => state === 'unmerged');
  const on = [...new Set(unmerged.map((one) => one.branch))].sort();
  const [first] = on;
  if (isSameBranch && on.length === 1 && first !== undefined) return { kind: 'continue', branch: first };
  if (hasBranch) return { kind: 'continue', branch };
  // What was merged before the other branch began is already part of it.
  const withBase = predecessors.some(
    ({ state, at = '' }) => state === 'merged' && unmerged.some((one) => (one.at ?? '') < at),
  );
  if (on.length > 1 || (first !== undefined && withBase)) return { kind: 'join', branch, on, withBase };
  if (first !== undefined) return { kind: 'stack', branch, on: first };
  const [ended] = predecessors;
  if (!isSameBranch || !ended) return { kind: 'base', branch };
  const how = ended.state === 'merged' ? 'merged' : 'gone';
  return { kind: 'base', branch, note: `${ended.branch} is ${how}; the work goes on from the base branch` };
}

/** A lane in flight whose work is done. */
export interface OpenLane {
  readonly branch: string;
  readonly files: readonly string[];
  readonly position: number;
  /** The number of lanes in its stack, including itself. */
  readonly height: number;
}

/** Limit for stacks that are due to shared files, because each branch waits until all below it are merged. */
const overlapHeightMax = 3;

/**
 * Two lanes that change the same file would conflict at the end, so the later one starts from the earlier.
 */
export function overlapStart(files: readonly string[], lanes: readonly OpenLane[]): string | null {
  const sharing = lanes.filter(
    (lane) => lane.height < overlapHeightMax && lane.files.some((file) => files.includes(file)),
  );
  return sharing.toSorted((a, b) => a.position - b.position)[0]?.branch ?? null;
}
