/**
 * One sync: read, plan, do, until there is nothing left to do or nothing more can be done. An answer that was lost
 * is no question: the next round reads what came of it. What cannot be done stays owed, and the next sync sees it.
 */
import { isGzaError } from '../core/errors.ts';
import { planSync, withoutRefused } from '../core/trackers/plan-sync.ts';
import { actionKey, type Held, type TrackerAction, type Wanted } from '../core/trackers/tracker.ts';
import type { Applied, IssueRef, Refused, Tracker } from './tracker.ts';

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
  const sync = { done: [] as TrackerAction[], refused: [] as Refused[], issues: new Map<string, IssueRef>() };
  let owed: readonly TrackerAction[] = [];
  let problem: string | null = null;
  for (let round = 1; round <= roundsMax; round += 1) {
    if (round > 1 && options.isOver()) break;
    if (problem !== null) await options.sleep(500 * 2 ** (round - 2));
    let isRead = false;
    try {
      const held = await tracker.read(wanted);
      for (const { task, name, url } of held.issues)
        if (!sync.issues.has(task)) sync.issues.set(task, { task, name, url });
      owed = planLeft(wanted, held, sync);
      problem = null;
      isRead = true;
      if (owed.length === 0 || options.dryRun) break;
      const applied = await tracker.apply(owed);
      note(sync, applied);
      owed = rest(owed, applied);
      if (applied.failed) throw applied.failed;
      if (owed.length === 0) break;
    } catch (error) {
      if (!isGzaError(error) || error.code !== 'world') throw error;
      problem = error.message;
      // Who reads has tried often enough already.
      if (!isRead || error.data['isFinal'] === true || 'resumeAt' in error.data) break;
    }
  }
  return {
    tracker: tracker.name,
    done: sync.done,
    owed,
    refused: sync.refused,
    issues: [...sync.issues.values()],
    problem,
  };
}

/** Nothing is asked for twice in one sync, whatever the tracker says that it holds. */
function planLeft(
  wanted: Wanted,
  held: Held,
  { refused, done }: { refused: readonly Refused[]; done: readonly TrackerAction[] },
): TrackerAction[] {
  const actions = refused.map(({ action }) => action);
  const keys = new Set([...actions, ...done].map(actionKey));
  return planSync(withoutRefused(wanted, actions), held).filter((action) => !keys.has(actionKey(action)));
}

function note(
  sync: { done: TrackerAction[]; refused: Refused[]; issues: Map<string, IssueRef> },
  { done, refused, made }: Applied,
): void {
  sync.done.push(...done);
  sync.refused.push(...refused);
  for (const ref of made) sync.issues.set(ref.task, ref);
}

function rest(actions: readonly TrackerAction[], { done, refused }: Applied): TrackerAction[] {
  const over = new Set([...done, ...refused.map(({ action }) => action)]);
  return actions.filter((action) => !over.has(action));
}
