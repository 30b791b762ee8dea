/**
 * A place where a team follows its work: Linear, or the issues of GitHub. What must be done there is decided in
 * src/core/plan-sync.ts; a tracker reads and does. A request that fails is thrown as a `world` error, a key or a
 * setting that is wrong as an `input` error; an action that is refused is a value, and keeps no other from being done.
 */
import type { Held, HeldIssue, TrackerAction, Wanted } from '../core/tracker.ts';
import type { TrackerTraits } from '../core/wanted-issues.ts';

export interface Tracker {
  /** As people call it. */
  readonly name: 'Linear' | 'GitHub';
  readonly traits: TrackerTraits;
  read(wanted: Wanted): Promise<Held>;
  /** In this order, as far as it gets. What was done before an error is thrown is found by the next read. */
  apply(actions: readonly TrackerAction[]): Promise<Applied>;
}

/** An issue and where it is. */
export type IssueRef = Pick<HeldIssue, 'task' | 'name' | 'url'>;

export interface Applied {
  readonly done: readonly TrackerAction[];
  readonly refused: readonly Refused[];
  readonly made: readonly IssueRef[];
}

export interface Refused {
  readonly action: TrackerAction;
  readonly why: string;
}
