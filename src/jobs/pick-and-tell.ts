/** Pick, and then what people see of it: answers to their commands, and pull requests that no job is at work on. */
import { wholeView } from '../commands/change-task.ts';
import type { TaskView } from '../core/board.ts';
import { mergeLabels, pullLabels } from '../core/text/pull-title-and-labels.ts';
import type { Forge, PullFacts } from '../forge/forge.ts';
import type { Ci } from './ci.ts';
import type { LaneWorld } from './lane-world.ts';
import { type Picked, pickJob } from './pick.ts';
import { tellPull } from './tell-pull.ts';

export async function pickAndTell(ci: Ci): Promise<void> {
  const picked = await pickJob(ci);
  for (const { comment, reaction, text } of picked.intake.answers) {
    const forge = ci.forge();
    await forge.react(comment, reaction);
    if (text !== null) await forge.comment(comment.on, text);
  }
  for (const lane of picked.worlds.values()) await tellLane(ci, picked, lane);
}

/** What a job that was killed did not get to say, and what became true since. */
async function tellLane(ci: Ci, picked: Picked, lane: LaneWorld): Promise<void> {
  const { project, decisions } = picked;
  const { branch, head } = lane;
  // Folded just now: its pull request is over.
  if (project.view.tip(branch) === null) return;
  const isAtWork = project.board.claims.some((claim) => claim.lane === branch);
  if (isAtWork || head === null || lane.leftAt === null) return;
  const tasks = await Promise.all(lane.tasks.map(({ id }) => wholeView(project, id)));
  const pull = await tellPull(ci, { project, decisions, branch, tasks, head, pull: lane.pull });
  if (pull && pull.state !== 'merged' && pull.state !== 'closed') await tellState(ci.forge(), pull, tasks);
}

async function tellState(forge: Forge, pull: PullFacts, tasks: readonly TaskView[]): Promise<void> {
  const wanted = mergeLabels(pull.labels, pullLabels(tasks));
  const has = (list: readonly string[], label: string) =>
    list.some((one) => one.toLowerCase() === label.toLowerCase());
  const add = wanted.filter((label) => !has(pull.labels, label));
  const remove = pull.labels.filter((label) => !has(wanted, label));
  if (add.length + remove.length > 0) await forge.changeLabels(pull.number, { add, remove });
  const isReady = tasks.every(({ record }) => record?.closed_at !== undefined);
  if (pull.isOurs && isReady === (pull.state === 'draft')) await forge.markReady(pull.number, isReady);
}
