/** A ledger's history, told again from its beginning: the state that its tree should have. */
import { apply } from './apply.ts';
import type { LedgerEntry } from './event.ts';
import type { LedgerMeta, LedgerState } from './ledger-state.ts';
import type { TaskRecord } from './record/record.ts';

export interface Told {
  readonly state: LedgerState;
  /** Events that were refused, by the number of their entry. */
  readonly refused: readonly { readonly entry: number; readonly detail: string }[];
}

export function replayEvents(opens: LedgerMeta, entries: readonly LedgerEntry[]): Told {
  const tasks = new Map<string, TaskRecord>();
  const artifacts = new Map<string, string>();
  let meta = opens;
  const refused: { entry: number; detail: string }[] = [];
  for (const [entry, { events }] of entries.entries()) {
    for (const event of events) {
      const applied = apply({ meta, tasks, artifacts }, event);
      if (applied.kind === 'refused') {
        refused.push({ entry, detail: `${event.kind}: ${applied.detail}` });
        continue;
      }
      const { changes } = applied;
      for (const id of changes.removed ?? []) tasks.delete(id);
      for (const record of changes.tasks ?? []) tasks.set(record.id, record);
      for (const [path, blob] of changes.artifacts ?? []) artifacts.set(path, blob);
      meta = changes.meta ?? meta;
    }
  }
  return { state: { meta, tasks, artifacts }, refused };
}
