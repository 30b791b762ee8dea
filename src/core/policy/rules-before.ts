/**
 * Rules that come before the choice of a step: true claims first, then endings that cost nothing, then
 * blockers.
 */

import type { BlockerKind } from '../board/blockers.ts';
import type { TaskView } from '../board/board.ts';
import {
  type Claim,
  type FinalVerdict,
  type Stop,
  type TaskRecord,
  type WaitingFile,
  waitsReason,
} from '../ledger/record/record.ts';
import { oneLine } from '../markdown/neutralise.ts';
import { claimsOf } from '../review/same-finding.ts';
import type { Facts, LaneFacts, Match, Rule } from './decide.ts';
import { redChecks } from './rules-step.ts';
import {
  askPerson,
  currentReview,
  cyclesDone,
  cyclesMax,
  firstStep,
  hasOpenChildren,
  howToAnswer,
  isLooping,
  isOver,
  isWork,
  lastGood,
  lastStep,
  noProgress,
  wait,
} from './steps-so-far.ts';

export const endingRules: readonly Rule[] = [
  { name: 'merged', match: (view, facts) => pulled(view, facts, 'merged') },
  { name: 'closed', match: (view, facts) => pulled(view, facts, 'closed') },
  {
    name: 'checks-red',
    match: (view, facts) => {
      const red = redChecks(view, facts);
      if (!red || view.record?.closed_as !== 'done') return null;
      return { action: { kind: 'go-on' }, because: red, change: `gza approve ${view.id} takes it as it is` };
    },
  },
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

/** A split task gets its result from its parts, whether the split is in its file or in its ledger. */
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

/** Asks only once: what a person wants by deleting a branch, only they know. */
function branchGone(view: TaskView, facts: Facts): Match | null {
  if (!facts.lane(view).gone || facts.command(view) || view.record?.stop) return null;
  const detail = 'its branch was deleted before it was merged';
  const change = goneWays(view.id);
  return askPerson('branch-gone', detail, change, facts);
}

/**
 * A person must let these files pass. Neither a review nor an approval replaces that, but a command overrides
 * it.
 */
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
  return `gza retry ${id} --from-start does it again, gza skip ${id} where its work is merged, gza delete ${id} drops it`;
}

function finish(because: string, verdict?: FinalVerdict, stop?: Stop): Match {
  return {
    action: { kind: 'finish', ...(verdict ? { verdict } : {}), ...(stop ? { stop } : {}) },
    because,
    change: 'a new commit on its branch asks for a new verdict',
  };
}

/** Its work is done and nobody asked for more, so only reviews decide whether it ends. */
function mayEnd(view: TaskView, facts: Facts): boolean {
  if (view.record?.closed_at || facts.command(view) || hasOpenChildren(view, facts)) return false;
  return lastGood(view, (step) => step === firstStep(view)) !== undefined;
}

function approved(view: TaskView, facts: Facts): Match | null {
  if (!isLooping(view, facts) || !mayEnd(view, facts) || redChecks(view, facts)) return null;
  const review = currentReview(view, facts);
  if (review?.verdict !== 'APPROVED') return null;
  return finish(`review ${cyclesDone(view)} approved the diff as it is`, 'APPROVED');
}

function done(view: TaskView, facts: Facts): Match | null {
  if (isLooping(view, facts) || !mayEnd(view, facts) || redChecks(view, facts)) return null;
  if (lastStep(view)?.outcome !== 'ok') return null;
  const step = firstStep(view);
  const review = step === 'review' ? lastGood(view, (one) => one === step) : currentReview(view, facts);
  return finish(`its ${step} step ended well and no review was asked for`, review?.verdict);
}

/** The loop is over without approval: the task is completed, with the reason for a person. */
function loopEnded(view: TaskView, facts: Facts): Match | null {
  if (!isLooping(view, facts) || !mayEnd(view, facts)) return null;
  const at = facts.board.now;
  const review = currentReview(view, facts);
  // Approved, but the team's checks are red.
  if (review?.verdict === 'APPROVED') return null;
  if (review?.verdict === 'NEEDS_DISCUSSION') {
    const asked = claimsOf(review)[0] ?? '';
    const detail =
      asked === '' ? 'the review raised questions that a person must answer' : `the review asks: ${asked}`;
    return finish(detail, 'NEEDS_DISCUSSION', { reason: 'needs-discussion', detail, at });
  }
  const max = cyclesMax(view, facts);
  // Even if the diff changed since, because another review would exceed the limit.
  if (cyclesDone(view) >= max) {
    const last = view.record?.steps?.findLast(
      ({ step, verdict }) => step === 'review' && verdict !== undefined,
    );
    const open = claimsOf(last ?? {}).slice(0, 2);
    const detail = `${max} review cycles ended without approval${open.length === 0 ? '' : `; still open: ${open.join('; ')}`}`;
    return finish(detail, 'MAX_CYCLES_REACHED', { reason: 'max-cycles', detail, at });
  }
  const stuck = review || isAsLeft(view, facts) ? noProgress(view.record?.steps ?? []) : null;
  if (!stuck) return null;
  return finish(stuck.detail, 'CHANGES_REQUESTED', { reason: stuck.reason, detail: stuck.detail, at });
}

/** Whether nobody else changed the diff since the last step. */
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

/** Claims must be true before anything else is considered. */

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

/** What happened after the claim and makes its work useless. A later claim was made in spite of it. */
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

/** What a person did to the task since it was claimed. */
export function whyHalted({ at }: Pick<Claim, 'at'>, record: TaskRecord | null): string | null {
  if (record?.closed_at && record.closed_at >= at) return `the task is closed (${record.closed_as})`;
  if (record?.stop && record.stop.at >= at) return 'the task waits for a person';
  return record?.paused_at ? 'the task is paused' : null;
}

/** Rules about what must happen first, ordered by which reason matters most. */

export const blockedRules: readonly Rule[] = [
  blocker('ledger-unread', 'unread', () => 'mend that ledger; gza fsck says how'),
  blocker('invalid-definition', 'invalid', () => 'mend its definition; gza check shows where'),
  { name: 'waits-for-person', match: waitsForPerson },
  blocker('paused', 'paused', (view) => `gza resume ${view.id}`),
  blocker('too-complex', 'complex', (view) => `gza split ${view.id}, or gza approve ${view.id} as it is`),
  blocker('dependency-cycle', 'cycle', () => 'take one dependency out of the cycle'),
  blocker('dependency-missing', 'missing', () => 'file that task, or take the dependency out'),
  blocker(
    'dependency-failed',
    'failed',
    (_, id) => `gza retry ${id}, or gza skip ${id} when it was done elsewhere`,
  ),
  blocker(
    'dependency-dropped',
    'dropped',
    (_, id) => `gza reopen ${id}, or gza skip ${id} when it was done elsewhere`,
  ),
  blocker('dependency-unapproved', 'verdict', (_, id) => `gza approve ${id}, or gza improve ${id} --review`),
  blocker('approval-awaited', 'approval', (_, id) => `gza approve ${id}, or merge its pull request`),
  blocker('merge-awaited', 'merge', (_, id) => `merge the pull request of ${id}`),
  blocker('dependency-unmet', 'dependency', (_, id) => `${id} is completed`),
  { name: 'has-children', match: hasChildren },
  { name: 'baseline-failed', match: baselineFailed },
  { name: 'assigned', match: assigned },
];

function blocker(name: string, kind: BlockerKind, change: (view: TaskView, id: string) => string): Rule {
  return {
    name,
    match: (view) => {
      const found = view.blockers.find((one) => one.kind === kind);
      return found ? wait(`blocked by ${found.text}`, change(view, found.id ?? '')) : null;
    },
  };
}

/** A stop holds until a person answers it; a command counts as an answer. */
function waitsForPerson(view: TaskView, facts: Facts): Match | null {
  const stop = facts.command(view) ? undefined : view.blockers.find(({ kind }) => kind === 'person');
  if (!stop) return null;
  const isAsked = view.record?.stop?.reason === 'agent-blocked';
  const others = `gza unblock ${view.id}, gza retry ${view.id} or gza skip ${view.id}`;
  return wait(`blocked by ${stop.text}`, isAsked ? howToAnswer(view.id) : others);
}

/**
 * A parent that was worked on itself continues when its checklist is done. Any other is done with its
 * children.
 */
function hasChildren(view: TaskView, facts: Facts): Match | null {
  if (hasOpenChildren(view, facts)) {
    const open = view.children.filter((id) => !isOver(facts.board.views.get(id)));
    const named = open.slice(0, 3).map((id) => `#${id}`);
    const more = open.length > 3 ? ` and ${open.length - 3} more` : '';
    return wait(`it waits for its subtasks ${named.join(', ')}${more}`, 'they are completed');
  }
  if (view.children.length === 0 || view.record?.closed_at || !isOver(view)) return null;
  return { action: { kind: 'nothing' }, because: 'its subtasks are completed', change: 'a new subtask' };
}

/**
 * If the base fails its checks, no work can pass them. Work that already passed continues, and so does what
 * a person commands.
 */
function baselineFailed(view: TaskView, facts: Facts): Match | null {
  const { baseline } = facts.lane(view);
  if (baseline === undefined || !isWork(firstStep(view)) || facts.command(view)) return null;
  if (lastGood(view, isWork) && lastStep(view)?.ending !== 'baseline') return null;
  const change = 'mend them on the base; a task with `baseline: skip` may do it';
  return wait(`the checks of gza.yaml fail on the base without its work: ${oneLine(baseline, 300)}`, change);
}

function assigned(view: TaskView, facts: Facts): Match | null {
  const holder = view.task.assigned_agent;
  if (!holder || facts.agents.includes(holder)) return null;
  return wait(`it is assigned to ${holder}`, `${holder} does it, or gza assign ${view.id} "" frees it`);
}
