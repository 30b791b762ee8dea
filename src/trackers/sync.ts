/**
 * One sync: reads, plans and applies, until nothing is left or nothing more can be done. If an answer is
 * lost, the next round reads the result. What cannot be done now is left for the next sync.
 */
import { isGzaError } from '../core/errors.ts';
import { planSync, withoutRefused } from '../core/trackers/plan-sync.ts';
import { actionKey, type Held, type TrackerAction, type Wanted } from '../core/trackers/tracker.ts';
import type { IssueRef, Outcome, Refused, Tracker } from './tracker.ts';

export interface SyncOptions {
  readonly dryRun: boolean;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** True when no further round may start. */
  readonly isOver: () => boolean;
}

export interface TrackerSync {
  readonly tracker: Tracker['name'];
  readonly done: readonly TrackerAction[];
  /** What is still to be done. In a dry run this is everything. */
  readonly owed: readonly TrackerAction[];
  readonly refused: readonly Refused[];
  /** Every issue that is known. */
  readonly issues: readonly IssueRef[];
  /** Why the sync did not finish. */
  readonly problem: string | null;
}

/** Each refusal by Linear costs a round. */
const roundsMax = 10;

export async function syncTracker(
  tracker: Tracker,
  wanted: Wanted,
  options: SyncOptions,
): Promise<TrackerSync> {
  const done: TrackerAction[] = [];
  const refused: Refused[] = [];
  const issues = new Map<string, IssueRef>();
  const outcome: Outcome = {
    done: (action) => done.push(action),
    refused: (action, why) => refused.push({ action, why }),
    made: (issue) => issues.set(issue.task, issue),
  };
  let owed: readonly TrackerAction[] = [];
  let problem: string | null = null;
  for (let round = 1; round <= roundsMax; round += 1) {
    if (round > 1 && options.isOver()) break;
    if (problem !== null) await options.sleep(500 * 2 ** (round - 2));
    let isRead = false;
    try {
      const held = await tracker.read(wanted);
      for (const { task, name, url } of held.issues)
        if (!issues.has(task)) issues.set(task, { task, name, url });
      owed = planLeft(wanted, held, refused, done);
      problem = null;
      isRead = true;
      if (owed.length === 0 || options.dryRun) break;
      await tracker.apply(owed, outcome);
    } catch (error) {
      if (!isGzaError(error) || error.code !== 'world') throw error;
      problem = error.message;
      // Reading was already retried enough.
      if (!isRead || error.data['isFinal'] === true || 'resumeAt' in error.data) break;
    } finally {
      const over = new Set([...done, ...refused.map(({ action }) => action)]);
      owed = owed.filter((action) => !over.has(action));
    }
    if (owed.length === 0 && problem === null) break;
  }
  return { tracker: tracker.name, done, owed, refused, issues: [...issues.values()], problem };
}

/** Plans no action twice in one sync, even if the tracker does not show its result. */
function planLeft(
  wanted: Wanted,
  held: Held,
  refused: readonly Refused[],
  done: readonly TrackerAction[],
): TrackerAction[] {
  const actions = refused.map(({ action }) => action);
  const keys = new Set([...actions, ...done].map(actionKey));
  return planSync(withoutRefused(wanted, actions), held).filter((action) => !keys.has(actionKey(action)));
}
