import { topsOfStacks } from '../../core/board/tops-of-stacks.ts';
import type { Project } from '../project.ts';

/** Of the unmerged branches that a task builds on those that are not below another of them. */
export function lanesBelow(project: Pick<Project, 'board'>, branches: readonly string[]): string[] {
  if (branches.length < 2) return [...branches];
  const below = new Map<string, string>();
  for (const { record } of project.board.views.values()) {
    const lane = record?.lane;
    if (lane?.stacked_on && !lane.folded_at && !record?.merged_at) below.set(lane.branch, lane.stacked_on);
  }
  return topsOfStacks(branches, (branch) => below.get(branch));
}
