/** The branches that a run finished, in the order of their dependencies. */
import type { Project } from '../../app/project.ts';
import type { LaneLink } from '../../core/ledger/record/record.ts';
import type { Repository } from '../../git/open-repository.ts';
import { readBranch } from '../../workspace/branch/read-branch.ts';

export interface FinishedLane {
  readonly branch: string;
  readonly forkPoint: string;
  readonly head: string;
  readonly link: LaneLink;
}

export async function finishedLanes(
  project: Project,
  repository: Repository,
  tasks: readonly string[],
): Promise<FinishedLane[]> {
  const lanes = new Map<string, FinishedLane>();
  for (const id of project.board.graph.order.filter((one) => tasks.includes(one))) {
    const view = project.board.views.get(id);
    const link = view?.record?.lane;
    const ended = view?.status === 'completed' && (view.record?.final_verdict ?? 'APPROVED') === 'APPROVED';
    if (!link || !ended || link.folded_at !== undefined || lanes.has(link.branch)) continue;
    const head = await readBranch(repository, link.branch);
    if (!head || link.fork_point === undefined) continue;
    lanes.set(link.branch, { branch: link.branch, forkPoint: link.fork_point, head: head.oid, link });
  }
  return [...lanes.values()];
}
