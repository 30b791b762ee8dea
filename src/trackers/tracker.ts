/**
 * A place where a team follows its work: Linear, or the issues of GitHub. What must be done there is decided in
 * src/core/trackers/plan-sync.ts; a tracker reads and does. A request that fails is thrown as a `world` error, a key or a
 * setting that is wrong as an `input` error; an action that is refused is a value, and keeps no other from being done.
 */
import type { Held, HeldIssue, TrackerAction, Wanted } from '../core/trackers/tracker.ts';
import type { TrackerTraits } from '../core/trackers/wanted-issues.ts';

export interface Tracker {
  /** As people call it. */
  readonly name: 'Linear' | 'GitHub';
  readonly traits: TrackerTraits;
  read(wanted: Wanted): Promise<Held>;
  /**
   * In this order, as far as it gets. Of a request that failed, and so is thrown, only the next read tells whether
   * it was done.
   */
  apply(actions: readonly TrackerAction[], outcome: Outcome): Promise<void>;
}

/** An issue and where it is. */
export type IssueRef = Pick<HeldIssue, 'task' | 'name' | 'url'>;

/** What became of the actions, told one by one. */
export interface Outcome {
  done(action: TrackerAction): void;
  refused(action: TrackerAction, why: string): void;
  made(issue: IssueRef): void;
}

export interface Refused {
  readonly action: TrackerAction;
  readonly why: string;
}
