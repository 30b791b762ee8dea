/** Pick, and then what people see of it: answers to their commands, pull requests, the board, the job's summary. */
import { wholeView } from '../commands/change-task.ts';
import { summariseProject } from '../commands/summary.ts';
import { tellTrackers } from '../commands/tell-trackers.ts';
import { isGzaError } from '../core/errors.ts';
import { inlineText } from '../core/text/inline-text.ts';
import { errorNotice } from '../core/text/notice.ts';
import { printStepSummary } from '../core/text/step-summary.ts';
import type { Ci } from './ci.ts';
import { giveAgain, keepForNext, onlyOurs } from './kept-answers.ts';
import type { LaneWorld } from './lane-world.ts';
import type { Answer } from './obey.ts';
import { type Picked, pickJob } from './pick.ts';
import type { Rebased } from './rebase-lanes.ts';
import { share } from './share.ts';
import { tellBoard } from './tell-board.ts';
import { tellPull } from './tell-pull.ts';
import { tellState } from './tell-state.ts';

export async function pickAndTell(ci: Ci): Promise<void> {
  const picked = await pickJob(ci);
  const { kept } = picked.intake;
  const answers = await onlyOurs(ci, picked.project, picked.intake.answers);
  const failures: unknown[] = [];
  // What cannot be told in one place keeps nothing from being told in the others.
  const attempt = (tell: () => Promise<void>) => tell().catch((error: unknown) => void failures.push(error));
  for (const answer of kept) await attempt(() => giveAgain(ci.forge(), answer));
  const unsaid: Answer[] = [];
  for (const answer of answers) {
    const before = failures.length;
    await attempt(() => tellAnswer(ci, answer));
    if (failures.length > before) unsaid.push(answer);
  }
  for (const rebased of picked.rebased) await attempt(() => tellRebased(ci, picked, rebased));
  failures.push(...(await tellLanesAndBoard(ci, picked)));
  await tellSummary(ci, picked);
  // This pick is to end well, and a landing would take it for said.
  if (unsaid.length > 0 && picked.lanes.length > 0) await attempt(() => keepUnsaid(ci, picked, unsaid));
  await attempt(() => tellTeam(ci, picked));
  if (failures.length > 0) endWith(ci, failures, picked.lanes.length > 0);
}

async function keepUnsaid(ci: Ci, { project }: Picked, answers: readonly Answer[]): Promise<void> {
  await keepForNext(ci, project, answers);
  await share(project.ledger, null);
}

async function tellAnswer(ci: Ci, { comment, reaction, text }: Answer): Promise<void> {
  const forge = ci.forge();
  await forge.react(comment, reaction);
  if (text !== null) await forge.comment(comment.on, text);
}

/** A pick that failed starts none of the lanes that it claimed: then it only warns, and the next one tells the rest. */
export function endWith(ci: Ci, failures: readonly unknown[], hasClaimed: boolean): void {
  const broken = failures.find((error) => !isGzaError(error)) ?? (hasClaimed ? undefined : failures[0]);
  const others = failures.filter((error) => error !== broken).filter(isGzaError);
  for (const { message, hint } of others) ci.warn(`${message}${hint ? ` ${hint}` : ''}`);
  if (broken !== undefined) throw broken;
}

/** The team's tracker, last: nothing waits for it. What is kept of it goes out in a push of its own. */
async function tellTeam(ci: Ci, { project }: Picked): Promise<void> {
  const { ports } = ci;
  const env = { ...ports.env, GITHUB_TOKEN: ci.input('token') };
  const progress = (line: string) => (line.startsWith('warning: ') ? ci.warn(line.slice(9)) : ci.say(line));
  const { lines, wrote } = await tellTrackers(project, { ...ports, env, progress });
  for (const line of lines) ci.say(line);
  if (!wrote) return;
  try {
    await share(project.ledger, null);
  } catch (error) {
    if (!isGzaError(error)) throw error;
    ci.warn(`What Linear calls the tasks is not kept yet: ${error.message}`);
  }
}

async function tellRebased(ci: Ci, { worlds }: Picked, { branch, isAsked, text }: Rebased): Promise<void> {
  const pull = worlds.get(branch)?.pull;
  if (isAsked && pull) await ci.forge().comment(pull.number, inlineText(text, 2_000));
}

/** What could not be told; the board names it, where it can be written. */
export async function tellLanesAndBoard(ci: Ci, picked: Picked): Promise<unknown[]> {
  const notices: string[] = [];
  const failures: unknown[] = [];
  for (const lane of picked.worlds.values()) {
    try {
      await tellLane(ci, picked, lane, (notice) => notices.push(notice));
    } catch (error) {
      failures.push(error);
      if (isGzaError(error)) notices.push(errorNotice(lane.branch, error.message, error.hint));
    }
  }
  await tellBoard(ci, picked, notices).catch((error: unknown) => void failures.push(error));
  return failures;
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

async function tellSummary(ci: Ci, { project, decisions, lanes }: Picked): Promise<void> {
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
  const summary = await summariseProject(project);
  ci.summary(printStepSummary({ job: 'pick', said, board, decisions, rows, summary }));
}
