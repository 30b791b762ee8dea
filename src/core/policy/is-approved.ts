import type { TaskRecord } from '../ledger/record/record.ts';

/** A person approved what was done. A word given before the start let the task start, and says nothing of the work. */
export function isApproved(record: TaskRecord | null): boolean {
  const at = record?.approved_at;
  if (at === undefined) return false;
  const start = record?.started_at;
  return start === undefined || record?.closed_at === undefined || at >= start;
}
