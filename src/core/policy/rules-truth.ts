/** Truth first: what a claim says must be true before anything else is looked at. */
import type { TaskView } from '../board/board.ts';
import type { Claim, TaskRecord } from '../ledger/record/record.ts';
import type { LaneFacts, Rule } from './decide.ts';
import { wait } from './match.ts';

export const truthRules: readonly Rule[] = [
  {
    name: 'dead-claim',
    match: (view, facts) => {
      const claim = view.claim ?? view.deadClaim;
      if (!claim || facts.alive(claim)) return null;
      return {
        action: { kind: 'record-dead', claim },
        because: `${claim.holder} held it until ${claim.until} and did not come back`,
        change: 'the next pick or work records what it left behind and frees it',
      };
    },
  },
  {
    name: 'cancel-claim',
    match: (view, facts) => {
      const claim = view.claim ?? view.deadClaim;
      if (!claim) return null;
      const why = obsolete(claim, view, facts.lane(view));
      if (!why) return null;
      return {
        action: { kind: 'cancel', claim },
        because: `${claim.holder} works on it, but ${why}`,
        change: `gza release ${view.id}, or wait for its step to end`,
      };
    },
  },
  {
    name: 'live-claim',
    match: (view) => {
      const claim = view.claim ?? view.deadClaim;
      if (!claim) return null;
      const change = `it ends or its claim runs out at ${claim.until}; gza release ${view.id} takes it back`;
      return wait(`${claim.holder} works on it since ${claim.at}`, change, claim.until);
    },
  },
];

/** What came after the claim and makes its work useless. A claim made later was asked for in spite of it. */
function obsolete(claim: Claim, { record }: TaskView, lane: LaneFacts): string | null {
  const why = whyHalted(claim, record);
  if (why !== null) return why;
  const pull = lane.pull?.state;
  if ((pull === 'merged' || pull === 'closed') && !record?.lane?.folded_at) {
    return `its pull request was ${pull}`;
  }
  if (lane.gone) return 'its branch was deleted';
  return lane.personCommits ? 'a person pushed commits to its branch' : null;
}

/** What a person did to the task itself since it was claimed. */
export function whyHalted({ at }: Pick<Claim, 'at'>, record: TaskRecord | null): string | null {
  if (record?.closed_at && record.closed_at >= at) return `the task is closed (${record.closed_as})`;
  if (record?.stop && record.stop.at >= at) return 'the task waits for a person';
  return record?.paused_at ? 'the task is paused' : null;
}
