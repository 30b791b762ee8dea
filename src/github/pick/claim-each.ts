/** Claims what may run, as far as one matrix reaches. */

import { isGzaError } from '../../core/errors.ts';
import type { Decision } from '../../core/policy/decide.ts';
import type { ClaimedLane } from './claim-job.ts';

/** A matrix may have 256 jobs. */
export const lanesMax = 256;

export async function claimEach(
  decisions: readonly Decision[],
  claim: (decision: Decision) => Promise<ClaimedLane | null>,
  warn: (line: string) => void,
): Promise<ClaimedLane[]> {
  const claimed: ClaimedLane[] = [];
  const wanted = decisions.filter(({ action }) => action.kind === 'run');
  for (const [at, decision] of wanted.entries()) {
    if (claimed.length >= lanesMax) {
      warn(`${lanesMax} lanes start, as many as one run may have; ${wanted.length - at} wait for the next.`);
      break;
    }
    try {
      const one = await claim(decision);
      if (one) claimed.push(one);
    } catch (error) {
      // One task that cannot start does not keep the others from it.
      if (!isGzaError(error)) throw error;
      warn(`${decision.task}: ${error.message}`);
    }
  }
  return claimed;
}
