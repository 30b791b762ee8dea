/** The last word on a task, as long as it speaks of the work as it is. */
import { leftWork } from './next-step.ts';
import type { FinalVerdict, StepRecord, TaskRecord } from './record.ts';

/** Instead of an approval that nobody gave to what is there now. */
export const changedSince = 'not reviewed since it changed';

export function verdictWords(record: TaskRecord | null): string {
  if (!record?.final_verdict) return '';
  return isChangedSince(record) ? changedSince : record.final_verdict;
}

export function standingVerdict(record: TaskRecord | null): FinalVerdict | null {
  return record && !isChangedSince(record) ? (record.final_verdict ?? null) : null;
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

function approves({ step, verdict }: StepRecord): boolean {
  return step === 'review' && verdict === 'APPROVED';
}

function isSame(one: StepRecord, other: StepRecord): boolean {
  return one.diff !== undefined && one.diff === other.diff;
}
