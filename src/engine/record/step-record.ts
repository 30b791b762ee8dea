/** The line of a step in its task's record. */
import type { StepRecord } from '../../core/ledger/record/record.ts';
import type { Performed } from '../perform/perform-step.ts';
import type { Step } from '../step/step.ts';
import type { Judged } from '../step/step-outcome.ts';

/** `runs`: all that were needed for it; a review may be asked twice. */
export function recordOf(
  { input, started_at }: Step,
  runs: readonly Performed[],
  judged: Judged,
): StepRecord {
  const { job, now } = input;
  const last = runs.at(-1)?.run;
  const results = runs.map(({ run }) => run.result);
  const sum = (of: (result: (typeof results)[number]) => number | undefined | null) =>
    results.reduce((total, one) => total + (of(one) ?? 0), 0);
  const cost = sum((one) => one.costUsd);
  const inputTokens = sum((one) => (one.usage ? one.usage.input + one.usage.cachedInput : 0));
  // Reasoning is a part of the output.
  const outputTokens = sum((one) => one.usage?.output);
  const turns = sum((one) => one.turns);
  return {
    step: job.step,
    outcome: judged.outcome,
    started_at,
    ended_at: now(),
    agent: job.agent,
    ...(job.cycle > 0 ? { cycle: job.cycle } : {}),
    ...(last?.agent.version ? { agent_version: last.agent.version } : {}),
    ...(job.model ? { model: job.model } : {}),
    ...(judged.error ? { error: judged.error } : {}),
    ...(cost > 0 ? { cost_usd: cost } : {}),
    ...(inputTokens > 0 ? { input_tokens: inputTokens } : {}),
    ...(outputTokens > 0 ? { output_tokens: outputTokens } : {}),
    ...(turns > 0 ? { turns } : {}),
    ...(last?.result.sessionId ? { session: last.result.sessionId } : {}),
  };
}

const lineMax = 100;

export function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length > lineMax ? `${line.slice(0, lineMax - 1)}…` : line;
}
