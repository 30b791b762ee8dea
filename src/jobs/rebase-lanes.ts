/**
 * A lane that was built on another stands on its own when that one is merged: its commits, from where it left the
 * other, are put on top of the base. Only then, and never while something works on it or a person had a hand in it.
 */
import { look, type Project } from '../commands/project.ts';
import type { LaneLink } from '../core/record.ts';
import { isBelowMerged, rebaseOnBase } from '../engine/rebase-on-base.ts';
import type { Repository } from '../workspace/repository.ts';
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
  if (head === null || personCommits || project.view.tip(branch) === null) return false;
  const isAtWork = project.board.claims.some(({ lane }) => lane === branch);
  return !isAtWork && isBelowMerged(project, link);
}

async function rebaseOne(
  ci: Ci,
  project: Project,
  repository: Repository,
  { branch, head, tasks }: LaneWorld,
  link: LaneLink,
): Promise<boolean> {
  if (head === null) return false;
  const goBack = await rememberRefs(project.ledger);
  const stacked = { link, head, tasks: tasks.map(({ id }) => id) };
  const rebased = await rebaseOnBase(project, repository, stacked, ci.ports.now());
  if (rebased.kind === 'stays') {
    ci.say(`${branch} was not put on top of ${rebased.base}: ${rebased.why}.`);
    return false;
  }
  const shared = await share(project.ledger, rebased.move);
  if (shared.kind === 'shared') {
    ci.say(`${branch} stands on ${rebased.base} now: ${link.stacked_on} was merged.`);
    return true;
  }
  await goBack();
  const why = shared.kind === 'refused' ? shared.why : 'someone else moved it';
  ci.warn(`${branch} could not be put on top of ${rebased.base}: ${why}`);
  return false;
}
