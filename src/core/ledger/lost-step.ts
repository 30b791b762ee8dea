import type { Claim, StepRecord } from './record/record.ts';

/** What became of the step of a claim whose holder died: what it cost nobody can tell, only what was set aside for it. */
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
