/** Land, and then the pull request. */
import { look } from '../commands/project.ts';
import { decide } from '../core/decide.ts';
import type { Ci } from './ci.ts';
import { ciFacts } from './ci-facts.ts';
import { landJob } from './land.ts';
import { lanesOf } from './lane-world.ts';
import { tellPull } from './tell-pull.ts';

export async function landAndTell(ci: Ci): Promise<void> {
  const landed = await landJob(ci);
  const branch = landed?.opened.job.lane?.link.branch;
  if (!landed || branch === undefined) return;
  const { workspace } = landed.opened;
  const project = await look(landed.opened.project, ci.ports);
  const found = await ci.forge().pullsOfBranches([branch]);
  const pulls = found.filter(({ state, closedWithBase }) => state !== 'closed' || !closedWithBase);
  const worlds = await lanesOf(project, workspace.repository, pulls);
  const lane = worlds.get(branch);
  if (!lane || lane.head === null) return;
  const decisions = decide(await ciFacts(project, worlds, new Set()));
  await tellPull(ci, { project, decisions, branch, tasks: lane.tasks, head: lane.head, pull: lane.pull });
}
