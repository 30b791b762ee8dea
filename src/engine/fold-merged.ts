/** Lanes that a person merged by hand come home: there is no forge here to say so. */
import type { Ports } from '../commands/command.ts';
import type { Project } from '../commands/project.ts';
import { foldPlan } from '../ledger/fold.ts';
import { mergeBase } from '../workspace/lane-diff.ts';
import { readBranch } from '../workspace/move-branch.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { baseOf } from './lane-of.ts';

/** All commits of the lane are in the base branch, and its tasks are closed. */
export async function foldMerged(project: Project, { repository }: Workspace, ports: Ports): Promise<void> {
  const lanes = project.view.branches.filter((branch) => branch !== project.view.base);
  if (lanes.length === 0) return;
  const base = await baseOf(project, repository);
  for (const branch of lanes) {
    const head = await readBranch(repository, branch);
    const records = [...project.board.views.values()].flatMap(({ record }) =>
      record?.lane?.branch === branch && !record.lane.folded_at ? [record] : [],
    );
    const isDone = records.length > 0 && records.every(({ closed_at }) => closed_at !== undefined);
    if (!head || !isDone || !records.some(({ lane }) => lane?.fork_point !== head.oid)) continue;
    if ((await mergeBase(repository, { base: base.commit, head: head.oid })) !== head.oid) continue;
    await project.ledger.write((view) => foldPlan(view, { branch, how: 'merged', at: ports.now() }));
    ports.progress(`${branch} is merged`);
  }
}
