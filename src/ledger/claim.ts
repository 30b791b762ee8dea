/**
 * The right to work on a lane. Claims live in the base ledger alone, so that one compare-and-swap of one ref
 * decides. `apply` refuses a claim while another one on the same task or lane is live.
 */

import type { Event } from '../core/ledger/event.ts';
import type { LedgerState, Refusal } from '../core/ledger/ledger-state.ts';
import { lostStep } from '../core/ledger/lost-step.ts';
import type { Claim } from '../core/ledger/record/record.ts';
import { groupBy } from '../core/shape.ts';
import type { Change, Ledger, LedgerView, Plan } from './ledger.ts';

export interface ClaimRequest {
  readonly claim: Claim;
  /** The present time, which decides whether the leases of others have run out. */
  readonly at: string;
  readonly by?: string;
  /**
   * Changes for the same transaction (enter-lane, open-lane), made from the view that the claim is made on.
   */
  readonly also?: (view: LedgerView) => Promise<readonly Change[]>;
}

export type Claimed =
  | { readonly kind: 'claimed'; readonly claim: Claim; readonly tips: ReadonlyMap<string, string> }
  | { readonly kind: 'lost'; readonly holder: Claim; readonly detail: string }
  | Refusal;

export async function claimTask(ledger: Ledger, request: ClaimRequest): Promise<Claimed> {
  const written = await ledger.write((view) => claimPlan(view, request));
  if (written.kind === 'refused' && written.claim) {
    return { kind: 'lost', holder: written.claim, detail: written.detail };
  }
  if (written.kind === 'refused') return written;
  const tips = written.kind === 'written' ? written.tips : new Map<string, string>();
  return { kind: 'claimed', claim: request.claim, tips };
}

export async function claimPlan(view: LedgerView, { claim, at, by, also }: ClaimRequest): Promise<Plan> {
  const event: Event = { kind: 'claim', at, claim, ...(by ? { by } : {}) };
  const more = [...(also ? await also(view) : []), ...(await losses(view, claim, at))];
  const onBase = more.filter((change) => change.branch === view.base);
  const others = groupBy(
    more.filter((change) => change.branch !== view.base),
    ({ branch }) => branch,
  );
  // The claim is the first event, in one commit with the others on the base: if it is lost, they are too.
  const base: Change = {
    branch: view.base,
    events: [event, ...onBase.flatMap((change) => change.events)],
    artifacts: onBase.flatMap((change) => change.artifacts ?? []),
  };
  const elsewhere = [...others].map(([branch, all]) => ({
    branch,
    events: all.flatMap(({ events }) => events),
    artifacts: all.flatMap(({ artifacts = [] }) => artifacts),
  }));
  return { changes: [base, ...elsewhere] };
}

/** A claim that ran out and is replaced counts as a try, because a holder that died left no other record. */
async function losses(view: LedgerView, wanted: Claim, at: string): Promise<Change[]> {
  const { claims = [] } = (await view.meta(view.base)) ?? {};
  const changes: Change[] = [];
  for (const claim of claims) {
    const isReplaced = claim.task === wanted.task || claim.lane === wanted.lane;
    if (!isReplaced || claim.id === wanted.id || claim.until > at || claim.step === undefined) continue;
    const located = await view.task(claim.task);
    if (!located || located.record.closed_at) continue;
    const step = lostStep(claim, at);
    changes.push({
      branch: located.branch,
      events: [{ kind: 'step', at, by: 'gza', id: claim.task, step }],
    });
  }
  return changes;
}

interface OnClaim {
  /** The claim's id. */
  readonly claim: string;
  readonly at: string;
  readonly by?: string;
}

/** Moves the end of a lease. `not-held` if the claim was released or taken over meanwhile. */
export async function renewClaim(
  ledger: Ledger,
  { claim, at, by, until }: OnClaim & { readonly until: string },
): Promise<{ readonly kind: 'renewed' } | Refusal> {
  const event: Event = { kind: 'renew', at, claim, until, ...(by ? { by } : {}) };
  const written = await ledger.write(async (view) => ({ changes: [{ branch: view.base, events: [event] }] }));
  return written.kind === 'refused' ? written : { kind: 'renewed' };
}

export async function releaseClaim(
  ledger: Ledger,
  { claim, at, by, why, spent_usd }: OnClaim & { readonly why: string; readonly spent_usd?: number },
): Promise<{ readonly kind: 'released' } | Refusal> {
  const event: Event = {
    kind: 'release',
    at,
    claim,
    why,
    ...(by ? { by } : {}),
    ...(spent_usd === undefined ? {} : { spent_usd }),
  };
  const written = await ledger.write(async (view) => ({ changes: [{ branch: view.base, events: [event] }] }));
  return written.kind === 'refused' ? written : { kind: 'released' };
}

/** Claims whose lease has not run out at a time. */
export function liveClaims(state: Pick<LedgerState, 'meta'>, at: string): Claim[] {
  return (state.meta.claims ?? []).filter((claim) => claim.until > at);
}
