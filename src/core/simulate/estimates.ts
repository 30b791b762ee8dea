/**
 * What a step will take and come to: one of the steps that this repository has seen of its kind, drawn by chance, as it
 * was, or what is stated here where too few were seen.
 */
import type { TaskView } from '../board/board.ts';
import type { StepName, StepRecord } from '../ledger/record/record.ts';
import { secondsOf } from '../policy/cost.ts';

export interface Drawn {
  readonly seconds: number;
  readonly dollars: number;
  readonly outcome: 'ok' | 'failed' | 'slice';
  readonly verdict?: StepRecord['verdict'];
}

export interface Asked {
  readonly step: StepName;
  readonly cycle: number;
  readonly agent: string;
  readonly model?: string | undefined;
  /** How large the task is, in a word. */
  readonly size: string;
}

export interface PastStep extends Asked, Drawn {}

/** Numbers from 0 to 1. */
export type Random = () => number;

/** Mulberry32: small, and the same everywhere. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Where nothing is known. `spread`: a step takes this much more or less. */
export const stated = {
  seconds: { plan: 600, explore: 600, implement: 900, review: 240, improve: 420 },
  dollars: { plan: 1, explore: 1, implement: 2, review: 0.5, improve: 1 },
  approved: 0.55,
  spread: 0.5,
} as const;

/** Fewer steps of a kind say nothing of the next one. */
const seenMin = 3;

/** Steps that came to something, with the size of their task. What a limit or a person ended says nothing of the next. */
export function pastSteps(views: readonly TaskView[], sizeOf: (view: TaskView) => string): PastStep[] {
  return views.flatMap((view) =>
    (view.record?.steps ?? []).flatMap((step): PastStep[] => {
      const { outcome, cycle = 0, agent = '', model, cost_usd: dollars = 0, verdict } = step;
      if (outcome !== 'ok' && outcome !== 'failed' && outcome !== 'slice') return [];
      const ended = { outcome, seconds: secondsOf(step), dollars, ...(verdict ? { verdict } : {}) };
      return [{ step: step.step, cycle, agent, model, size: sizeOf(view), ...ended }];
    }),
  );
}

/** What the numbers of a kind of step come from, for who reads them. */
export interface Basis {
  readonly step: StepName;
  readonly agent: string;
  /** Steps that were drawn from; 0: what is stated. */
  readonly seen: number;
  /** They are of other agents too. */
  readonly others: boolean;
}

export interface Estimates {
  readonly draw: (asked: Asked, random: Random) => Drawn;
  /** Of all that was asked so far. */
  readonly basis: () => Basis[];
}

export function estimatesFrom(past: readonly PastStep[]): Estimates {
  const pools = new Map<string, { readonly pool: readonly PastStep[]; readonly others: boolean }>();
  const asks = new Map<string, Basis>();
  return {
    draw: (asked, random) => {
      const { step, agent, model, size, cycle } = asked;
      const key = JSON.stringify([step, agent, model, size, cycle > 1]);
      const found = pools.get(key) ?? poolOf(past, asked);
      pools.set(key, found);
      const { pool, others } = found;
      const row = `${step} ${agent}`;
      asks.set(row, { step, agent, seen: Math.max(pool.length, asks.get(row)?.seen ?? 0), others });
      return pool[Math.floor(random() * pool.length)] ?? statedStep(step, random);
    },
    basis: () => [...asks.values()],
  };
}

/** The nearest of which enough were seen. A first review judges other work than those after an improve. */
function poolOf(past: readonly PastStep[], { step, agent, model, size, cycle }: Asked) {
  const ofStep = past.filter(
    (one) => one.step === step && (step !== 'review' || one.cycle > 1 === cycle > 1),
  );
  const ofAgent = ofStep.filter((one) => one.agent === agent);
  const ofModel = ofAgent.filter((one) => one.model === model);
  const nearest = [ofModel.filter((one) => one.size === size), ofModel, ofAgent, ofStep];
  const pool = nearest.find(({ length }) => length >= seenMin) ?? [];
  return { pool, others: pool === ofStep && ofStep.length > ofAgent.length };
}

function statedStep(step: StepName, random: Random): Drawn {
  const about = 1 - stated.spread + 2 * stated.spread * random();
  const drawn = { seconds: stated.seconds[step] * about, dollars: stated.dollars[step] * about };
  if (step !== 'review') return { ...drawn, outcome: 'ok' };
  const verdict = random() < stated.approved ? 'APPROVED' : 'CHANGES_REQUESTED';
  return { ...drawn, outcome: 'ok', verdict };
}
