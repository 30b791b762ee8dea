/** Replays a ledger's history from its beginning: the result is the state that its tree should have. */
import { apply } from './apply.ts';
import type { LedgerEntry } from './event.ts';
import { type LedgerMeta, type LedgerState, printMeta } from './ledger-state.ts';
import { printRecord, type TaskRecord } from './record/record.ts';

interface Replayed {
  readonly state: LedgerState;
  /** Refused events, by the index of their entry. */
  readonly refused: readonly { readonly entry: number; readonly detail: string }[];
}

export function replayEvents(opens: LedgerMeta, entries: readonly LedgerEntry[]): Replayed {
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

/** The differences in words: `told` is the replayed state, `kept` is what the tree holds. */
export function compareStates(told: LedgerState, kept: LedgerState): string[] {
  const differences: string[] = [];
  if (printMeta(told.meta) !== printMeta(kept.meta)) {
    differences.push('ledger.json differs from what the events say');
  }
  for (const [id, record] of told.tasks) {
    const other = kept.tasks.get(id);
    if (!other) differences.push(`${id} is missing from the tree`);
    else if (printRecord(record) !== printRecord(other)) {
      differences.push(`${id} differs from what the events say`);
    }
  }
  for (const id of kept.tasks.keys()) {
    if (!told.tasks.has(id)) differences.push(`${id} is in the tree, and no event put it there`);
  }
  for (const [path, blob] of told.artifacts) {
    if (kept.artifacts.get(path) !== blob) differences.push(`${path} is not what the events say`);
  }
  for (const path of kept.artifacts.keys()) {
    if (!told.artifacts.has(path)) differences.push(`${path} is in the tree, and no event put it there`);
  }
  return differences;
}
