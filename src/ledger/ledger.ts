/**
 * The state and history of lanes, in git refs. See ledger/README in ARCHITECTURE.md for the layout. Callers
 * read through a view and write by handing over a plan: a function from a view to the changes it wants. The
 * plan is asked again when another writer was faster, so it must only depend on the view.
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
  /** What a ledger says about itself (claims, marks, spending), or null when it has none or cannot be read. */
  meta(branch: string): Promise<LedgerMeta | null>;
  /** All of a ledger; an empty state when it has none. */
  state(branch: string): Promise<LedgerState>;
  /**
   * All ledgers' records for lists and schedules, without long texts: `content`, `notes`, `user_story` and the
   * like are dropped, and of closed tasks the steps too. Served from a cache keyed by shard.
   */
  rows(): Promise<Located[]>;
  /** One whole record wherever it lives: the lane's where the task has entered a live lane. */
  task(id: string): Promise<Located | null>;
  /** A rough number of tasks in a ledger, from one shard. */
  size(branch: string): Promise<number>;
  /** Text of an artifact (plans/x.md), or null. */
  artifact(branch: string, path: string): Promise<string | null>;
  /** Branches whose ledger could not be read, whole or in part, as far as they were asked for. */
  readonly unread: ReadonlySet<string>;
  /** Ledgers and lines that could not be read and were left out, as far as they were asked for. */
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
  /** Files to put into the tree; their `artifact` events are added by the ledger. */
  readonly artifacts?: readonly { readonly path: string; readonly text: string }[];
  /** Commit that becomes the second parent (a folded lane's tip). */
  readonly secondParent?: string;
}

export interface Plan {
  readonly changes: readonly Change[];
  /** Ledgers to remove in the same transaction (folded lanes), at the tip the view showed. */
  readonly remove?: readonly string[];
  /** Other refs to move in the same transaction, as (ref, new or null to delete, expected old or null). */
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
  /** Applies a plan, retried for 30 s when others write at the same time. */
  write(plan: (view: LedgerView) => Promise<Plan | Refusal | null>): Promise<Written>;
}
