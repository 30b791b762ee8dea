import type { Claim, StepRecord } from './record/record.ts';

/**
 * The step of a claim whose holder died. Nobody knows what it cost, so it keeps the amount reserved for it.
 */
export function lostStep(claim: Claim, at: string, head: string | undefined = claim.head): StepRecord {
  const { step = 'implement', agent, reserved_usd } = claim;
  return {
    step,
    outcome: 'lost',
    ending: 'died',
    started_at: claim.at,
    ended_at: at,
    error: 'its process died',
    ...(agent ? { agent } : {}),
    ...(head ? { head } : {}),
    ...(reserved_usd === undefined ? {} : { reserved_usd }),
  };
}
