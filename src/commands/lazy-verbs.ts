/** Verbs that need more than looking at tasks, or that nobody calls in a loop: loaded when called. */
import type { Command } from './command.ts';
import { command as breakdown } from './breakdown.ts';
import { command as check } from './check.ts';
import { command as completion } from './completion.ts';
import { command as config } from './config.ts';
import { command as demo } from './demo.ts';
import { command as demoAgent } from './demo-agent.ts';
import { command as escalations } from './escalations.ts';
import { command as fsck } from './fsck.ts';
import { command as importTasks } from './import.ts';
import { command as improve } from './improve.ts';
import { command as init } from './init.ts';
import { command as log } from './log.ts';
import { command as prompt } from './prompt.ts';
import { command as report } from './report.ts';
import { command as resume } from './resume.ts';
import { command as review } from './review.ts';
import { command as run } from './run.ts';
import { command as score } from './score.ts';
import { command as split } from './split.ts';
import { command as summary } from './summary.ts';
import { command as sync } from './sync.ts';
import { command as watch } from './watch.ts';
import { command as why } from './why.ts';
import { command as work } from './work.ts';

export const lazyVerbs = {
  breakdown,
  check,
  completion,
  config,
  demo,
  'demo-agent': demoAgent,
  escalations,
  fsck,
  import: importTasks,
  improve,
  init,
  log,
  prompt,
  report,
  resume,
  review,
  run,
  score,
  split,
  summary,
  sync,
  watch,
  why,
  work,
} satisfies Record<string, Command>;
