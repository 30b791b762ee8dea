/**
 * Which tasks are ready, for lists, which start nothing. It uses the rules that decide what runs, so that
 * lists agree with `gza why`.
 */
import { isLeaf, type TaskView } from '../board/board.ts';
import { type Decision, decideTask, type Facts } from './decide.ts';
import { emptyBatch } from './rules-step.ts';

export interface Readiness {
  /** Not begun, and waiting only for its turn or for the one it is assigned to. */
  readonly isReady: (view: TaskView) => boolean;
  /** Ready for the one it is assigned to; no other run picks it. */
  readonly isHolders: (view: TaskView) => boolean;
  /** Why a task is not ready although it has not begun and no other task blocks it; else null. */
  readonly waits: (view: TaskView) => Decision | null;
}

/** Rules that hold back a task that is ready: others are at work, or its assignee has not begun. */
const turnRules: ReadonlySet<string> = new Set(['lane-busy', 'overlap', 'workers-busy', 'assigned']);

export function readinessOf(facts: Facts): Readiness {
  const known = new Map<string, Decision>();
  const batch = emptyBatch(facts);
  const decisionOn = (view: TaskView) => {
    // A dead claim does not hold the task back: whoever starts it frees it first.
    const decision = known.get(view.id) ?? decideTask({ ...view, deadClaim: null }, facts, batch);
    known.set(view.id, decision);
    return decision;
  };
  const isHeld = (decision: Decision) => decision.action.kind !== 'run' && !turnRules.has(decision.rule);
  const mayBegin = (view: TaskView) => view.status === 'pending' && isLeaf(view);
  return {
    isReady: (view) => mayBegin(view) && !isHeld(decisionOn(view)),
    isHolders: (view) => mayBegin(view) && decisionOn(view).rule === 'assigned',
    waits: (view) => (mayBegin(view) && isHeld(decisionOn(view)) ? decisionOn(view) : null),
  };
}
