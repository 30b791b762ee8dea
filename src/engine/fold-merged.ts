/** Lanes that a person merged come home: there is no forge here to say so. */
import type { Ports } from '../commands/command.ts';
import { look, type Project } from '../commands/project.ts';
import { foldPlan } from '../ledger/fold.ts';
import { isMerged } from '../workspace/is-merged.ts';
import { readBranch } from '../workspace/move-branch.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { baseOf } from './lane-of.ts';
import { isBelowMerged } from './rebase-on-base.ts';

/** The base branch has what the lane did, its commits or others with the same diff, and its tasks are closed. */
export async function foldMerged(project: Project, workspace: Workspace, ports: Ports): Promise<void> {
  const { repository } = workspace;
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
    const link = records[0]?.lane;
    // What it was stacked on may have come in otherwise.
    const from = link && isBelowMerged(project, link) ? link.fork_point : undefined;
    if (!(await isMerged(repository, { base: base.commit, head: head.oid, from }))) continue;
    const fold = { branch, how: 'merged', at: ports.now() } as const;
    const written = await project.ledger.write((view) => foldPlan(view, fold));
    if (written.kind !== 'written') continue;
    ports.progress(`${branch} is merged`);
    // What stood on it is told by its own commits alone from now on.
    return foldMerged(await look(project, ports), workspace, ports);
  }
}
