import type { LedgerChanges, LedgerState } from '../../src/core/ledger/ledger-state.ts';
import type { TaskRecord } from '../../src/core/ledger/record/record.ts';

/** The state after the changes, whole; a ledger keeps its state in git's tree instead. */
export function withChanges(state: LedgerState, changes: LedgerChanges): LedgerState {
  const tasks = changes.tasks || changes.removed ? new Map(state.tasks) : state.tasks;
  if (tasks !== state.tasks) {
    const map = tasks as Map<string, TaskRecord>;
    for (const id of changes.removed ?? []) map.delete(id);
    for (const task of changes.tasks ?? []) map.set(task.id, task);
  }
  const artifacts = changes.artifacts ? new Map([...state.artifacts, ...changes.artifacts]) : state.artifacts;
  return { meta: changes.meta ?? state.meta, tasks, artifacts };
}
