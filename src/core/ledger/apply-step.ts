/** What the end of a step leaves in a task's record. */

import { parseTime } from '../time.ts';
import { setFields as set } from './ledger-state.ts';
import { type StepRecord, stepsKeptMax, type TaskRecord } from './record/record.ts';

/** That many tries in a row that were stopped or met a limit are a failed attempt: no loop is without a bound. */
export const interruptionsMax = 10;

export function addStep(record: TaskRecord, step: StepRecord, notBefore: string | undefined): TaskRecord {
  const steps = kept([...(record.steps ?? []), step]);
  const next = set(record, {
    ...sum(record, step),
    steps,
    started_at: record.started_at ?? step.started_at,
    ...(step.waits ? { waits: step.waits.length > 0 ? step.waits : undefined } : {}),
    not_before: notBefore,
    review_cycle:
      step.cycle === undefined ? record.review_cycle : Math.max(step.cycle, record.review_cycle ?? 0),
  });
  return step.outcome === 'ok' ? withSuccess(next, step) : withFailure(next, steps, step);
}

function withSuccess(record: TaskRecord, step: StepRecord): TaskRecord {
  const isLate = record.closed_at !== undefined;
  // A review that a person asked for after the end has the last word, unless they gave it themselves.
  const late = isLate && step.verdict && !record.verdict_by ? { final_verdict: step.verdict } : {};
  const isAnswered = isLate ? step.verdict === 'APPROVED' : (record.stop?.at ?? '') <= step.started_at;
  return set(record, {
    attempts: undefined,
    slices: undefined,
    deaths: undefined,
    error: undefined,
    ...(isAnswered ? { stop: undefined } : {}),
    ...late,
  });
}

function withFailure(record: TaskRecord, steps: readonly StepRecord[], step: StepRecord): TaskRecord {
  const { outcome } = step;
  const isDeath = outcome === 'lost' && step.ending !== undefined;
  const isFailed = outcome === 'failed' || (outcome === 'lost' && !isDeath) || isInterruptedAgain(steps);
  return set(record, {
    attempts: (record.attempts ?? 0) + (isFailed ? 1 : 0) || undefined,
    slices: (record.slices ?? 0) + (outcome === 'slice' ? 1 : 0) || undefined,
    deaths: isDeath ? (record.deaths ?? 0) + 1 : undefined,
    error: step.error ?? record.error,
  });
}

function isInterruptedAgain(steps: readonly StepRecord[]): boolean {
  const before = steps.findLastIndex(({ outcome }) => outcome !== 'limit' && outcome !== 'cancelled');
  const row = steps.length - 1 - before;
  // A full record cannot count them all.
  return row > 0 && (row % interruptionsMax === 0 || steps.length >= stepsKeptMax);
}

/** The oldest go, but what succeeded stays longest: it tells which step is next. */
function kept(steps: StepRecord[]): StepRecord[] {
  if (steps.length <= stepsKeptMax) return steps;
  const spare = steps.findIndex(({ outcome }, at) => outcome !== 'ok' && at < steps.length - 1);
  return steps.toSpliced(spare === -1 ? 1 : spare, 1);
}

function sum(record: TaskRecord, step: StepRecord) {
  const seconds = Math.max(0, Math.round((parseTime(step.ended_at) - parseTime(step.started_at)) / 1000));
  return {
    cost_usd: total(record.cost_usd, step.cost_usd),
    input_tokens: total(record.input_tokens, step.input_tokens),
    output_tokens: total(record.output_tokens, step.output_tokens),
    unpriced_tokens: total(record.unpriced_tokens, step.unpriced_tokens),
    seconds: total(record.seconds, seconds),
  };
}

function total(before: number | undefined, more: number | undefined): number | undefined {
  if (!more) return before;
  // Dollars are kept to a millionth, so that a replay adds up to the same digits.
  return Math.round(((before ?? 0) + more) * 1e6) / 1e6;
}
