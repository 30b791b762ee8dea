/** `M1` of one plan is not `M1` of another: a milestone that means something else elsewhere gets the group's name. */
import type { Breakdown } from '../../core/plan/breakdown.ts';
import type { FileTask } from '../../core/task/file-task.ts';
import type { Milestone } from '../../core/task/task.ts';

export interface Elsewhere {
  readonly group: string;
  /** The file that the breakdown writes. */
  readonly file: string;
  readonly tasks: readonly FileTask[];
  /** All that are named anywhere. */
  readonly milestones: readonly Milestone[];
}

export function knownMilestones(found: Breakdown, { group, file, tasks, milestones }: Elsewhere): Breakdown {
  const elsewhere = new Set(tasks.flatMap((one) => (one.file === file ? [] : (one.task.milestone ?? []))));
  const names = new Map(milestones.map(({ id, name }) => [id, name]));
  const renamed = new Map<string, string>();
  for (const { id, name } of found.milestones) {
    if (elsewhere.has(id) && name !== undefined && names.get(id) !== name) renamed.set(id, `${group}-${id}`);
  }
  if (renamed.size === 0) return found;
  const idOf = (id: string) => renamed.get(id) ?? id;
  return {
    ...found,
    milestones: found.milestones.map((one) => ({ ...one, id: idOf(one.id) })),
    tasks: found.tasks.map((task) =>
      task.milestone === undefined ? task : { ...task, milestone: idOf(task.milestone) },
    ),
  };
}
