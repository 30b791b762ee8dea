/**
 * The state and history of lanes, in git refs; ARCHITECTURE.md describes the layout. Callers read through a
 * view and write by passing a plan: a function from a view to the changes it wants. The plan is called again
 * if another writer was faster, so it must depend on nothing but the view.
 */
import type { Event } from '../core/ledger/event.ts';
import type { LedgerMeta, LedgerState, Refusal } from '../core/ledger/ledger-state.ts';
import type { TaskRecord } from '../core/ledger/record/record.ts';

export interface LedgerView {
  /** The base branch's name. */
  readonly base: string;
  /** Branches that have a live ledger, base first if it has one. */
  readonly branches: readonly string[];
  /** Commit of a branch's ledger, or null when it has none. */
  tip(branch: string): string | null;
  /** The metadata of a ledger (claims, marks, spending); null if it has none or cannot be read. */
  meta(branch: string): Promise<LedgerMeta | null>;
  /** The whole state of a ledger; an empty one if there is no ledger. */
  state(branch: string): Promise<LedgerState>;
  /**
   * The records of all ledgers for lists and schedules, without long texts (`content`, `notes`, `user_story`
   * and the like) and without the steps of closed tasks. Served from a cache keyed by shard.
   */
  rows(): Promise<Located[]>;
  /** One whole record: the lane's if the task has entered a live lane. */
  task(id: string): Promise<Located | null>;
  /** An estimate of the number of tasks in a ledger, from one shard. */
  size(branch: string): Promise<number>;
  /** Text of an artifact (plans/x.md), or null. */
  artifact(branch: string, path: string): Promise<string | null>;
  /** Branches whose ledger could not be read, wholly or partly, among those requested so far. */
  readonly unread: ReadonlySet<string>;
  /** Ledgers and lines that could not be read and were left out, among those requested so far. */
  readonly problems: readonly LedgerProblem[];
}

export interface LedgerProblem {
  readonly branch: string;
  readonly detail: string;
}

export interface Located {
  readonly branch: string;
  readonly record: TaskRecord;
}

export interface Change {
  readonly branch: string;
  readonly events: readonly Event[];
  /** Files to put into the tree; the ledger adds their `artifact` events. */
  readonly artifacts?: readonly { readonly path: string; readonly text: string }[];
  /** Commit that becomes the second parent (a folded lane's tip). */
  readonly secondParent?: string;
}

export interface Plan {
  readonly changes: readonly Change[];
  /** Ledgers to remove in the same transaction (folded lanes), if they are still at the tip of the view. */
  readonly remove?: readonly string[];
  /**
   * Other refs to move in the same transaction: new value (null deletes) and expected old value (or null).
   */
  readonly refs?: readonly {
    readonly ref: string;
    readonly to: string | null;
    readonly from: string | null;
  }[];
}

export type Written =
  | { readonly kind: 'written'; readonly tips: ReadonlyMap<string, string> }
  | { readonly kind: 'nothing' }
  | Refusal;

export interface Ledger {
  view(): Promise<LedgerView>;
  /** Applies a plan. It is retried for 30 s while others write at the same time. */
  write(plan: (view: LedgerView) => Promise<Plan | Refusal | null>): Promise<Written>;
}
