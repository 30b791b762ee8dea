/**
 * One sync: read, plan, do, until there is nothing left to do or nothing more can be done. An answer that was lost
 * is no question: the next round reads what came of it. What cannot be done stays owed, and the next sync sees it.
 */
import { isGzaError } from '../core/errors.ts';
import { planSync, withoutRefused } from '../core/trackers/plan-sync.ts';
import { actionKey, type Held, type TrackerAction, type Wanted } from '../core/trackers/tracker.ts';
import type { IssueRef, Outcome, Refused, Tracker } from './tracker.ts';

export interface SyncOptions {
  readonly dryRun: boolean;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Past this there is no other round. */
  readonly isOver: () => boolean;
}

export interface TrackerSync {
  readonly tracker: Tracker['name'];
  readonly done: readonly TrackerAction[];
  /** What is still to be done; in a dry run everything. */
  readonly owed: readonly TrackerAction[];
  readonly refused: readonly Refused[];
  /** Every issue that is known. */
  readonly issues: readonly IssueRef[];
  /** Why it was not finished. */
  readonly problem: string | null;
}

/** Each refusal of Linear's costs one. */
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
      // Who reads has tried often enough already.
      if (!isRead || error.data['isFinal'] === true || 'resumeAt' in error.data) break;
    } finally {
      const over = new Set([...done, ...refused.map(({ action }) => action)]);
      owed = owed.filter((action) => !over.has(action));
    }
    if (owed.length === 0 && problem === null) break;
  }
  return { tracker: tracker.name, done, owed, refused, issues: [...issues.values()], problem };
}

/** Nothing is asked for twice in one sync, whatever the tracker says that it holds. */
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
