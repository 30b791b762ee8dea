/** Pick, and then what people see of it: answers to their commands, pull requests, the board, the job's summary. */
import { wholeView } from '../commands/change-task.ts';
import { summariseProject } from '../commands/summary.ts';
import type { TaskView } from '../core/board.ts';
import { mergeLabels, pullLabels } from '../core/text/pull-title-and-labels.ts';
import { printStepSummary } from '../core/text/step-summary.ts';
import type { Forge, PullFacts } from '../forge/forge.ts';
import type { Ci } from './ci.ts';
import type { LaneWorld } from './lane-world.ts';
import { type Picked, pickJob } from './pick.ts';
import { tellBoard } from './tell-board.ts';
import { tellPull } from './tell-pull.ts';

export async function pickAndTell(ci: Ci): Promise<void> {
  const picked = await pickJob(ci);
  for (const { comment, reaction, text } of picked.intake.answers) {
    const forge = ci.forge();
    await forge.react(comment, reaction);
    if (text !== null) await forge.comment(comment.on, text);
  }
  for (const lane of picked.worlds.values()) await tellLane(ci, picked, lane);
  const { boardTicks, ended } = picked.intake;
  // A landing changes what the board should say, too, and so does a task that is pushed but may not start.
  const isNews = picked.wrote || ci.event.name === 'push';
  if (isNews || boardTicks.length > 0 || ended.size > 0) await tellBoard(ci, picked);
  tellSummary(ci, picked);
}

/** What a job that was killed did not get to say, and what became true since. */
async function tellLane(ci: Ci, picked: Picked, lane: LaneWorld): Promise<void> {
  const { project, decisions, intake } = picked;
  const { branch, head } = lane;
  // Folded just now: its pull request is over.
  if (project.view.tip(branch) === null || head === null || lane.leftAt === null) return;
  const answered = intake.ticks.get(lane.pull?.number ?? 0) ?? [];
  const isAtWork = project.board.claims.some((claim) => claim.lane === branch);
  // The job that is at work tells the rest when it lands.
  if (isAtWork && answered.length === 0) return;
  const tasks = await Promise.all(lane.tasks.map(({ id }) => wholeView(project, id)));
  const pull = await tellPull(ci, { project, decisions, branch, tasks, head, pull: lane.pull, answered });
  if (!isAtWork && pull && pull.state !== 'merged' && pull.state !== 'closed') {
    await tellState(ci.forge(), pull, tasks);
  }
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

function tellSummary(ci: Ci, { project, decisions, lanes }: Picked): void {
  const { board } = project;
  const rows = lanes.map(({ task, claim }) => {
    const held = board.claims.find(({ id }) => id === claim);
    return {
      task,
      step: held?.step ?? 'step',
      outcome: 'started',
      ...(held?.agent ? { agent: held.agent } : {}),
    };
  });
  const said =
    lanes.length === 0 ? 'Nothing was ready to start.' : `${lanes.length} of the ready tasks were started.`;
  const summary = summariseProject(project);
  ci.summary(printStepSummary({ job: 'pick', said, board, decisions, rows, summary }));
}
