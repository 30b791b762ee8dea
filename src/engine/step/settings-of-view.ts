import type { TaskView } from '../../core/board/board.ts';
import type { StepName } from '../../core/ledger/record/record.ts';
import { isPlanFiled, type Settings } from '../../core/task/settings.ts';

/** Minutes that a step of this kind may take. */
export function timeoutMinutes(step: StepName, settings: Settings): number {
  switch (step) {
    case 'review':
      return settings.review_timeout_minutes;
    case 'improve':
      return settings.improve_timeout_minutes;
    case 'plan':
    case 'explore':
    case 'implement':
      return settings.timeout_minutes;
  }
}

/** Steps that change files of a lane; the others leave a text. */
export function changesFiles(step: StepName): boolean {
  return step === 'implement' || step === 'improve';
}

/** Steps that work on a lane's branch, or look at it. */
export function needsLane(step: StepName, settings: Pick<Settings, 'approval' | 'breakdown'>): boolean {
  return changesFiles(step) || step === 'review' || (step === 'plan' && isPlanFiled(settings));
}

/** The folder of an artifact that a step leaves. */
export function artifactPath(
  view: Pick<TaskView, 'id' | 'task'>,
  step: StepName,
  cycle: number,
): string | null {
  switch (step) {
    case 'plan':
      return `plans/${view.id}.md`;
    case 'explore':
      return `explorations/${view.id}.md`;
    case 'review':
      return view.task.type === 'review' ? `reviews/${view.id}.md` : `reviews/${view.id}-review-${cycle}.md`;
    case 'implement':
    case 'improve':
      return null;
  }
}
