/** Where a task stands in its steps, read from the record of those that ended. */
import type { TaskView } from './board.ts';
import type { Facts } from './decide.ts';
import { type StepName, type StepRecord, stepOfType } from './record.ts';

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
  if (!review) return undefined;
  const steps = view.record?.steps ?? [];
  const later = steps.slice(steps.lastIndexOf(review) + 1);
  if (later.some((step) => step.outcome === 'ok' && isWork(step.step) && step.diff !== review.diff))
    return undefined;
  const { diff } = facts.lane(view);
  return diff === undefined || review.diff === undefined || diff === review.diff ? review : undefined;
}

/** A loop of review and improve runs inside the task. */
export function isLooping(view: TaskView, facts: Facts): boolean {
  return isWork(firstStep(view)) && view.task.type !== 'improve' && facts.settings(view.task).auto_review;
}

export function cyclesMax(view: TaskView, facts: Facts): number {
  return facts.settings(view.task).max_review_cycles + (view.record?.extra_cycles ?? 0);
}

/** Something can still be decided: not closed, or closed with a claim, pull request or command left over. */
export function isOpen(view: TaskView, facts: Facts): boolean {
  if (!view.record?.closed_at) return true;
  if (view.claim || view.deadClaim || facts.command(view)) return true;
  return view.record.lane !== undefined && view.record.lane.folded_at === undefined;
}
