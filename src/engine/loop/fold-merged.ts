/** Lanes that a person merged come home: there is no forge here to say so. */
import type { Ports } from '../../app/command.ts';
import { branchTips } from '../../app/facts/lane-heads.ts';
import { loadProject, type Project } from '../../app/project.ts';
import type { TaskRecord } from '../../core/ledger/record/record.ts';
import { foldPlan } from '../../ledger/fold.ts';
import { isMerged } from '../../workspace/branch/is-merged.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { baseOf } from './lane-of.ts';
import { isBelowMerged } from './rebase-on-base.ts';

/** The base branch has what the lane did, its commits or others with the same diff, and its tasks are closed. */
export async function foldMerged(project: Project, workspace: Workspace, ports: Ports): Promise<void> {
  const { repository } = workspace;
  const done = doneLanes(project);
  if (done.size === 0) return;
  const [base, tips] = await Promise.all([baseOf(project, repository), branchTips(project)]);
  for (const [branch, records] of done) {
    const head = tips.get(`refs/heads/${branch}`);
    if (!head || !records.some(({ lane }) => lane?.fork_point !== head)) continue;
    const link = records[0]?.lane;
    // What it was stacked on may have come in otherwise.
    const from = link && isBelowMerged(project, link) ? link.fork_point : undefined;
    if (!(await isMerged(repository, { base: base.commit, head, from }))) continue;
    const fold = { branch, how: 'merged', at: ports.now() } as const;
    const written = await project.ledger.write((view) => foldPlan(view, fold));
    if (written.kind !== 'written') continue;
    ports.progress(`${branch} is merged`);
    // What stood on it is told by its own commits alone from now on.
    return foldMerged(await loadProject(ports, project), workspace, ports);
  }
}

/** Branches whose tasks are all closed, with those tasks. */
function doneLanes({ board, view }: Project): Map<string, TaskRecord[]> {
  const lanes = new Map<string, TaskRecord[]>();
  for (const { record } of board.views.values()) {
    if (!record?.lane || record.lane.folded_at || record.lane.branch === view.base) continue;
    const { branch } = record.lane;
    if (view.tip(branch) !== null) lanes.set(branch, [...(lanes.get(branch) ?? []), record]);
  }
  for (const [branch, records] of lanes) {
    if (!records.every(({ closed_at }) => closed_at !== undefined)) lanes.delete(branch);
  }
  return lanes;
}
