/** What differs between two states of a ledger, in words. */
import type { LedgerState } from './ledger-state.ts';
import { printMeta } from './parse-meta.ts';
import { printRecord } from './record/print-record.ts';

/** `told` is what the history says, `kept` what the tree holds. */
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
