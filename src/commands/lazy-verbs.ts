/** Verbs that need more than looking at tasks, or that nobody calls in a loop: loaded when called. */

import type { Command } from '../app/command.ts';
import { command as breakdown } from './file/breakdown.ts';
import { command as deleteTask } from './file/delete.ts';
import { command as edit } from './file/edit.ts';
import { command as importTasks } from './file/import.ts';
import { command as score } from './file/score.ts';
import { command as split } from './file/split.ts';
import { command as demo } from './run/demo.ts';
import { command as demoAgent } from './run/demo-agent.ts';
import { command as escalations } from './run/escalations.ts';
import { command as improve } from './run/improve.ts';
import { command as kept } from './run/kept.ts';
import { command as prompt } from './run/prompt.ts';
import { command as resume } from './run/resume.ts';
import { command as review } from './run/review.ts';
import { command as run } from './run/run.ts';
import { command as work } from './run/work.ts';
import { command as agents } from './see/agents.ts';
import { command as context } from './see/context.ts';
import { command as graph } from './see/graph.ts';
import { command as groups } from './see/groups.ts';
import { command as log } from './see/log.ts';
import { command as milestones } from './see/milestones.ts';
import { command as pr } from './see/pr.ts';
import { command as report } from './see/report.ts';
import { command as summary } from './see/summary.ts';
import { command as tree } from './see/tree.ts';
import { command as watch } from './see/watch.ts';
import { command as where } from './see/where.ts';
import { command as why } from './see/why.ts';
import { command as check } from './setup/check.ts';
import { command as completion } from './setup/completion.ts';
import { command as config } from './setup/config.ts';
import { command as doctor } from './setup/doctor.ts';
import { command as fsck } from './setup/fsck.ts';
import { command as github } from './setup/github.ts';
import { command as init } from './setup/init.ts';
import { command as linear } from './setup/linear.ts';
import { command as sync } from './setup/sync.ts';
import { command as approve } from './steer/approve.ts';
import { command as assign } from './steer/assign.ts';
import { command as pause } from './steer/pause.ts';
import { command as rebase } from './steer/rebase.ts';
import { command as release } from './steer/release.ts';
import { command as reopen } from './steer/reopen.ts';
import { command as reset } from './steer/reset.ts';
import { command as retry } from './steer/retry.ts';
import { command as skip } from './steer/skip.ts';
import { command as stop } from './steer/stop.ts';
import { command as unblock } from './steer/unblock.ts';

export const lazyVerbs = {
  agents,
  approve,
  assign,
  breakdown,
  context,
  delete: deleteTask,
  edit,
  github,
  graph,
  groups,
  milestones,
  pause,
  pr,
  release,
  reopen,
  reset,
  retry,
  skip,
  tree,
  unblock,
  where,
  check,
  completion,
  config,
  demo,
  'demo-agent': demoAgent,
  doctor,
  escalations,
  fsck,
  import: importTasks,
  improve,
  kept,
  init,
  linear,
  log,
  prompt,
  rebase,
  report,
  resume,
  review,
  run,
  score,
  split,
  stop,
  summary,
  sync,
  watch,
  why,
  work,
} satisfies Record<string, Command>;
