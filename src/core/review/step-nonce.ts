/**
 * The nonce of a step: a word that its answer must carry. What the agent quotes, or what somebody wrote into the
 * work before, does not hold it, so it cannot be taken for the answer.
 *
 * It follows from the claim, which is random, so that both halves of a step know it with nothing to hand over; and
 * from the commit it begins at, so that who wrote that commit under the same claim could not put it in there.
 */
import { fnv1a64 } from './fingerprint.ts';
import type { ReviewReading } from './read-review.ts';

interface StepKey {
  readonly claim: string;
  readonly id: string;
  readonly step: string;
  readonly cycle: number;
  readonly lane?: { readonly head: string } | null;
}

export function stepNonce({ claim, id, step, cycle, lane }: StepKey): string {
  return fnv1a64(`${claim}\n${id}\n${step}\n${cycle}\n${lane?.head ?? ''}`);
}

/**
 * The gate. An approval without the nonce is none; what asks for changes or for a person approves nothing, and
 * stands without.
 */
export function gateReview(reading: ReviewReading): ReviewReading {
  if (reading.hasNonce) return reading;
  if (reading.kind === 'contradiction') return { ...reading, isSoft: false };
  if (reading.kind !== 'verdict' || reading.verdict !== 'APPROVED') return reading;
  const { findings, hasNonce } = reading;
  const why = 'its approval does not carry the nonce of this step';
  return { findings, hasNonce, kind: 'none', why, isSilent: true };
}

/** The text without the lines that only hold the nonce: they say nothing else. */
export function withoutNonce(text: string, nonce: string): string {
  if (!/^\w{8,64}$/.test(nonce)) return text;
  const named = new RegExp(`[(["]{0,2}\\b(?:nonce\\b[^\\w\\n]{0,8})?${nonce}\\b["\`*)\\]]{0,4}`, 'gi');
  return text.replace(named, '');
}
