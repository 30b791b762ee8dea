/** What people should know of a task's changes, beside what a review says. */
import type { TaskRecord, WaitingFile } from '../ledger/record/record.ts';

export interface Remarks {
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

/** The commit in which files wait for a person, as a box names it. */
export function waitingAt(record: Pick<TaskRecord, 'steps' | 'waits'> | null): string | undefined {
  if (!record?.waits) return undefined;
  return record.steps?.findLast(({ head }) => head !== undefined)?.head?.slice(0, 12);
}
