/** Asks for a review, and once more, briefly, when no verdict stands that can be acted on. Both answers are kept. */

import { type ReviewReading, readReview } from '../../core/review/read-review.ts';
import { asksAgain, type SettledReview, settleReview } from '../../core/review/settle-review.ts';
import { printReview, secondQuestion } from '../../core/text/review.ts';
import { redact } from '../../system/redact.ts';
import type { Performed } from '../perform/perform-step.ts';
import type { Step } from './step.ts';
import { performInClone } from './work-step.ts';

export interface AskedReview {
  readonly runs: readonly Performed[];
  /** The run that says how the step ended. */
  readonly counts: Performed;
  readonly text: string;
  readonly settled: SettledReview;
  /** As it is kept. */
  readonly artifact: string;
}

export async function askReview(step: Step, prompt: string): Promise<AskedReview> {
  const first = await performInClone(step, prompt);
  const text = answerOf(first);
  const reading = readReview(text);
  const alone = (): AskedReview => {
    const settled = settleReview(reading, null);
    return { runs: [first], counts: first, text, settled, artifact: artifactOf(settled, [text]) };
  };
  if (first.run.result.kind !== 'ok' || !asksAgain(reading) || step.input.signal.aborted) return alone();
  const second = await performInClone(
    step,
    secondQuestion(reading, null),
    againIn(step, first, reading, text),
  );
  const runs = [first, second];
  const isAnswer = second.run.result.kind === 'ok';
  // It asked for changes: that stands, whatever became of the question what they are.
  if (!isAnswer && reading.kind === 'verdict') return { ...alone(), runs };
  const again = answerOf(second);
  const settled = settleReview(reading, isAnswer ? readReview(again) : null);
  return { runs, counts: second, text, settled, artifact: artifactOf(settled, [text, again]) };
}

/** In the session of the review, which needs no more than the question; else with its text. */
function againIn({ clone }: Step, { run }: Performed, reading: ReviewReading, text: string) {
  const { sessionId, sessionTotals } = run.result;
  const session = sessionId ? { id: sessionId, clone: clone.record.name, totals: sessionTotals } : undefined;
  return { session, freshPrompt: secondQuestion(reading, text) };
}

export function answerOf({ run, secrets }: Performed): string {
  return redact(run.result.text, secrets);
}

/** The review as it was written where one text says it all; else what both came to, with both. */
function artifactOf({ verdict, findings }: SettledReview, [first = '', second]: readonly string[]): string {
  if (verdict !== null && second === undefined) return first.endsWith('\n') ? first : `${first}\n`;
  return printReview({ verdict, findings, summary: first, ...(second === undefined ? {} : { second }) });
}
