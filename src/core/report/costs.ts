/** What steps cost: the one place where they are summed, for the end of a run, the summary, the board and the report. */
import type { TaskView } from '../board/board.ts';
import type { StepRecord } from '../ledger/record/record.ts';
import { parseTime } from '../time.ts';

export interface Spent {
  /** Steps that ended. */
  readonly steps: number;
  readonly failed: number;
  readonly seconds: number;
  /** What their claims set aside. */
  readonly reserved_usd: number;
  readonly cost_usd: number;
  /** Tokens that are not in the cost: nobody knows their price. */
  readonly unpriced_tokens: number;
}

export const nothingSpent: Spent = {
  steps: 0,
  failed: 0,
  seconds: 0,
  reserved_usd: 0,
  cost_usd: 0,
  unpriced_tokens: 0,
};

export function addSpent(a: Spent, b: Spent): Spent {
  return {
    steps: a.steps + b.steps,
    failed: a.failed + b.failed,
    seconds: a.seconds + b.seconds,
    reserved_usd: dollars(a.reserved_usd + b.reserved_usd),
    cost_usd: dollars(a.cost_usd + b.cost_usd),
    unpriced_tokens: a.unpriced_tokens + b.unpriced_tokens,
  };
}

/** To a millionth, as ledgers keep them. */
function dollars(sum: number): number {
  return Math.round(sum * 1e6) / 1e6;
}

export function spentOn(step: StepRecord): Spent {
  const { outcome, reserved_usd = 0, cost_usd = 0, unpriced_tokens = 0 } = step;
  const failed = outcome === 'failed' ? 1 : 0;
  return { steps: 1, failed, seconds: secondsOf(step), reserved_usd, cost_usd, unpriced_tokens };
}

export function secondsOf({ started_at, ended_at }: Pick<StepRecord, 'started_at' | 'ended_at'>): number {
  return Math.max(0, Math.round((parseTime(ended_at) - parseTime(started_at)) / 1000) || 0);
}

/** Of a whole task: its record knows more than the steps that it keeps. */
export function spentOnTask({ record }: Pick<TaskView, 'record'>): Spent {
  const kept = (record?.steps ?? []).map(spentOn).reduce(addSpent, nothingSpent);
  const { cost_usd = 0, seconds = 0, unpriced_tokens = 0 } = record ?? {};
  return { ...kept, cost_usd, seconds, unpriced_tokens };
}

export interface CostRow extends Spent {
  readonly task: string;
  readonly step: string;
  readonly agent: string;
}

/** One row for each task, step and agent, in their order. */
export function costRows(rows: readonly CostRow[]): CostRow[] {
  const sums = new Map<string, CostRow>();
  for (const row of rows) {
    const key = JSON.stringify([row.task, row.step, row.agent]);
    const before = sums.get(key);
    sums.set(key, before ? { ...row, ...addSpent(before, row) } : row);
  }
  return [...sums.values()];
}

/** Of all tasks, the most costly rows first; with what is at work now, which has reserved and not yet spent. */
export function boardCosts(views: readonly TaskView[]): CostRow[] {
  const ended = views.flatMap(({ id, record }) =>
    (record?.steps ?? []).map((one) => ({
      task: id,
      step: one.step,
      agent: one.agent ?? '',
      ...spentOn(one),
    })),
  );
  const running = views.flatMap(({ id, claim }) => {
    const { step, agent = '', reserved_usd } = claim ?? {};
    return step && reserved_usd ? [{ task: id, step, agent, ...nothingSpent, reserved_usd }] : [];
  });
  return costRows([...ended, ...running]).sort(
    (a, b) =>
      b.cost_usd - a.cost_usd || b.unpriced_tokens - a.unpriced_tokens || b.reserved_usd - a.reserved_usd,
  );
}
