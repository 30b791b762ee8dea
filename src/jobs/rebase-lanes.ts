/**
 * A lane that was built on another stands on its own when that one is merged: its commits, from where it left the
 * other, are put on top of the base. Only then, and never while something works on it or a person had a hand in it.
 */
import { look, type Project } from '../commands/project.ts';
import type { LaneLink } from '../core/record.ts';
import { baseOf } from '../engine/lane-of.ts';
import type { Change } from '../ledger/ledger.ts';
import { rebaseLane } from '../workspace/rebase-lane.ts';
import type { Repository } from '../workspace/repository.ts';
import { gzaIdentity } from '../workspace/workspace.ts';
import type { Ci } from './ci.ts';
import type { LaneWorld } from './lane-world.ts';
import { rememberRefs, share } from './share.ts';

/** Whether any branch was moved. */
export async function rebaseLanes(
  ci: Ci,
  project: Project,
  repository: Repository,
  worlds: ReadonlyMap<string, LaneWorld>,
): Promise<boolean> {
  let moved = false;
  for (const lane of worlds.values()) {
    const link = lane.tasks[0]?.record?.lane;
    if (!link || !isDue(project, lane, link)) continue;
    moved = (await rebaseOne(ci, await look(project, ci.ports), repository, lane, link)) || moved;
  }
  return moved;
}

function isDue(project: Project, { branch, head, personCommits }: LaneWorld, link: LaneLink): boolean {
  const { view, board } = project;
  const on = link.stacked_on;
  if (on === undefined || head === null || personCommits || view.tip(branch) === null) return false;
  const isMerged = [...board.views.values()].some(
    ({ record }) => record?.lane?.branch === on && record.merged_at !== undefined,
  );
  const isAtWork = board.claims.some(({ lane }) => lane === branch);
  return isMerged && view.tip(on) === null && !isAtWork && link.fork_point !== undefined;
}

async function rebaseOne(
  ci: Ci,
  project: Project,
  repository: Repository,
  { branch, head, tasks }: LaneWorld,
  link: LaneLink,
): Promise<boolean> {
  if (head === null || link.fork_point === undefined) return false;
  const base = await baseOf(project, repository);
  const rebased = await rebaseLane(repository, {
    onto: base.commit,
    forkPoint: link.fork_point,
    head,
    committer: gzaIdentity,
  });
  if (rebased.kind !== 'rebased') {
    const why =
      rebased.kind === 'conflict'
        ? `conflicts in ${rebased.paths.slice(0, 5).join(', ')}`
        : 'nothing is left of it';
    ci.say(`${branch} was not put on top of ${base.branch}: ${why}.`);
    return false;
  }
  const goBack = await rememberRefs(project.ledger);
  const own: LaneLink = { id: link.id, branch, fork_point: base.commit };
  const move = { ref: `refs/heads/${branch}`, to: rebased.commit, from: head };
  await project.ledger.write(async (view) => ({
    changes: [branch, view.base].map(
      (ledger): Change => ({
        branch: ledger,
        events: tasks.map(({ id }) => ({ kind: 'enter-lane', at: ci.ports.now(), id, lane: own })),
      }),
    ),
    refs: [move],
  }));
  const shared = await share(project.ledger, move);
  if (shared.kind === 'shared') {
    ci.say(`${branch} stands on ${base.branch} now: ${link.stacked_on} was merged.`);
    return true;
  }
  await goBack();
  const why = shared.kind === 'refused' ? shared.why : 'someone else moved it';
  ci.warn(`${branch} could not be put on top of ${base.branch}: ${why}`);
  return false;
}
