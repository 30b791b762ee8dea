/** Pick, and then what people see of it: answers to their commands, pull requests, the board, the job's summary. */
import { wholeView } from '../commands/change-task.ts';
import { type GzaError, isGzaError } from '../core/errors.ts';
import type { TaskView } from '../core/board.ts';
import { inlineText } from '../core/text/inline-text.ts';
import { errorNotice } from '../core/text/notice.ts';
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
  for (const { branch, isAsked, text } of picked.rebased) {
    const pull = picked.worlds.get(branch)?.pull;
    if (isAsked && pull) await ci.forge().comment(pull.number, inlineText(text, 2_000));
  }
  await tellLanesAndBoard(ci, picked);
  tellSummary(ci, picked);
}

export async function tellLanesAndBoard(ci: Ci, picked: Picked): Promise<void> {
  const notices: string[] = [];
  const refused: GzaError[] = [];
  for (const lane of picked.worlds.values()) {
    try {
      await tellLane(ci, picked, lane, (notice) => notices.push(notice));
    } catch (error) {
      // What cannot be said of one lane keeps neither the others nor the board from being told.
      if (!isGzaError(error)) throw error;
      ci.warn(`${lane.branch}: ${error.message}${error.hint ? ` ${error.hint}` : ''}`);
      notices.push(errorNotice(lane.branch, error.message, error.hint));
      refused.push(error);
    }
  }
  await tellBoard(ci, picked, notices);
  // Lanes that were claimed begin only when this job ends well.
  if (refused[0] && picked.lanes.length === 0) throw refused[0];
}

/** What a job that was killed did not get to say, and what became true since. */
async function tellLane(
  ci: Ci,
  picked: Picked,
  lane: LaneWorld,
  onRefused: (notice: string) => void,
): Promise<void> {
  const { project, decisions, intake } = picked;
  const { branch, head, diff } = lane;
  // Folded just now: its pull request is over.
  if (project.view.tip(branch) === null || head === null || lane.leftAt === null) return;
  const answered = intake.ticks.get(lane.pull?.number ?? 0) ?? [];
  const isAtWork = project.board.claims.some((claim) => claim.lane === branch);
  // The job that is at work tells the rest when it lands.
  if (isAtWork && answered.length === 0) return;
  const tasks = await Promise.all(lane.tasks.map(({ id }) => wholeView(project, id)));
  const pull = await tellPull(ci, {
    project,
    decisions,
    branch,
    tasks,
    head,
    diff,
    pull: lane.pull,
    answered,
    onRefused,
  });
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
  ci.summary(printStepSummary({ job: 'pick', said, board, decisions, rows }));
}
