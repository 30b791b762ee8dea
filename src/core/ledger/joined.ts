/** What a join of two ledgers could not keep unchanged. */
import type { Event } from './event.ts';
import type { Refusal } from './ledger-state.ts';

export interface DroppedEvent {
  readonly branch: string;
  readonly event: Event;
  readonly by: string;
  readonly refusal: Refusal;
}

export interface Joined {
  /** Events of this clone that the others' state no longer allows, with the reason (and holder). */
  readonly dropped: readonly DroppedEvent[];
  /** Old id → new id, for tasks whose id another clone had taken. */
  readonly renamed: ReadonlyMap<string, string>;
  /** Ledgers that could not be read and were left unchanged. */
  readonly problems: readonly { readonly branch: string; readonly detail: string }[];
}

/**
 * Whether somebody should hear about a dropped event. When two clones do the same thing at once, one event
 * has no effect, but nothing is lost.
 */
export function isLoss({ event, refusal: { why } }: DroppedEvent): boolean {
  switch (event.kind) {
    case 'claim':
    case 'renew':
    case 'fold':
    case 'open-lane':
    case 'enter-lane':
    case 'adopt':
    case 'mark':
    case 'limit':
      return false;
    case 'close':
    case 'split':
      return why !== 'closed';
    case 'reopen':
      return why !== 'not-closed';
    case 'release':
      return (event.spent_usd ?? 0) > 0;
    default:
      return true;
  }
}
