/** Verbs that do more than show tasks, or that nobody calls in a loop. They are loaded only when called. */
import type { Command } from '../app/command.ts';
import { command as breakdown } from './file/breakdown.ts';
import { deleteTask } from './file/delete.ts';
import { command as edit } from './file/edit.ts';
import { command as importTasks } from './file/import.ts';
import { score, split } from './file/sizes.ts';
import { command as demo } from './run/demo.ts';
import { command as demoAgent } from './run/demo-agent.ts';
import { escalations } from './run/escalations.ts';
import { improve, resume, review, verify } from './run/follow-up.ts';
import { command as kept } from './run/kept.ts';
import { prompt } from './run/prompt.ts';
import { command as runHere } from './run/run.ts';
import { command as start } from './run/start.ts';
import { command as work } from './run/work.ts';
import { checkout, diff, unmerged } from './see/branches.ts';
import { log, pr } from './see/commits.ts';
import { groups, milestones, summary } from './see/counts.ts';
import { agents, graph, why } from './see/decisions.ts';
import { context, tree, where } from './see/outlines.ts';
import { command as report } from './see/report.ts';
import { search } from './see/search.ts';
import { command as simulate } from './see/simulate.ts';
import { stats } from './see/stats.ts';
import { command as watch } from './see/watch.ts';
import { command as check } from './setup/check.ts';
import { command as config } from './setup/config.ts';
import { command as doctor } from './setup/doctor.ts';
import { command as fsck } from './setup/fsck.ts';
import { completion } from './setup/help.ts';
import { command as init } from './setup/init.ts';
import { command as sync } from './setup/sync.ts';
import { github, linear } from './setup/trackers.ts';
import { release } from './steer/claim.ts';
import { merge } from './steer/merge.ts';
import { steerVerbs } from './steer/steer.ts';

const file = { breakdown, delete: deleteTask, edit, import: importTasks, score, split };
const see = {
  agents,
  checkout,
  context,
  diff,
  graph,
  groups,
  log,
  milestones,
  pr,
  report,
  search,
  simulate,
  stats,
  summary,
  tree,
  unmerged,
  watch,
  where,
  why,
};
const run = {
  demo,
  'demo-agent': demoAgent,
  escalations,
  improve,
  kept,
  prompt,
  resume,
  review,
  run: runHere,
  start,
  verify,
  work,
};
const setup = { check, completion, config, doctor, fsck, github, init, linear, sync };

export const lazyVerbs = {
  ...file,
  ...see,
  ...run,
  ...steerVerbs,
  merge,
  release,
  ...setup,
} satisfies Record<string, Command>;
