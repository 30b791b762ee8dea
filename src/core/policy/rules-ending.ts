/** What ends, for free: no agent is needed to see that a task is over. */
import type { TaskView } from '../board/board.ts';
import { type FinalVerdict, type Stop, type WaitingFile, waitsReason } from '../ledger/record/record.ts';
import { oneLine } from '../markdown/one-line.ts';
import type { Facts, Match, Rule } from './decide.ts';
import { askPerson, wait } from './match.ts';
import {
  currentReview,
  cyclesDone,
  cyclesMax,
  firstStep,
  hasOpenChildren,
  isLooping,
  isWork,
  lastGood,
  lastStep,
} from './next-step.ts';
import { noProgress } from './progress.ts';

export const endingRules: readonly Rule[] = [
  { name: 'merged', match: (view, facts) => pulled(view, facts, 'merged') },
  { name: 'closed', match: (view, facts) => pulled(view, facts, 'closed') },
  {
    name: 'already-closed',
    match: (view, facts) => {
      if (!view.record?.closed_at || facts.command(view)) return null;
      const { closed_as, closed_reason, lane } = view.record;
      if (lane && !lane.folded_at && facts.lane(view).gone) {
        return {
          action: { kind: 'nothing' },
          because: `it is ${closed_as}, but its branch was deleted before it was merged`,
          change: goneWays(view.id),
        };
      }
      if (closed_as === 'split' && view.children.length > 0) return wasSplit(view);
      const why = closed_as === 'failed' && closed_reason ? `: ${oneLine(closed_reason, 300)}` : '';
      return {
        action: { kind: 'nothing' },
        because: `it is ${closed_as}${why}${lane ? '; its branch is not merged yet' : ''}`,
        change: `gza ${closed_as === 'failed' ? 'retry' : 'reopen'} ${view.id}, or a manual gza improve ${view.id}`,
      };
    },
  },
  { name: 'branch-gone', match: branchGone },
  { name: 'changes-wait', match: changesWait },
  {
    name: 'forced-verdict',
    match: (view, facts) => {
      const { record } = view;
      if (record?.closed_at || record?.final_verdict !== 'APPROVED') return null;
      if (!isLooping(view, facts) || !lastGood(view, isWork) || hasOpenChildren(view, facts)) return null;
      return finish(`${record.verdict_by ?? 'a person'} approved it`, 'APPROVED');
    },
  },
  { name: 'approved', match: approved },
  { name: 'done', match: done },
  { name: 'loop-ended', match: loopEnded },
  { name: 'person-commits', match: personCommits },
];

/** Whether in its file or in its ledger, a task that was split is what its parts are. */
function wasSplit({ children }: TaskView): Match {
  const named = children.slice(0, 5).map((id) => `#${id}`);
  const more = children.length > 5 ? ` and ${children.length - 5} more` : '';
  const because = `it was split into ${named.join(', ')}${more}, and is what they are`;
  return { action: { kind: 'nothing' }, because, change: 'they are completed' };
}

function pulled(view: TaskView, facts: Facts, state: 'merged' | 'closed'): Match | null {
  if (facts.lane(view).pull?.state !== state || view.record?.lane?.folded_at) return null;
  return {
    action: { kind: 'fold', how: state },
    because: `its pull request was ${state}`,
    change: state === 'merged' ? 'nothing: it is done' : `gza reopen ${view.id}`,
  };
}

/** Asked once; what a person wants by deleting a branch is theirs to say. */
function branchGone(view: TaskView, facts: Facts): Match | null {
  if (!facts.lane(view).gone || facts.command(view) || view.record?.stop) return null;
  const detail = 'its branch was deleted before it was merged';
  const change = goneWays(view.id);
  return askPerson('branch-gone', detail, change, facts);
}

/** Files that a person must let pass: neither a review nor an approval stands for that, but a command goes on. */
function changesWait(view: TaskView, facts: Facts): Match | null {
  const { waits = [], stop, closed_at } = view.record ?? {};
  if (waits.length === 0 || closed_at || facts.command(view)) return null;
  if (lastStep(view)?.outcome !== 'ok' || !lastGood(view, isWork)) return null;
  const detail = waitingText(waits);
  const change = `gza approve ${view.id} lets them pass as they are, gza improve ${view.id} "take them out"`;
  return stop ? wait(detail, change) : askPerson(waitsReason, detail, change, facts);
}

const waitsShown = 10;

function waitingText(waits: readonly WaitingFile[]): string {
  const shown = waits
    .slice(0, waitsShown)
    .map(({ path, why }) => `${oneLine(path, 200)}: ${oneLine(why, 200)}`);
  const more = waits.length > waitsShown ? [`and ${waits.length - waitsShown} more`] : [];
  const files = waits.length === 1 ? '1 changed file waits' : `${waits.length} changed files wait`;
  return `${files} for a person to look at: ${[...shown, ...more].join('; ')}`;
}

function goneWays(id: string): string {
  return `gza retry ${id} --from-start does it anew, gza skip ${id} where its work is merged, gza delete ${id} drops it`;
}

function finish(because: string, verdict?: FinalVerdict, stop?: Stop): Match {
  return {
    action: { kind: 'finish', ...(verdict ? { verdict } : {}), ...(stop ? { stop } : {}) },
    because,
    change: 'a new commit on its branch asks for a new verdict',
  };
}

/** Its work is done and nobody asked for more of it: whether it ends depends on reviews alone. */
function mayEnd(view: TaskView, facts: Facts): boolean {
  if (view.record?.closed_at || facts.command(view) || hasOpenChildren(view, facts)) return false;
  return lastGood(view, (step) => step === firstStep(view)) !== undefined;
}

function approved(view: TaskView, facts: Facts): Match | null {
  if (!isLooping(view, facts) || !mayEnd(view, facts)) return null;
  const review = currentReview(view, facts);
  if (review?.verdict !== 'APPROVED') return null;
  return finish(`review ${cyclesDone(view)} approved the diff as it is`, 'APPROVED');
}

function done(view: TaskView, facts: Facts): Match | null {
  if (isLooping(view, facts) || !mayEnd(view, facts) || lastStep(view)?.outcome !== 'ok') return null;
  const step = firstStep(view);
  const review = step === 'review' ? lastGood(view, (one) => one === step) : currentReview(view, facts);
  return finish(`its ${step} step ended well and no review was asked for`, review?.verdict);
}

/** The loop is over without approval: completed, with the reason, for a person. */
function loopEnded(view: TaskView, facts: Facts): Match | null {
  if (!isLooping(view, facts) || !mayEnd(view, facts)) return null;
  const at = facts.board.now;
  const review = currentReview(view, facts);
  if (review?.verdict === 'NEEDS_DISCUSSION') {
    const detail = 'the review raised questions that a person must answer';
    return finish(detail, 'NEEDS_DISCUSSION', { reason: 'needs-discussion', detail, at });
  }
  const max = cyclesMax(view, facts);
  // Also when the diff moved since: another review would be one more than allowed.
  if (cyclesDone(view) >= max) {
    const detail = `${max} review cycles ended without approval`;
    return finish(detail, 'MAX_CYCLES_REACHED', { reason: 'max-cycles', detail, at });
  }
  const stuck = review || isAsLeft(view, facts) ? noProgress(view.record?.steps ?? []) : null;
  if (!stuck) return null;
  return finish(stuck.detail, 'CHANGES_REQUESTED', { reason: stuck.reason, detail: stuck.detail, at });
}

/** Nobody else changed the diff since the last step: what that step did is what there is. */
function isAsLeft(view: TaskView, facts: Facts): boolean {
  const { diff } = facts.lane(view);
  const last = lastStep(view);
  return last?.outcome === 'ok' && last.diff !== undefined && (diff === undefined || diff === last.diff);
}

function personCommits(view: TaskView, facts: Facts): Match | null {
  if (!facts.lane(view).personCommits || facts.command(view)) return null;
  return wait(
    'a person pushed commits of their own to its branch, so it is theirs for now',
    `gza work ${view.id}, or a /gza work comment, hands it back`,
  );
}
