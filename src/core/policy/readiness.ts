/**
 * Which tasks are ready, for lists, which start nothing: by the rules that decide what runs, so that no list says
 * something else than `gza why`.
 */
import { isLeaf, type TaskView } from '../board/board.ts';
import { type Decision, decideTask, type Facts } from './decide.ts';
import { emptyBatch } from './rules-step.ts';

export interface Readiness {
  /** Not begun, and it waits for nothing but its turn, or for whom it is assigned to. */
  readonly isReady: (view: TaskView) => boolean;
  /** Ready for the one it is assigned to: nobody else's run picks it. */
  readonly isHolders: (view: TaskView) => boolean;
  /** Why a task that has not begun and that no other task blocks is not ready all the same; else null. */
  readonly waits: (view: TaskView) => Decision | null;
}

/** Rules that hold back what is ready: others work just now, or its holder has not begun. */
const turnRules: ReadonlySet<string> = new Set(['lane-busy', 'overlap', 'workers-busy', 'assigned']);

export function readinessOf(facts: Facts): Readiness {
  const known = new Map<string, Decision>();
  const batch = emptyBatch(facts);
  const decisionOn = (view: TaskView) => {
    // Who did not come back holds nothing: whoever starts it frees it first.
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
