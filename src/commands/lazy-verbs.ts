/** Verbs that need more than looking at tasks, or that nobody calls in a loop: loaded when called. */

import { command as agents } from './agents.ts';
import { command as approve } from './approve.ts';
import { command as assign } from './assign.ts';
import { command as breakdown } from './breakdown.ts';
import { command as check } from './check.ts';
import type { Command } from './command.ts';
import { command as completion } from './completion.ts';
import { command as config } from './config.ts';
import { command as context } from './context.ts';
import { command as deleteTask } from './delete.ts';
import { command as demo } from './demo.ts';
import { command as demoAgent } from './demo-agent.ts';
import { command as doctor } from './doctor.ts';
import { command as edit } from './edit.ts';
import { command as escalations } from './escalations.ts';
import { command as fsck } from './fsck.ts';
import { command as github } from './github.ts';
import { command as graph } from './graph.ts';
import { command as groups } from './groups.ts';
import { command as importTasks } from './import.ts';
import { command as improve } from './improve.ts';
import { command as init } from './init.ts';
import { command as kept } from './kept.ts';
import { command as linear } from './linear.ts';
import { command as log } from './log.ts';
import { command as milestones } from './milestones.ts';
import { command as pause } from './pause.ts';
import { command as pr } from './pr.ts';
import { command as prompt } from './prompt.ts';
import { command as rebase } from './rebase.ts';
import { command as release } from './release.ts';
import { command as reopen } from './reopen.ts';
import { command as report } from './report.ts';
import { command as reset } from './reset.ts';
import { command as resume } from './resume.ts';
import { command as retry } from './retry.ts';
import { command as review } from './review.ts';
import { command as run } from './run.ts';
import { command as score } from './score.ts';
import { command as skip } from './skip.ts';
import { command as split } from './split.ts';
import { command as stop } from './stop.ts';
import { command as summary } from './summary.ts';
import { command as sync } from './sync.ts';
import { command as tree } from './tree.ts';
import { command as unblock } from './unblock.ts';
import { command as watch } from './watch.ts';
import { command as where } from './where.ts';
import { command as why } from './why.ts';
import { command as work } from './work.ts';

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
