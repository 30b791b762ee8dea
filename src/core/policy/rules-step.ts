/** The step: which one comes next, for a task that nothing blocks. */
import type { TaskView } from '../board/board.ts';
import type { StepName, StepRecord } from '../ledger/record/record.ts';
import { firstLine, oneLine } from '../markdown/one-line.ts';
import type { Facts, Match, Rule } from './decide.ts';
import { endingOf } from './endings.ts';
import { askPerson, howToAnswer } from './match.ts';
import {
  agentsOut,
  currentReview,
  cyclesDone,
  firstStep,
  isLooping,
  isWork,
  lastGood,
  lastStep,
  wasAnswered,
} from './next-step.ts';

const askedCharsMax = 4_000;

export const stepRules: readonly Rule[] = [
  {
    name: 'command',
    match: (view, facts) => {
      const command = facts.command(view);
      if (!command) return null;
      const cycle = command.step === 'review' ? cyclesDone(view) + 1 : (view.record?.review_cycle ?? 0);
      return run(command.step, cycle, `${command.by} asked for it`, command.guidance);
    },
  },
  {
    name: 'no-verdict',
    match: (view, facts) => {
      const last = lastStep(view);
      if (last?.outcome !== 'no-verdict' || wasAnswered(view)) return null;
      // Lists hold a task's last error, not those of its steps.
      const error = last.error ?? view.record?.error;
      const detail = error
        ? oneLine(error, 500)
        : 'the review gave no clear verdict, also when asked again: no verdict given';
      const change = `gza edit ${view.id} --verdict APPROVED, or gza review ${view.id}, or gza unblock ${view.id}`;
      return askPerson('no-verdict', detail, change, facts);
    },
  },
  {
    name: 'agent-blocked',
    match: (view, facts) => {
      const last = lastStep(view);
      if (last?.outcome !== 'blocked' || wasAnswered(view)) return null;
      // A question stands as it was asked, whole.
      const detail = last.error?.trim().slice(0, askedCharsMax) || 'the agent said that it is blocked';
      return askPerson('agent-blocked', detail, howToAnswer(view.id), facts);
    },
  },
  { name: 'agent-cannot', match: agentCannot },
  {
    name: 'first-step',
    match: (view) => {
      const step = firstStep(view);
      const last = lastStep(view);
      if (lastGood(view, (one) => one === step)) return null;
      if (last?.step === step && last.outcome !== 'ok') return null;
      return run(step, 0, `its ${step} step was not done yet`);
    },
  },
  { name: 'verification-failed', match: verificationFailed },
  { name: 'continue', match: continued },
  {
    name: 'review-head',
    match: (view, facts) => {
      if (!isLooping(view, facts) || !lastGood(view, isWork) || currentReview(view, facts)) return null;
      return run('review', cyclesDone(view) + 1, 'its diff has no verdict and a review was asked for');
    },
  },
  {
    name: 'improve',
    match: (view, facts) => {
      const review = currentReview(view, facts);
      if (review?.verdict !== 'CHANGES_REQUESTED' || !isLooping(view, facts)) return null;
      const cycle = cyclesDone(view);
      return run('improve', cycle, `review ${cycle} asked for changes`);
    },
  },
  {
    name: 'nothing-left',
    match: () => ({ action: { kind: 'nothing' }, because: 'nothing is left to do', change: 'a new command' }),
  },
];

function run(step: StepName, cycle: number, because: string, guidance?: string): Match {
  return {
    action: { kind: 'run', step, cycle, ...(guidance ? { guidance } : {}) },
    because,
    change: 'it runs with the next pick or work',
  };
}

/** None of its agents is left that another try could help. */
function agentCannot(view: TaskView, facts: Facts): Match | null {
  const last = lastStep(view);
  const row = last?.outcome === 'cancelled' ? endingOf(last) : null;
  if (!last || row?.means !== 'cannot' || wasAnswered(view)) return null;
  const out = agentsOut(view);
  if (facts.settings(view.task).agents.some((agent) => !out.has(agent))) return null;
  const { reason, change } = row.stop ?? { reason: 'agent-cannot-run', change: 'look at its log' };
  const error = firstLine(last.error ?? view.record?.error, 400);
  const detail = `${last.agent ?? 'its agent'}: ${row.words}${error && error !== row.words ? ` (${error})` : ''}`;
  return askPerson(reason, detail, `${change}; then gza unblock ${view.id}`, facts);
}

function verificationFailed(view: TaskView): Match | null {
  const last = lastStep(view);
  if (last?.outcome !== 'failed' || last.verified !== false) return null;
  return run(
    last.step,
    cycleOf(view, last),
    `its checks failed: ${firstLine(last.error, 120) || 'no reason was given'}`,
  );
}

/** A step that failed, was cut short or died is done again, from what it left. */
function continued(view: TaskView): Match | null {
  const last = lastStep(view);
  if (!last || last.outcome === 'ok') return null;
  const ended = endingOf(last)?.words ?? 'the agent met its usage limit';
  const why = {
    failed: `the last try failed: ${firstLine(last.error, 120) || 'no reason was given'}`,
    slice: 'the last try was cut short with work to show',
    limit: `the last try could not be made: ${ended}`,
    cancelled:
      endingOf(last)?.means === 'cannot'
        ? `the last try could not be made: ${ended}`
        : 'the last try was stopped',
    lost: 'the last try died',
    blocked: 'a person answered what blocked it',
    'no-verdict': 'the review gave no verdict and a person asked for another',
  }[last.outcome];
  return run(last.step, cycleOf(view, last), why);
}

/** What died told nobody its cycle. */
function cycleOf(view: TaskView, { step, cycle }: StepRecord): number {
  if (cycle !== undefined) return cycle;
  if (step === 'review') return cyclesDone(view) + 1;
  return step === 'improve' ? cyclesDone(view) : 0;
}
