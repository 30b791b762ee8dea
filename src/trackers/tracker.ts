/**
 * A place where a team follows its work: Linear, or GitHub's issues. src/core/trackers/plan-sync.ts decides
 * what to do; a tracker only reads and applies. A failed request throws a `world` error, a wrong key or
 * setting an `input` error. A refused action is a value and does not stop the others.
 */
import type { Held, HeldIssue, TrackerAction, Wanted } from '../core/trackers/tracker.ts';
import type { TrackerTraits } from '../core/trackers/wanted-issues.ts';

export interface Tracker {
  /** The name for people. */
  readonly name: 'Linear' | 'GitHub';
  readonly traits: TrackerTraits;
  read(wanted: Wanted): Promise<Held>;
  /**
   * Applies the actions in this order, as far as possible. After a failed request, which throws, only the
   * next read shows whether it was done.
   */
  apply(actions: readonly TrackerAction[], outcome: Outcome): Promise<void>;
}

/** An issue and where it is. */
export type IssueRef = Pick<HeldIssue, 'task' | 'name' | 'url'>;

/** Receives the result of each action. */
export interface Outcome {
  done(action: TrackerAction): void;
  refused(action: TrackerAction, why: string): void;
  made(issue: IssueRef): void;
}

export interface Refused {
  readonly action: TrackerAction;
  readonly why: string;
}
