/** What a ledger's tree says: the state now. */
import type { Claim, TaskRecord } from './record/record.ts';

export interface LedgerMeta {
  /** Version of the format. */
  v: 1;
  branch: string;
  /** The lane id; the base ledger has one too. */
  lane: string;
  /** True for the base branch's ledger, which holds what spans lanes. */
  base?: boolean;
  claims?: Claim[];
  /** Usage limits: agent → until when. */
  not_before?: Record<string, string>;
  /** Dollars spent per day (UTC, YYYY-MM-DD), last 35 days. */
  spent?: Record<string, number>;
  /** Tokens of those days. */
  tokens_in?: Record<string, number>;
  tokens_out?: Record<string, number>;
  marks?: Record<string, string>;
}

export interface LedgerState {
  readonly meta: LedgerMeta;
  readonly tasks: ReadonlyMap<string, TaskRecord>;
  /** path → blob id */
  readonly artifacts: ReadonlyMap<string, string>;
}

/** What an event changes; the rest stays. */
export interface LedgerChanges {
  readonly meta?: LedgerMeta;
  readonly tasks?: readonly TaskRecord[];
  readonly removed?: readonly string[];
  readonly artifacts?: ReadonlyMap<string, string>;
}

export interface Refusal {
  readonly kind: 'refused';
  /** Stable word for callers that branch. */
  readonly why:
    | 'exists'
    | 'unknown'
    | 'closed'
    | 'not-closed'
    | 'claimed'
    | 'not-held'
    | 'assigned'
    | 'invalid'
    | 'folded';
  readonly detail: string;
  /** Who holds it, when `claimed`. */
  readonly claim?: Claim;
}

export type Applied = { readonly kind: 'applied'; readonly changes: LedgerChanges } | Refusal;

export function emptyState(meta: LedgerMeta): LedgerState {
  return { meta, tasks: new Map(), artifacts: new Map() };
}
