/** Splits by itself, where `task_size_limits.auto_split` asks for it: as events, never in a person's files. */

import type { Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import { planSplit, splitInLedger } from '../../app/tasks/split-task.ts';
import type { TaskView } from '../../core/board/board.ts';

export type AutoSplit =
  | { readonly kind: 'split'; readonly segments: readonly string[] }
  /** It is too large, and there is no way to make it smaller. */
  | { readonly kind: 'too-large'; readonly why: string };

/** Null when the task stays as it is. */
export async function autoSplit(
  project: Project,
  view: Pick<TaskView, 'id' | 'record'>,
  at: string,
): Promise<AutoSplit | null> {
  // A person who approved it wants it whole.
  if (!project.config.task_size_limits.auto_split || view.record?.approved_at) return null;
  if (view.record?.started_at || view.record?.closed_at) return null;
  const whole = await wholeView(project, view.id);
  const split = planSplit(project, whole);
  if (split.kind === 'cannot') return split.isTooLarge ? { kind: 'too-large', why: split.why } : null;
  await splitInLedger(project, whole, split, { at, by: 'gza' });
  return { kind: 'split', segments: split.segments.map(({ id }) => id) };
}
