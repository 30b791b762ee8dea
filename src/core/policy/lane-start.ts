/** What is known of the branch of a task that must come first. */
export interface Predecessor {
  readonly branch: string;
  /** `gone`: closed unmerged, or its branch was deleted. */
  readonly state: 'merged' | 'unmerged' | 'gone';
  /** When it was merged; of one that is not, when it began. */
  readonly at?: string | undefined;
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
  /** From a commit that joins these branches, and the base branch where some of what it needs is merged. */
  | {
      readonly kind: 'join';
      readonly branch: string;
      readonly on: readonly string[];
      readonly withBase: boolean;
    }
  | { readonly kind: 'base'; readonly branch: string; readonly note?: string };

/** Where the work on a lane starts: on all that it waits for, wherever that is by now. */
export function laneStart({ branch, hasBranch, isSameBranch, predecessors }: LaneStartFacts): LaneStart {
  const unmerged = predecessors.filter(({ state }) => state === 'unmerged');
  const on = [...new Set(unmerged.map((one) => one.branch))].sort();
  const [first] = on;
  if (isSameBranch && on.length === 1 && first !== undefined) return { kind: 'continue', branch: first };
  if (hasBranch) return { kind: 'continue', branch };
  // What was merged before the other began is below it already.
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
  /** How many lanes it is, with those that it stands on. */
  readonly height: number;
}

/** Branches stand on each other for their files' sake up to this height: each waits for all below it to be merged. */
const overlapHeightMax = 3;

/** Two lanes that change the same file would conflict at the end: the later one starts from the earlier. */
export function overlapStart(files: readonly string[], lanes: readonly OpenLane[]): string | null {
  const sharing = lanes.filter(
    (lane) => lane.height < overlapHeightMax && lane.files.some((file) => files.includes(file)),
  );
  return sharing.toSorted((a, b) => a.position - b.position)[0]?.branch ?? null;
}
