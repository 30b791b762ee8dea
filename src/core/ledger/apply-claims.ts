/** Events on the claims and budgets of the base ledger. */

import { compareText } from '../natural-compare.ts';
import type { Event, Spent } from './event.ts';
import {
  type Applied,
  applied,
  type LedgerMeta,
  type LedgerState,
  refuse,
  setFields as set,
} from './ledger-state.ts';
import type { Claim, TaskRecord } from './record/record.ts';

type ClaimEvent = Extract<Event, { kind: 'claim' | 'renew' | 'release' | 'spend' | 'limit' }>;

const daysKept = 35;

export function applyToClaims(state: LedgerState, event: ClaimEvent): Applied {
  switch (event.kind) {
    case 'claim':
      return claim(state, event.claim, event.at);
    case 'renew':
      return renew(state, event);
    case 'release':
      return release(state, event);
    case 'spend':
      return changed(state, withUsed(state.meta, event));
    case 'limit':
      return changed(state, {
        not_before: withLimit(state.meta.not_before, event.agent, event.until, event.at),
      });
  }
}

/** The live claim in the way of work on a task or lane at a time, if any. */
export function liveClaim(
  claims: readonly Claim[] | undefined,
  { task, lane }: { task?: string; lane?: string },
  at: string,
): Claim | undefined {
  return claims?.find((held) => (held.task === task || held.lane === lane) && held.until > at);
}

function claim(state: LedgerState, wanted: Claim, at: string): Applied {
  const held = liveClaim(state.meta.claims, wanted, at);
  if (held && held.id !== wanted.id) {
    return {
      ...refuse('claimed', `${wanted.task} is held by ${held.holder} until ${held.until}`),
      claim: held,
    };
  }
  const record = state.tasks.get(wanted.task);
  if (record?.closed_at && !isAskedFor(record, wanted)) {
    return refuse('closed', `${wanted.task} is closed (${record.closed_as})`);
  }
  const holder = record?.assigned_agent;
  if (holder && holder !== wanted.holder && holder !== wanted.agent) {
    return refuse('assigned', `${wanted.task} is assigned to ${holder}`);
  }
  const others = (state.meta.claims ?? []).filter(
    (one) => one.id !== wanted.id && one.task !== wanted.task && one.lane !== wanted.lane,
  );
  const meta = set(state.meta, { claims: [...others, wanted] });
  if (!record || record.started_at) return applied({ meta });
  return applied({ meta, tasks: [set(record, { started_at: at })] });
}

/** After the end of its loop a person may still ask for a review or an improve, which does not open it again. */
function isAskedFor({ closed_as }: TaskRecord, { step }: Claim): boolean {
  return closed_as === 'done' && (step === 'review' || step === 'improve');
}

function renew(state: LedgerState, event: Extract<Event, { kind: 'renew' }>): Applied {
  const claims = state.meta.claims ?? [];
  if (!claims.some((one) => one.id === event.claim)) return notHeld(event.claim);
  return changed(state, {
    claims: claims.map((one) => (one.id === event.claim ? { ...one, until: event.until } : one)),
  });
}

function release(state: LedgerState, event: Extract<Event, { kind: 'release' }>): Applied {
  const claims = state.meta.claims ?? [];
  if (!claims.some((one) => one.id === event.claim)) return notHeld(event.claim);
  const rest = claims.filter((one) => one.id !== event.claim);
  return changed(state, { claims: rest.length > 0 ? rest : undefined, ...withUsed(state.meta, event) });
}

function withUsed(
  { spent, tokens_in, tokens_out }: LedgerMeta,
  { at, spent_usd, input_tokens, output_tokens }: Spent & { readonly at: string },
) {
  const day = at.slice(0, 10);
  return {
    spent: withSpent(spent, day, spent_usd),
    tokens_in: withSpent(tokens_in, day, input_tokens),
    tokens_out: withSpent(tokens_out, day, output_tokens),
  };
}

function notHeld(claim: string): Applied {
  return refuse('not-held', `claim ${claim} is no longer held`);
}

function withSpent(
  spent: Record<string, number> | undefined,
  day: string,
  more: number | undefined,
): Record<string, number> | undefined {
  if (!more) return spent;
  const all = { ...spent, [day]: Math.round(((spent?.[day] ?? 0) + more) * 1e6) / 1e6 };
  const kept = Object.keys(all)
    .sort()
    .slice(-daysKept)
    .map((key) => [key, all[key] as number] as const);
  return Object.fromEntries(kept);
}

function withLimit(
  limits: Record<string, string> | undefined,
  agent: string,
  until: string | null,
  at: string,
): Record<string, string> | undefined {
  const live = Object.entries(limits ?? {}).filter(([name, time]) => name !== agent && time > at);
  if (until) live.push([agent, until]);
  live.sort(([a], [b]) => compareText(a, b));
  return live.length > 0 ? Object.fromEntries(live) : undefined;
}

function changed(state: LedgerState, fields: Parameters<typeof set<LedgerMeta>>[1]): Applied {
  return applied({ meta: set(state.meta, fields) });
}
