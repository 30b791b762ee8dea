/** Asks for a review, and once more, briefly, when no verdict stands that can be acted on. Both answers are kept. */

import { isRecord } from '../../core/review/find-json.ts';
import { readReview } from '../../core/review/read-review.ts';
import { asksAgain, type SettledReview, settleReview } from '../../core/review/settle-review.ts';
import { gateReview, stepNonce } from '../../core/review/step-nonce.ts';
import { printReview, secondQuestion, structuredReview } from '../../core/text/review.ts';
import { redact } from '../../system/redact.ts';
import { isCommand, type Performed } from '../perform/perform-step.ts';
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
  const { job, project } = step.input;
  const nonce = stepNonce(job);
  const first = await performInClone(step, prompt);
  const text = reviewOf(first);
  const reading = gateReview(readReview(text, nonce));
  const alone = (): AskedReview => {
    const settled = settleReview(reading, null);
    return { runs: [first], counts: first, text, settled, artifact: artifactOf(settled, [text]) };
  };
  if (first.run.result.kind !== 'ok' || !asksAgain(reading) || step.input.signal.aborted) return alone();
  const second = await performInClone(
    step,
    secondQuestion(reading, nonce, null),
    againIn(step, first, secondQuestion(reading, nonce, text)),
  );
  const runs = [first, second];
  const isAnswer = second.run.result.kind === 'ok';
  // It asked for changes: that stands, whatever became of the question what they are.
  if (!isAnswer && reading.kind === 'verdict') return { ...alone(), runs };
  const again = reviewOf(second);
  const answer = readReview(again, nonce);
  // A command may print its line and know nothing of a nonce: asked twice, it has approved.
  const counted = isCommand(job.agent, project.config) ? answer : gateReview(answer);
  const settled = settleReview(reading, isAnswer ? counted : null);
  return { runs, counts: second, text, settled, artifact: artifactOf(settled, [text, again]) };
}

/** In the session of the review, which needs no more than the question; else with its text. */
function againIn({ clone }: Step, { run }: Performed, freshPrompt: string) {
  const { sessionId, sessionTotals } = run.result;
  const session = sessionId ? { id: sessionId, clone: clone.record.name, totals: sessionTotals } : undefined;
  return { session, freshPrompt };
}

export function answerOf({ run, secrets }: Performed): string {
  return redact(run.result.text, secrets);
}

/** What a review is read from: the answer in words, or the structured one that it was held to. */
function reviewOf(performed: Performed): string {
  const { structured } = performed.run.result;
  const text = answerOf(performed);
  return isRecord(structured) ? redact(structuredReview(structured, text), performed.secrets) : text;
}

/** The review as it was written where one text says it all; else what both came to, with both. */
function artifactOf({ verdict, findings }: SettledReview, [first = '', second]: readonly string[]): string {
  const plain = readReview(first);
  const isPlain = plain.kind === 'verdict' && plain.verdict === verdict;
  if (isPlain && second === undefined) return first.endsWith('\n') ? first : `${first}\n`;
  return printReview({ verdict, findings, summary: first, ...(second === undefined ? {} : { second }) });
}
