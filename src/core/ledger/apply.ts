/**
 * The meaning of every event: (state, event) → what changes, or why not. Replaying a ledger's events through
 * this must give its tree. Only what `touches` names may be looked at: a writer loads no more than that.
 */
import { applyToClaims } from './apply-claims.ts';
import { applyToLane } from './apply-lane.ts';
import { applyToTask } from './apply-task.ts';
import type { Event } from './event.ts';
import type { Applied, LedgerState } from './ledger-state.ts';

/** Which records and whether the meta data must be at hand to apply an event. */
interface Touches {
  readonly ids: readonly string[] | 'all';
  readonly meta: boolean;
}

export function touches(event: Event): Touches {
  switch (event.kind) {
    case 'add':
    case 'adopt':
      return { ids: [event.task.id], meta: false };
    case 'split':
      return { ids: [event.id, ...event.children.map((child) => child.id)], meta: false };
    case 'claim':
      return { ids: [event.claim.task], meta: true };
    case 'open-lane':
    case 'fold':
      return { ids: event.tasks.map((task) => task.id), meta: true };
    case 'rename':
      return { ids: 'all', meta: false };
    case 'renew':
    case 'release':
    case 'spend':
    case 'limit':
    case 'artifact':
    case 'mark':
      return { ids: [], meta: true };
    default:
      return { ids: [event.id], meta: false };
  }
}

export function apply(state: LedgerState, event: Event): Applied {
  switch (event.kind) {
    case 'claim':
    case 'renew':
    case 'release':
    case 'spend':
    case 'limit':
      return applyToClaims(state, event);
    case 'open-lane':
    case 'enter-lane':
    case 'fold':
    case 'rename':
    case 'artifact':
    case 'mark':
      return applyToLane(state, event);
    default:
      return applyToTask(state, event);
  }
}
