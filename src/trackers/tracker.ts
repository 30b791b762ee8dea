/**
 * A place where a team follows its work: Linear, or the issues of GitHub. What must be done there is decided in
 * src/core/trackers/plan-sync.ts; a tracker reads and does. A request that fails is thrown as a `world` error, a key or a
 * setting that is wrong as an `input` error; an action that is refused is a value, and keeps no other from being done.
 */
import type { GzaError } from '../core/errors.ts';
import type { Held, HeldIssue, TrackerAction, Wanted } from '../core/trackers/tracker.ts';
import type { TrackerTraits } from '../core/trackers/wanted-issues.ts';

export interface Tracker {
  /** As people call it. */
  readonly name: 'Linear' | 'GitHub';
  readonly traits: TrackerTraits;
  read(wanted: Wanted): Promise<Held>;
  /** In this order, as far as it gets. */
  apply(actions: readonly TrackerAction[]): Promise<Applied>;
}

/** An issue and where it is. */
export type IssueRef = Pick<HeldIssue, 'task' | 'name' | 'url'>;

export interface Applied {
  readonly done: readonly TrackerAction[];
  readonly refused: readonly Refused[];
  readonly made: readonly IssueRef[];
  /** What kept it from going on; of the request that failed so only the next read tells whether it was done. */
  readonly failed: GzaError | null;
}

export interface Refused {
  readonly action: TrackerAction;
  readonly why: string;
}
