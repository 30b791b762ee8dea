/**
 * Estimates the duration, cost and outcome of a step. It draws a past step of the same kind at random, or
 * uses the numbers below when there are too few.
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
  /** The size of the task in one word. */
  readonly size: string;
}

export interface PastStep extends Asked, Drawn {}

/** Numbers from 0 to 1. */
export type Random = () => number;

/** Mulberry32, a small generator that gives the same numbers on every machine. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Assumptions for steps without history. `spread`: how far a step may deviate, as a fraction. */
export const stated = {
  seconds: { plan: 600, explore: 600, implement: 900, review: 240, improve: 420 },
  dollars: { plan: 1, explore: 1, implement: 2, review: 0.5, improve: 1 },
  approved: 0.55,
  spread: 0.5,
} as const;

/** Fewer past steps of a kind do not allow a prediction. */
const seenMin = 3;

/**
 * Past steps with a real outcome, with the size of their task. Steps that a limit or a person ended are left
 * out, because they predict nothing.
 */
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

/** Where the numbers for a kind of step come from, to show to people. */
export interface Basis {
  readonly step: StepName;
  readonly agent: string;
  /** Number of past steps to draw from; 0 when `stated` was used. */
  readonly seen: number;
  /** The steps include those of other agents. */
  readonly others: boolean;
}

export interface Estimates {
  readonly draw: (asked: Asked, random: Random) => Drawn;
  /** The basis of all estimates so far. */
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

/** The most similar past steps that are numerous enough. First reviews differ from those after an improve. */
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
