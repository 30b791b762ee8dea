/**
 * What a token may not do keeps nothing else from being done: the refusals are put together, and each permission that
 * lacks is named with what could not be done and the line that grants it.
 */
import { type GzaError, isGzaError } from '../../core/errors.ts';
import { missingSummary, missingWarnings } from '../../core/text/github/notice.ts';
import type { Ci } from '../jobs/ci.ts';

export type OnMissing = (error: GzaError) => void;

export function isMissingPermission(error: unknown): error is GzaError {
  return isGzaError(error) && typeof error.data['permission'] === 'string';
}

/** Whether it was done. Without `onMissing` a refusal ends the work, as any other error does. */
export async function unlessMissing(
  onMissing: OnMissing | undefined,
  work: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!onMissing || !isMissingPermission(error)) throw error;
    onMissing(error);
    return false;
  }
}

/** One warning each. The job ends as it would have: what it did is recorded, and the next pick does the rest. */
export function sayMissing(ci: Pick<Ci, 'warn' | 'summary'>, errors: readonly GzaError[]): void {
  for (const warning of missingWarnings(errors)) ci.warn(warning);
  ci.summary(missingSummary(errors));
}
