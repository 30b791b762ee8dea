/** Where a task stands in its steps, read from the record of those that ended. */
import type { TaskView } from '../board/board.ts';
import { type StepName, type StepRecord, stepOfType } from '../ledger/record/record.ts';
import type { TaskType } from '../task/task.ts';
import type { Facts, LaneFacts } from './decide.ts';
import { endingOf } from './endings.ts';

/** The step that a type begins with. */
export function firstStep(view: TaskView): StepName {
  return stepOfType(view.task.type);
}

export function isWork(step: StepName): boolean {
  return step === 'implement' || step === 'improve';
}

export function lastStep(view: TaskView): StepRecord | undefined {
  return view.record?.steps?.at(-1);
}

/** The last step of these kinds that did what it should. */
export function lastGood(view: TaskView, isWanted: (step: StepName) => boolean): StepRecord | undefined {
  return view.record?.steps?.findLast((step) => step.outcome === 'ok' && isWanted(step.step));
}

/** The last review, if it speaks of the lane's diff as it is now. */
export function currentReview(view: TaskView, facts: Facts): StepRecord | undefined {
  const review = lastGood(view, (step) => step === 'review');
  // Without a verdict it says nothing, but it counts among the cycles.
  if (!review?.verdict) return undefined;
  const steps = view.record?.steps ?? [];
  const later = steps.slice(steps.lastIndexOf(review) + 1);
  if (later.some((step) => leftWork(step) && (step.diff === undefined || step.diff !== review.diff)))
    return undefined;
  return isOfHead(review, facts.lane(view)) ? review : undefined;
}

/** Tries that were spent: one that is at work is spent until its end says otherwise. */
export function attemptsOf({ record, claim, deadClaim }: TaskView): number {
  return (record?.attempts ?? 0) + ((claim ?? deadClaim)?.step === undefined ? 0 : 1);
}

export function leftWork({ step, outcome }: StepRecord): boolean {
  return isWork(step) && (outcome === 'ok' || outcome === 'slice');
}

/** By diff, else by commit; where neither is known, a person's commits are a reason to doubt. */
function isOfHead({ diff, head }: StepRecord, lane: LaneFacts): boolean {
  if (diff !== undefined && lane.diff !== undefined) return diff === lane.diff;
  if (head !== undefined && lane.head !== undefined) return head === lane.head;
  return lane.personCommits !== true;
}

/** Types whose work may be reviewed and improved inside the task. */
export function mayLoop(type: TaskType): boolean {
  return type === 'task' || type === 'implement';
}

/** A loop of review and improve runs inside the task. */
export function isLooping(view: TaskView, facts: Facts): boolean {
  const { auto_review } = facts.settings(view.task);
  return mayLoop(view.task.type) && auto_review && cyclesMax(view, facts) > 0;
}

export function cyclesMax(view: TaskView, facts: Facts): number {
  return facts.settings(view.task).max_review_cycles + (view.record?.extra_cycles ?? 0);
}

/** Reviews that gave a verdict. A review without one is asked again under the same number. */
export function cyclesDone(view: TaskView): number {
  const steps = view.record?.steps;
  if (!steps) return view.record?.review_cycle ?? 0;
  const reviews = steps.filter(({ step, outcome }) => step === 'review' && outcome === 'ok');
  return Math.max(reviews.length, ...reviews.map(({ cycle }) => cycle ?? 0));
}

/** Since its last step ended, a person said that it may go on: `unblock` and `retry` leave their time. */
export function wasAnswered(view: TaskView): boolean {
  const since = view.record?.not_before;
  return since !== undefined && since >= (lastStep(view)?.ended_at ?? '');
}

/** Agents of whom no other try can change how the last one ended, since it went well or a person answered. */
export function agentsOut(view: TaskView): ReadonlySet<string> {
  const steps = wasAnswered(view) ? [] : (view.record?.steps ?? []);
  const since = steps.slice(steps.findLastIndex(({ outcome }) => outcome === 'ok') + 1);
  const cannot = since.filter((step) => step.outcome === 'cancelled' && endingOf(step)?.means === 'cannot');
  return new Set(cannot.flatMap(({ agent }) => agent ?? []));
}

/** Its last try did not fail: it had not the time, was stopped, died, or waited for an answer that is there now. */
export function wasCutShort(view: TaskView): boolean {
  const last = lastStep(view);
  if (last === undefined || last.ending === 'context') return false;
  return /^(?:slice|limit|blocked|lost)$/.test(last.outcome) || last.ending === 'cancelled';
}

/** The agent whose last try another one is asked instead of first, where there is one. */
export function tiredAgent(view: TaskView): string | undefined {
  const last = lastStep(view);
  return last && last.outcome !== 'ok' && endingOf(last)?.elsewhere ? last.agent : undefined;
}

export function isOver(view: TaskView | undefined): boolean {
  return view === undefined || view.status === 'completed' || view.status === 'skipped';
}

export function hasOpenChildren(view: TaskView, facts: Facts): boolean {
  return view.children.some((id) => !isOver(facts.board.views.get(id)));
}

/** Something can still be decided: not over, or over with a claim, pull request or command left. */
export function isOpen(view: TaskView, facts: Facts): boolean {
  if (!view.record?.closed_at && !isOver(view)) return true;
  if (view.claim || view.deadClaim || facts.command(view)) return true;
  return view.record?.lane !== undefined && view.record.lane.folded_at === undefined;
}
