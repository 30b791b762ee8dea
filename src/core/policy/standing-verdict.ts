/** The last word on a task, as long as it speaks of the work as it is, and what its changes need of people. */
import type { FinalVerdict, StepRecord, TaskRecord, WaitingFile } from '../ledger/record/record.ts';
import { leftWork, mayLoop } from './steps-so-far.ts';

/** Instead of an approval that nobody gave to what is there now. */
export const changedSince = 'not reviewed since it changed';

export function verdictWords(record: TaskRecord | null): string {
  return record && isChangedSince(record) ? changedSince : (standingVerdict(record) ?? '');
}

export function standingVerdict(record: TaskRecord | null): FinalVerdict | null {
  if (!record || isChangedSince(record)) return null;
  return record.final_verdict ?? (isStoppedInLoop(record) ? 'CHANGES_REQUESTED' : null);
}

/** Its reviews had begun, and something else than a review ended them. */
function isStoppedInLoop({ type, review_cycle = 0, closed_as, stop }: TaskRecord): boolean {
  const isStopped = closed_as === 'failed' || (closed_as === undefined && stop !== undefined);
  return isStopped && review_cycle > 0 && mayLoop(type);
}

/** Completed, and not done: a review had the last word, and it was no approval. */
export function isUnapproved(record: TaskRecord | null): record is TaskRecord {
  if (record?.closed_as !== 'done' || record.merged_at !== undefined) return false;
  return (record.final_verdict ?? 'APPROVED') !== 'APPROVED';
}

/** What is still said against it: an approval takes back what was said for want of one. */
export function complaints(record: TaskRecord): {
  closed_reason?: string | undefined;
  error?: string | undefined;
} {
  const { closed_as, closed_by, closed_reason, error, final_verdict } = record;
  if (closed_as !== 'done' || final_verdict !== 'APPROVED') return { closed_reason, error };
  return closed_by === undefined ? {} : { closed_reason };
}

/** It was approved, and an improve that a person asked for changed it afterwards. */
export function isChangedSince(record: TaskRecord): boolean {
  const { steps = [], final_verdict, verdict_by } = record;
  const last = steps.findLast(leftWork);
  if (final_verdict !== 'APPROVED' || !last) return false;
  const later = steps.slice(steps.lastIndexOf(last));
  if (later.some(approves) || steps.some((step) => approves(step) && isSame(step, last))) return false;
  if (verdict_by === undefined) return steps.some(approves);
  // Whoever gave the verdict saw what was there by then.
  const given = [record.approved_at ?? '', record.closed_at ?? ''].toSorted().at(-1) ?? '';
  const seen = steps.findLast((step) => leftWork(step) && step.ended_at <= given);
  return given !== '' && last.ended_at > given && !(seen && isSame(seen, last));
}

/** Whoever worked on the branch last was judged for it, also where others were approved before. */
export function isLaneJudged(records: readonly TaskRecord[]): boolean {
  const all = records
    .flatMap((record) => (record.steps ?? []).map((step) => ({ record, step })))
    .toSorted((a, b) => (a.step.ended_at < b.step.ended_at ? -1 : 1));
  const last = all.findLastIndex(({ step }) => leftWork(step));
  const isReviewed = all.slice(last + 1).some(({ step }) => approves(step));
  return (
    !records.some(isChangedSince) && (last < 0 || isReviewed || all[last]?.record.final_verdict !== undefined)
  );
}

function approves({ step, verdict }: StepRecord): boolean {
  return step === 'review' && verdict === 'APPROVED';
}

function isSame(one: StepRecord, other: StepRecord): boolean {
  return one.diff !== undefined && one.diff === other.diff;
}

/** A person approved what was done. A word given before the start let the task start, and says nothing of the work. */
export function isApproved(record: TaskRecord | null): boolean {
  const at = record?.approved_at;
  if (at === undefined) return false;
  const start = record?.started_at;
  return start === undefined || record?.closed_at === undefined || at >= start;
}

/** What people should know of a task's changes, beside what a review says. */
interface Remarks {
  /** Files that a person must let pass, as they are. */
  readonly waits: readonly WaitingFile[];
  /** Files that judge the work and were changed with it, each with why it is said. */
  readonly checks: readonly string[];
  readonly named: readonly string[];
}

export function remarksOf(record: Pick<TaskRecord, 'steps' | 'waits'> | null): Remarks {
  const steps = record?.steps ?? [];
  const all = (lines: readonly (readonly string[] | undefined)[]) => [
    ...new Set(lines.flatMap((one) => one ?? [])),
  ];
  return {
    waits: record?.waits ?? [],
    checks: all(steps.map(({ checks }) => checks)),
    named: all(steps.map(({ named }) => named)),
  };
}

/** The commit that an approval would be of, as a box names it: of files that wait, or of the work as it was closed. */
export function approvableAt(record: TaskRecord | null): string | undefined {
  if (!record?.closed_at && !record?.waits) return undefined;
  const last = record.steps?.findLast(({ head }) => head !== undefined)?.head;
  return (last ?? record.closed_commit)?.slice(0, 12);
}
