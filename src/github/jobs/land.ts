/**
 * The landing job turns the result of the agent's job into a commit, a record and a pull request. It never
 * runs any of that code. It concludes the step, and pushes the branch and the ledger together. When the host
 * refuses the push, it records the reason, so that every try counts. A claim covers a work step and its
 * review: the first landing continues with the review, and the second ends the claim. The landing that ends
 * it starts pick if there is anything to do.
 */
import { loadProject, type Project } from '../../app/project.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { GzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { TaskRecord } from '../../core/ledger/record/record.ts';
import type { Decision } from '../../core/policy/decide.ts';
import { boardIssueTitle, hasNotices, pushRefusal } from '../../core/text/github/board-issue.ts';
import { printStepSummary } from '../../core/text/github/step-summary.ts';
import { reviewContext, verifyContext } from '../../core/text/terminal/status-text.ts';
import { conclude } from '../../engine/conclude/conclude.ts';
import { branchMove, recordStep, type StepReport } from '../../engine/conclude/step-report.ts';
import { changesFiles, definedOf } from '../../engine/engine.ts';
import { boundedLeft, emptyLeft, type Left, runWithout } from '../../engine/left.ts';
import { readBranch } from '../../git/refs.ts';
import type { IssueFacts, PullFacts } from '../api/forge.ts';
import { askAgain, isUnanswered, jobMark, reviewClaim } from '../pick/claims.ts';
import { type LaneWorld, lanesOf } from '../pick/lane-world.ts';
import { waitingChecks } from '../pick/pick-and-update.ts';
import { pushState, receive, rememberRefs } from '../pick/push-state.ts';
import { repliesMark } from '../pick/replies.ts';
import { laneStatuses } from '../publish/lane-reviews.ts';
import {
  notePostedPull,
  nothingPosted,
  type OnMissing,
  postedBefore,
  printPostedNow,
  sayMissing,
  updateBoard,
} from '../publish/posted-state.ts';
import { setStatuses, updatePull } from '../publish/update-pull.ts';
import { decisionsNow, goOn, isStillWanted, isWorkForPick, wakePick } from './go-on.ts';
import type { JobContext } from './job-context.ts';
import { printStarts, startEvents } from './next.ts';
import {
  believedVerification,
  laneHistory,
  type OpenJob,
  openCheckout,
  openJob,
  readLeft,
  readVerification,
} from './open-job.ts';
import { recheckReport } from './verify.ts';

export interface Landed {
  readonly opened: OpenJob;
  readonly report: StepReport;
  /** Whether the lane's review begins in this run, under the rest of the claim. */
  readonly isHandedOn: boolean;
}

/** Null when the claim no longer exists, so that there is nothing to land. */
export async function landJob(ci: JobContext): Promise<Landed | null> {
  await openCheckout(ci);
  const opened = await openJob(ci);
  if (!opened) {
    ci.say('The claim is not held any more: what the agent left stays in the artifact of this run.');
    return null;
  }
  await laneHistory(opened);
  const judged = await (opened.job.isRecheck === true ? recheck(ci, opened) : concludeStep(ci, opened));
  if (judged === null) return giveBack(ci, opened);
  await notePostedPull(ci, opened.project, opened.job.id);
  const { report, isHandedOn } = await record(ci, opened, judged, ci.ports.now());
  ci.say(`${report.record.step} of ${opened.job.id}: ${report.record.verdict ?? report.record.outcome}`);
  if (report.judged.error) ci.say(report.judged.error);
  ci.output('outcome', report.record.outcome);
  ci.output('start', startsOf(ci, opened, report));
  ci.output('review', isHandedOn ? reviewClaim(opened.job.claim) : '');
  return { opened, report, isHandedOn };
}

async function recheck(ci: JobContext, opened: OpenJob): Promise<StepReport | null> {
  const result = ci.input('verify-result');
  if (result !== 'success' && result !== 'failure') return null;
  const verification = believedVerification(result, await readVerification(ci.input('verified')));
  return recheckReport(opened, verification, ci.ports.now());
}

async function giveBack(ci: JobContext, { job, project }: OpenJob): Promise<null> {
  const at = ci.ports.now();
  await project.ledger.write(async (view) => ({
    changes: [
      {
        branch: view.base,
        events: [
          { kind: 'mark', at, name: jobMark(job.claim), value: null },
          { kind: 'release', at, claim: job.claim, why: 'its checks did not end' },
        ],
      },
    ],
  }));
  await pushState(ci, project.ledger, []);
  ci.say('The checks did not come to an end; the next pick runs them again.');
  return null;
}

function startsOf(
  ci: JobContext,
  { job: { lane }, project: { config } }: OpenJob,
  report: StepReport,
): string {
  if (!lane || !isToStart(report)) return '';
  const { branch } = lane.link;
  return printStarts(
    ci,
    config.ci_workflow.map((workflow) => ({ workflow, branch })),
  );
}

function isToStart({ commit, record }: StepReport): boolean {
  return commit !== null && record.outcome === 'ok';
}

async function concludeStep(ci: JobContext, opened: OpenJob): Promise<StepReport> {
  const { job, project, view, workspace } = opened;
  const checks = changesFiles(job.step)
    ? believedVerification(ci.input('verify-result'), await readVerification(ci.input('verified')))
    : null;
  const input = { project, view, job, repository: workspace.repository, clone: null };
  return (await conclude(input, await leftByAgent(ci, opened), checks)).report;
}

async function leftByAgent(ci: JobContext, { job, claim }: OpenJob): Promise<Left> {
  const now = ci.ports.now();
  const found = await readLeft(ci.input('left'), job);
  if (found.kind === 'left') return boundedLeft(found.left, job, { from: claim.at, now });
  const result = ci.input('agent-result');
  const why =
    found.kind === 'unreadable'
      ? `what the agent’s job left cannot be read: ${found.why}`
      : `the agent’s job ended (${result || 'without a result'}) and left nothing`;
  const isCancelled = result === 'cancelled' || result === 'skipped';
  const kind = isCancelled ? 'cancelled' : found.kind === 'unreadable' ? 'crash' : 'died';
  const run = runWithout(job, kind, why);
  return emptyLeft(job, { started_at: claim.at, ended_at: now }, [run]);
}

async function record(
  ci: JobContext,
  opened: OpenJob,
  report: StepReport,
  at: string,
): Promise<Pick<Landed, 'report' | 'isHandedOn'>> {
  const { job, project, workspace } = opened;
  const branch = branchMove(job, report);
  const moved = branch
    ? ((await readBranch(workspace.repository, job.lane?.link.branch ?? ''))?.oid ?? null)
    : null;
  if (branch && moved !== branch.from) return recordWithout(ci, opened, report, movedStop, at);
  const goBack = await rememberRefs(project.ledger);
  const { lane } = job;
  // If this job dies before the next one starts these workflows, the next pick does.
  const starts =
    lane && isToStart(report) ? startEvents(ci, project, lane.link.branch, report.commit ?? '') : [];
  await write(opened, report, at, starts);
  const isHandedOn = await goOn(ci, opened, report);
  const shared = await pushState(ci, project.ledger, branch ? [branch] : []);
  switch (shared.kind) {
    case 'shared':
      return { report, isHandedOn: isHandedOn && (!shared.isJoined || (await isStillWanted(ci, opened))) };
    case 'nothing':
      return { report, isHandedOn };
    case 'refused':
      await goBack();
      return recordWithout(ci, opened, report, pushStop(opened, shared.why), at);
    case 'moved':
      await goBack();
      return recordWithout(ci, opened, report, movedStop, at);
  }
}

function pushStop({ job }: OpenJob, said: string) {
  const branch = job.lane?.link.branch ?? 'its branch';
  return { reason: 'push-refused', detail: pushRefusal(branch, said).slice(0, 3_500) };
}

const movedStop = {
  reason: 'branch-moved',
  detail: 'someone pushed to its branch while the step ran; its work is in the artifact of the run',
};

/** Pushes only the ledger, with the reason for the failure, so that the try counts and a person is asked. */
async function recordWithout(
  ci: JobContext,
  opened: OpenJob,
  report: StepReport,
  stop: { readonly reason: string; readonly detail: string },
  at: string,
): Promise<Pick<Landed, 'report' | 'isHandedOn'>> {
  const { diff: _diff, verified: _verified, ...step } = report.record;
  const without: StepReport = {
    ...report,
    commit: null,
    judged: { outcome: 'failed', error: stop.detail, stop },
    record: {
      ...step,
      outcome: 'failed',
      error: stop.detail,
      ...(opened.job.lane ? { head: opened.job.lane.head } : {}),
    },
  };
  await write(opened, without, at);
  await pushState(ci, opened.project.ledger, []);
  return { report: without, isHandedOn: false };
}

/** Requests again what a person asked for, if this try did not answer it. */
function askedAgain(
  { wish, id }: OpenJob['job'],
  { judged, record }: StepReport,
  task: TaskRecord | undefined,
  marks: Readonly<Record<string, string>>,
  at: string,
): Event[] {
  const isStopped = judged.stop !== undefined || task?.stop !== undefined || task?.paused_at !== undefined;
  if (!wish || !isUnanswered(record, isStopped)) return [];
  return askAgain(id, wish, { marks, outcome: record.outcome, at });
}

async function write(
  { job, claim, project, workspace }: OpenJob,
  report: StepReport,
  at: string,
  also: readonly Event[] = [],
): Promise<void> {
  const { ledger, config } = project;
  await ledger.write(async (view) => {
    const marks = (await view.meta(view.base))?.marks ?? {};
    const names = [jobMark(job.claim), repliesMark(claim.run ?? '')];
    const done = names.filter((name) => marks[name] !== undefined);
    const events: Event[] = [
      ...also,
      ...done.map((name): Event => ({ kind: 'mark', at, name, value: null })),
      ...askedAgain(job, report, (await view.task(job.id))?.record, marks, at),
    ];
    return { changes: [{ branch: view.base, events }] };
  });
  await recordStep(ledger, {
    job,
    report,
    at,
    agentTasks: config.agent_tasks,
    repository: workspace.repository,
  });
}

export async function landAndTell(ci: JobContext): Promise<void> {
  const landed = await landJob(ci);
  if (!landed) return;
  const { opened, isHandedOn } = landed;
  // When two jobs land at once, each reads the ledgers after its own push, so at least one sees both.
  if (!isHandedOn) await receive(ci, opened.project.ledger);
  const project = await loadProject(ci.ports, opened.project);
  tellSummary(ci, landed);
  const { lane, isWork } = await seenNow(opened, project);
  const missing: GzaError[] = [];
  const told = await tellLane(ci, landed, {
    project,
    lane,
    isWork,
    onMissing: (error) => missing.push(error),
  });
  if (missing.length > 0) sayMissing(ci, missing);
  if (isHandedOn) return;
  const isPickNeeded =
    isWork || missing.length > 0 || told.isRefused || !(await tellBoardAlone(ci, project, told));
  if (!isPickNeeded || (await wakePick(ci, opened.job.claim))) ci.output('done', 'true');
}

interface Seen {
  readonly project: Project;
  readonly lane: LaneWorld | null;
  readonly isWork: boolean;
  readonly onMissing: OnMissing;
}

async function seenNow(
  { job, workspace }: OpenJob,
  project: Project,
): Promise<Pick<Seen, 'lane' | 'isWork'>> {
  const branches = job.lane ? [job.lane.link.branch] : [];
  const worlds = await lanesOf(project, workspace.repository, [], branches);
  const isWork = await isWorkForPick(project, await decisionsNow(project, worlds), worlds);
  return { lane: worlds.get(branches[0] ?? '') ?? null, isWork };
}

interface LaneTold {
  readonly worlds: ReadonlyMap<string, LaneWorld>;
  readonly decisions: readonly Decision[];
  readonly boardIssue: IssueFacts | null;
  /** Whether GitHub refused the pull request, for the board. */
  readonly isRefused: boolean;
}

async function tellLane(
  ci: JobContext,
  { opened, report, isHandedOn }: Landed,
  { project, lane: before, isWork, onMissing }: Seen,
): Promise<LaneTold> {
  const { step } = report.record;
  const forge = ci.forge();
  const alone = before && before.head !== null ? { ...before, head: before.head } : null;
  // Set before the pull request is read, so that nothing comes between reading and writing it.
  const own = (alone ? laneStatuses(project, alone.tasks, alone) : []).filter(
    ({ context }) => context === (step === 'review' ? reviewContext : verifyContext),
  );
  const standing = await setStatuses(forge, own, nothingPosted, onMissing);
  const records = before?.tasks.flatMap(({ record }) => record ?? []) ?? [];
  const isKnown = records.some((one) => one.pull_request !== undefined);
  // After the very first step there is no pull request yet. If somebody opened one, opening it finds that.
  const isNew = !isKnown && records.flatMap(({ steps = [] }) => steps).length <= 1;
  const isRead = !isHandedOn && (!isNew || !isWork);
  const { pulls, issue } = isRead
    ? await forge.lanesAndIssue(alone && !isNew ? [alone.branch] : [], boardIssueTitle)
    : { pulls: [], issue: null };
  const { repository } = opened.workspace;
  const worlds = before
    ? await lanesOf(project, repository, pulls, [before.branch])
    : new Map<string, LaneWorld>();
  const decisions = await decisionsNow(project, worlds);
  const lane = worlds.get(before?.branch ?? '');
  let isRefused = false;
  let pull: PullFacts | null = null;
  // If the review follows in this run, the pull request is updated once, together with the review.
  if (alone && lane && !(isHandedOn && isKnown)) {
    const runs = ({ id }: TaskView) =>
      decisions.some(({ task, action }) => task === id && action.kind === 'run');
    pull = await updatePull(ci, {
      project,
      decisions,
      branch: alone.branch,
      tasks: lane.tasks,
      head: alone.head,
      diff: lane.diff,
      pull: lane.pull,
      isReviewFresh: step === 'review',
      // Other answers may be missing too, and a job that was killed may have posted them.
      isAnswerFresh: step === 'improve',
      isJustRead: true,
      isAtRest: !isHandedOn && !lane.tasks.some(runs),
      standing: { ...postedBefore(ci).statuses, ...standing },
      onMissing,
      onRefused: () => {
        isRefused = true;
      },
    });
  }
  // The pull request may have been opened just now.
  if (lane && pull) worlds.set(lane.branch, { ...lane, pull });
  if (isHandedOn) ci.output('told', printPostedNow(pull, standing));
  return { worlds, decisions, boardIssue: issue, isRefused };
}

/**
 * False when the board also shows other lanes or facts of GitHub that this job lacks. Then pick writes it.
 */
async function tellBoardAlone(
  ci: JobContext,
  project: Project,
  { worlds, decisions, boardIssue }: LaneTold,
): Promise<boolean> {
  if (hasNotices(boardIssue?.body ?? '')) return false;
  if ((await waitingChecks(ci, { project, worlds, boardIssue })).length > 0) return false;
  await updateBoard(ci, { project, decisions, boardIssue, boardTicks: [] }, []);
  return true;
}
function tellSummary(ci: JobContext, { opened, report }: Landed): void {
  const { job } = opened;
  const { record, gist } = report;
  const seconds = Math.round((Date.parse(record.ended_at) - Date.parse(record.started_at)) / 1000);
  const outcome = record.verdict ?? record.outcome;
  const row = {
    task: job.id,
    step: job.step,
    outcome,
    agent: job.agent,
    seconds,
    ...definedOf(record, ['reserved_usd', 'cost_usd', 'unpriced_tokens']),
  };
  const said = `${job.step} of ${job.id}: ${outcome}${gist ? ` (${gist})` : ''}`;
  ci.summary(printStepSummary({ job: 'land', said, rows: [row] }));
}
