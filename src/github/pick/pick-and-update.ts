/** Runs pick, then updates what people see: replies, pull requests, the board, the job's summary. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wholeView } from '../../app/tasks/change-task.ts';
import { type GzaError, isGzaError } from '../../core/errors.ts';
import { trapText } from '../../core/text/doctor/trap-texts.ts';
import { errorNotice, missingNotices, trapNotice } from '../../core/text/github/board-issue.ts';
import { printStepSummary } from '../../core/text/github/step-summary.ts';
import { count } from '../../core/text/terminal/lines.ts';
import { addSeconds } from '../../core/time.ts';
import type { JobContext } from '../jobs/job-context.ts';
import { isMissingPermission, sayMissing, updateBoard } from '../publish/posted-state.ts';
import { type PullInput, updatePull } from '../publish/update-pull.ts';
import { dispatchAnswer, isDryRun } from './dispatch.ts';
import type { LaneWorld } from './lane-world.ts';
import { judgeMerges, type Merging, mergeLanes } from './merge-lanes.ts';
import { type Picked, pickJob } from './pick.ts';
import { pushState } from './push-state.ts';
import { keepForNext, onlyOurs, type Reply, say } from './replies.ts';
import { hasWorkflows } from './team-checks.ts';

export async function pickAndUpdate(ci: JobContext): Promise<void> {
  const picked = await pickJob(ci);
  if (isDryRun(ci)) return tellSummary(ci, picked);
  const { kept } = picked.intake;
  const answers = await onlyOurs(ci, picked.project, picked.intake.answers);
  const failures: unknown[] = [...picked.failures];
  // A failure in one place must not prevent the other updates.
  const attempt = (tell: () => Promise<void>) => tell().catch((error: unknown) => void failures.push(error));
  const unsaid: Reply[] = [];
  const remarks = picked.rebased.flatMap(({ remark }) => remark ?? []);
  const owed = [...kept, ...answers, ...remarks];
  for (const [at, one] of owed.entries()) {
    const before = failures.length;
    await attempt(() => say(ci.forge(), one, at < kept.length));
    if (failures.length > before) unsaid.push(one);
  }
  const waiting: string[] = [];
  await attempt(async () => void waiting.push(...(await waitingChecks(ci, picked))));
  let merges: ReadonlyMap<string, Merging> = new Map();
  await attempt(async () => void (merges = await judgeMerges(ci, picked)));
  failures.push(...(await updateLanesAndBoard(ci, { ...picked, merges }, waiting)));
  await attempt(() => mergeLanes(ci, picked, merges.values()));
  tellSummary(ci, picked);
  // After failures, the run's result does not show what was posted, so the missing replies are stored.
  if (owed.length > 0 && failures.length > 0) await attempt(() => keepUnsaid(ci, picked, unsaid));
  if (failures.length > 0) endWith(ci, failures, picked.lanes.length > 0);
}

async function keepUnsaid(ci: JobContext, { project }: Picked, unsaid: readonly Reply[]): Promise<void> {
  await keepForNext(ci, project, unsaid);
  await pushState(ci, project.ledger, []);
}

/**
 * Ends with the failure, unless lanes were claimed: a failed pick would start none of them. Then it only
 * warns, and the next pick completes the rest.
 */
export function endWith(ci: JobContext, all: readonly unknown[], hasClaimed: boolean): void {
  const missing = all.filter(isMissingPermission);
  if (missing.length > 0) sayMissing(ci, missing);
  const failures = all.filter((error) => !isMissingPermission(error));
  const broken = failures.find((error) => !isGzaError(error)) ?? (hasClaimed ? undefined : failures[0]);
  const others = failures.filter((error) => error !== broken).filter(isGzaError);
  for (const { message, hint } of others) ci.warn(`${message}${hint ? ` ${hint}` : ''}`);
  if (broken !== undefined) throw broken;
}

interface Posted extends Picked {
  /** Branch → how its merge was judged. */
  readonly merges?: ReadonlyMap<string, Merging>;
}

/** Returns the failures. The board lists them, if it can be written. */
export async function updateLanesAndBoard(
  ci: JobContext,
  picked: Posted,
  before: readonly string[] = [],
): Promise<unknown[]> {
  const notices = [...before];
  const failures: unknown[] = [];
  const missing: GzaError[] = [];
  const told = {
    onRefused: (notice: string) => void notices.push(notice),
    onMissing: (error: GzaError) => void missing.push(error),
  };
  for (const lane of picked.worlds.values()) {
    try {
      await tellLane(ci, picked, lane, told);
    } catch (error) {
      failures.push(error);
      if (isGzaError(error)) notices.push(errorNotice(lane.branch, error.message, error.hint));
    }
  }
  notices.push(...missingNotices(missing));
  const { boardTicks } = picked.intake;
  await updateBoard(ci, { ...picked, boardTicks }, notices).catch(
    (error: unknown) => void failures.push(error),
  );
  return [...missing, ...failures];
}

/** Posts what a killed job did not, and what has changed since. */
async function tellLane(
  ci: JobContext,
  picked: Posted,
  lane: LaneWorld,
  told: Required<Pick<PullInput, 'onRefused' | 'onMissing'>>,
): Promise<void> {
  const { project, decisions, intake } = picked;
  const { branch, head, diff } = lane;
  // The lane was folded just now, so its pull request is finished.
  if (project.view.tip(branch) === null || head === null || lane.leftAt === null) return;
  const answered = intake.ticks.get(lane.pull?.number ?? 0) ?? [];
  const isAtWork = project.board.claims.some((claim) => claim.lane === branch);
  // The job that works on it posts the rest when it lands.
  if (isAtWork && answered.length === 0) return;
  const tasks = await Promise.all(lane.tasks.map(({ id }) => wholeView(project, id)));
  const merging = picked.merges?.get(branch)?.judged;
  await updatePull(ci, {
    ...(merging && merging.kind !== 'merge' ? { merging: merging.because } : {}),
    project,
    decisions,
    branch,
    tasks,
    head,
    diff,
    pull: lane.pull,
    answered,
    isAtRest: !isAtWork,
    ...told,
  });
}

function tellSummary(ci: JobContext, { project, decisions, lanes, intake, boardIssue }: Picked): void {
  const { board } = project;
  const rows = lanes.map(({ task, claim }) => {
    const held = board.claims.find(({ id }) => id === claim);
    return {
      task,
      step: held?.step ?? 'step',
      outcome: isDryRun(ci) ? 'would start' : 'started',
      ...(held?.agent ? { agent: held.agent } : {}),
    };
  });
  const tasks = count(lanes.length, 'task');
  const did = isDryRun(ci) ? `Would start ${tasks}; nothing was written.` : `Started ${tasks}.`;
  const started = lanes.length === 0 ? 'Nothing was ready to start.' : did;
  const asked = intake.dispatched ? dispatchAnswer(intake.dispatched, decisions, lanes) : null;
  if (asked?.isDone === false) ci.warn(asked.text);
  const said = asked?.isDone === true ? `${asked.text} ${started}` : started;
  const notices = asked?.isDone === false ? [asked.text] : [];
  const isShown = boardIssue !== null && !isDryRun(ci);
  ci.summary(
    printStepSummary({ job: 'pick', said, rows, notices, board: isShown ? undefined : { board, decisions } }),
  );
}

const awaitsQuery = 'query=is%3Aaction_required';
/** Runs wait for approval only after a push. Pull requests that have not changed for longer are skipped. */
const waitingSeconds = 12 * 3600;

/** Checks of pull requests that a person must approve, as one line of the board for as long as they wait. */
export async function waitingChecks(
  ci: JobContext,
  { project, worlds, boardIssue }: Pick<Picked, 'project' | 'worlds' | 'boardIssue'>,
): Promise<string[]> {
  const isNamed = boardIssue?.body.includes(awaitsQuery) === true;
  const since = addSeconds(ci.ports.now(), -waitingSeconds);
  const atWork = new Set(project.board.claims.map(({ lane }) => lane));
  // Pull requests that gza still pushes to are left out: their checks would need another approval.
  const resting = [...worlds.values()].filter(
    ({ branch, pull }) =>
      !atWork.has(branch) &&
      (pull?.state === 'open' || pull?.state === 'draft') &&
      (isNamed || pull.updatedAt >= since),
  );
  if (resting.length === 0 || !(await hasWorkflows(ci, /\bpull_request\b/))) return [];
  const runs = await ci.forge().waitingRuns();
  // gza starts these workflows itself, so they need no approval.
  const waiting = runs.filter(({ workflow }) => !project.config.ci_workflow.includes(workflow));
  const heads = new Set(waiting.map(({ commit }) => commit));
  const pulls = resting.flatMap(({ head, pull }) =>
    pull && head !== null && heads.has(head) ? [pull.number] : [],
  );
  if (pulls.length === 0) return [];
  const trap = { kind: 'runs-await-approval', pulls: pulls.toSorted((a, b) => a - b) } as const;
  const page = `${ci.run.url.split('/actions/')[0]}/actions?${awaitsQuery}`;
  return [trapNotice(trap, `[All that wait](${page})`)];
}

const note = '.gza-agent-was-here';

/**
 * Detects self-hosted runners that keep their disk between jobs. There an agent's files could reach a job
 * whose token can write. An agent's job leaves a note, and a writing job that finds it warns.
 */
export function checkMachine(ci: JobContext, job: string): void {
  const { env } = ci.ports;
  const home = env['HOME'];
  if (env['RUNNER_ENVIRONMENT'] !== 'self-hosted' || home === undefined || home === '') return;
  const file = join(home, note);
  if (job === 'agent') writeNote(file);
  if ((job === 'pick' || job === 'land') && existsSync(file)) {
    const runner = env['RUNNER_NAME'] ?? 'of this job';
    const { happened, kept, next } = trapText({ kind: 'runner-not-ephemeral', runner });
    ci.warn(`${happened} ${kept} What to do: ${next.join('; ')}.`);
  }
}

function writeNote(file: string): void {
  try {
    writeFileSync(file, 'An agent of gza ran on this machine.\n', { flag: 'wx', mode: 0o600 });
  } catch {
    // The note exists already, or the home cannot be written: then an agent can keep nothing there either.
  }
}
