/** What ends, for free: no agent is needed to see that a task is over. */
import type { TaskView } from './board.ts';
import type { Facts, Match, Rule } from './decide.ts';
import { currentReview, cyclesMax, firstStep, isLooping, isWork, lastGood, lastStep } from './next-step.ts';
import { noProgress } from './progress.ts';
import type { FinalVerdict, Stop } from './record.ts';
import { cyclesOf } from './review-cycles.ts';

export const endingRules: readonly Rule[] = [
  { name: 'merged', match: (view, facts) => pulled(view, facts, 'merged') },
  { name: 'closed', match: (view, facts) => pulled(view, facts, 'closed') },
  {
    name: 'already-closed',
    match: (view, facts) => {
      if (!view.record?.closed_at || facts.command(view)) return null;
      return {
        action: { kind: 'nothing' },
        because: `it is ${view.record.closed_as}${view.record.lane ? '; its branch is not merged yet' : ''}`,
        change: `gza reopen ${view.id}, gza retry ${view.id}, or a manual gza improve ${view.id}`,
      };
    },
  },
  {
    name: 'forced-verdict',
    match: (view, facts) => {
      const { record } = view;
      if (record?.closed_at || record?.final_verdict !== 'APPROVED') return null;
      if (!isLooping(view, facts) || !lastGood(view, isWork)) return null;
      return finish(`${record.verdict_by ?? 'a person'} approved it`, 'APPROVED');
    },
  },
  { name: 'person-commits', match: personCommits },
  {
    name: 'approved',
    match: (view, facts) => {
      const review = isLooping(view, facts) && !facts.command(view) ? currentReview(view, facts) : undefined;
      if (review?.verdict !== 'APPROVED') return null;
      return finish(`review ${review.cycle ?? 1} approved the diff as it is`, 'APPROVED');
    },
  },
  {
    name: 'done',
    match: (view, facts) => {
      if (facts.command(view) || isLooping(view, facts) || view.record?.closed_at) return null;
      const done = lastGood(view, (step) => step === firstStep(view));
      if (!done || lastStep(view) !== done) return null;
      return finish(`its ${done.step} step ended well and no review was asked for`, done.verdict);
    },
  },
  { name: 'loop-ended', match: loopEnded },
];

function pulled(view: TaskView, facts: Facts, state: 'merged' | 'closed'): Match | null {
  if (facts.lane(view).pull?.state !== state || view.record?.lane?.folded_at) return null;
  return {
    action: { kind: 'fold', how: state },
    because: `its pull request was ${state}`,
    change: state === 'merged' ? 'nothing: it is done' : `gza reopen ${view.id}`,
  };
}

function finish(because: string, verdict?: FinalVerdict, stop?: Stop): Match {
  return {
    action: { kind: 'finish', ...(verdict ? { verdict } : {}), ...(stop ? { stop } : {}) },
    because,
    change: 'a new commit on its branch asks for a new verdict',
  };
}

function personCommits(view: TaskView, facts: Facts): Match | null {
  if (!facts.lane(view).personCommits || facts.command(view)) return null;
  return {
    action: { kind: 'wait' },
    because: 'a person pushed commits of their own to its branch, so it is theirs for now',
    change: `gza work ${view.id}, or a /gza work comment, hands it back`,
  };
}

/** The loop is over without approval: completed, with the reason, for a person. */
function loopEnded(view: TaskView, facts: Facts): Match | null {
  if (!isLooping(view, facts) || facts.command(view) || view.record?.closed_at) return null;
  const review = currentReview(view, facts);
  if (!review) return null;
  const at = facts.board.now;
  if (review.verdict === 'NEEDS_DISCUSSION') {
    const detail = 'the review raised questions that a person must answer';
    return finish(detail, 'NEEDS_DISCUSSION', { reason: 'needs-discussion', detail, at });
  }
  if (review.verdict !== 'CHANGES_REQUESTED') return null;
  const max = cyclesMax(view, facts);
  if ((review.cycle ?? 1) >= max) {
    const detail = `${max} review cycles ended without approval`;
    return finish(detail, 'MAX_CYCLES_REACHED', { reason: 'max-cycles', detail, at });
  }
  const stuck = noProgress(cyclesOf(view.record?.steps ?? []));
  if (!stuck) return null;
  return finish(stuck.detail, 'CHANGES_REQUESTED', { reason: stuck.reason, detail: stuck.detail, at });
}
