import type { TaskRecord } from '../ledger/record/record.ts';

/** A copy with fields set; undefined takes a field away, so that equal states print equally. */
export function setFields(
  record: TaskRecord,
  fields: { [K in keyof TaskRecord]?: TaskRecord[K] | undefined },
): TaskRecord {
  const next = { ...record } as Record<string, unknown>;
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) delete next[name];
    else next[name] = value;
  }
  return next as unknown as TaskRecord;
}
