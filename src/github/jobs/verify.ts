/** The verify job: applies the patch on a fresh machine without secrets and runs the task's own checks. */

import { join } from 'node:path';
import * as z from 'zod';
import type { Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { Verification } from '../../core/checks/verification.ts';
import { GzaError } from '../../core/errors.ts';
import type { StepRecord } from '../../core/ledger/record/record.ts';
import { isWork } from '../../core/policy/steps-so-far.ts';
import { parseJson } from '../../core/shape.ts';
import { nothingSaid } from '../../core/spool/spool.ts';
import { describeVerification, failureForPrompt } from '../../core/text/review.ts';
import {
  checkBaseline,
  checksOfStep,
  mayBlameBase,
  projectChecks,
  verify,
} from '../../engine/checks/verify.ts';
import { policyOf, saveStep } from '../../engine/conclude/save-step.ts';
import type { StepReport } from '../../engine/conclude/step-report.ts';
import { changesFiles, type StepJob } from '../../engine/engine.ts';
import { baseOf, laneOf } from '../../engine/loop/lane-of.ts';
import { claimStep } from '../../engine/loop/round.ts';
import { stateDirOf } from '../../engine/loop/state-dir.ts';
import type { Repository } from '../../git/repository.ts';
import { objectFolders } from '../../workspace/clone-folder.ts';
import { diffId } from '../../workspace/patch/lane-diff.ts';
import { type ClaimedLane, holderOf, writeJob } from '../pick/claims.ts';
import type { LaneWorld } from '../pick/lane-world.ts';
import type { JobContext, ReadingContext } from './job-context.ts';
import { type OpenJob, openJob, printVerification, readLeft, writeVerification } from './open-job.ts';

export async function verifyJob(ci: JobContext): Promise<void> {
  const dir = join(ci.temp, 'gza-verified');
  ci.output('verified', dir);
  const opened = await openJob(ci);
  if (!opened) return ci.say('The claim is not held any more, so nothing is checked.');
  if (!changesFiles(opened.job.step)) return ci.say('This step changes no files: nothing to check.');
  const verification = await checkPatch(ci, opened);
  await writeVerification(dir, printVerification(verification));
  const text = describeVerification(verification);
  ci.say(text);
  if (!verification.ok) throw new GzaError('refused', text);
}

async function checkPatch(ci: JobContext, opened: OpenJob): Promise<Verification> {
  const { job, project, view, workspace } = opened;
  const { ports } = ci;
  const clone = await workspace.createClone({
    name: `${job.id}.verify.${job.claim.slice(0, 12)}`,
    branch: job.lane?.link.branch ?? `gza-look/${job.id}`,
    start: await commitToCheck(ci, opened),
    base: job.base,
    purpose: 'review',
  });
  const verification = await verify({
    ...checksOfStep({ project, view, job, caller: ports.env, stateDir: stateDirOf(project) }),
    treeDir: clone.treeDir,
    read: await objectFolders(workspace.repository.objectsDir),
    signal: ports.signal,
    onLine: (line) => ci.say(`| ${line}`),
  });
  const commands = projectChecks({ project, view });
  const commit = job.lane?.link.fork_point;
  // A stacked lane is not compared with the base: the branch below it passed its checks when it was made.
  if (verification.ok || !commands || !commit || job.lane?.link.stacked_on || !mayBlameBase(verification))
    return verification;
  ci.say(`The same on the untouched base, ${commit.slice(0, 12)}:`);
  const baseline = await checkBaseline({
    project,
    view,
    workspace,
    commands,
    base: { branch: job.base.branch, commit },
    caller: ports.env,
    name: `${job.id}.baseline.${job.claim.slice(0, 12)}`,
    signal: ports.signal,
    onLine: (line) => ci.say(`| ${line}`),
  });
  if (!baseline?.failed) return verification;
  return { ...verification, baseline: { commit, failed: baseline.failed } };
}

/** Makes the commit that the landing job will make, through the same guard. */
async function commitToCheck(ci: JobContext, { job, project, view, workspace }: OpenJob): Promise<string> {
  const found = await readLeft(ci.input('left'), job);
  if (found.kind !== 'left') {
    const why = found.kind === 'nothing' ? 'the agent’s job left nothing' : found.why;
    throw new GzaError('refused', `there is nothing to check: ${why}`);
  }
  const onto = job.lane?.head ?? job.base.commit;
  const saved = await saveStep({
    repository: workspace.repository,
    onto,
    left: found.left,
    purpose: { kind: 'step' },
    title: view.task.title,
    taskId: job.id,
    policy: policyOf(project.settings(view.task), project.config),
    date: new Date(ci.ports.now()),
    compareWith: onto,
  });
  if (saved.kind === 'refused')
    throw new GzaError('refused', `the patch is not taken:\n${saved.why.slice(0, 5000)}`);
  return saved.kind === 'saved' ? saved.commit : onto;
}

const minutes = 5;
/** Tries for one head. If no check ends by then, it stays pending. */
const triesMax = 3;
const triesShape = z.strictObject({ head: z.string(), tries: z.int().min(0) });

/** Claims one check for each lane that needs it. The next pick claims those beyond `max`. */
export async function claimRechecks(
  ci: ReadingContext,
  project: Project,
  repository: Repository,
  worlds: ReadonlyMap<string, LaneWorld>,
  max: number,
): Promise<ClaimedLane[]> {
  const claimed: ClaimedLane[] = [];
  for (const lane of worlds.values()) {
    if (claimed.length >= max) break;
    const view = taskToRecheck(project, lane);
    const tries = view ? await triesOf(project, lane) : triesMax;
    if (!view || tries >= triesMax) continue;
    const one = await claimRecheck(ci, project, repository, await wholeView(project, view.id), lane, tries);
    if (one) claimed.push(one);
  }
  return claimed;
}

/** The task whose work has the same diff but is now at another commit, for example after a rebase. */
function taskToRecheck({ board }: Project, lane: LaneWorld): TaskView | null {
  const { head, leftAt, diff, pull, tasks, branch } = lane;
  if (head === null || leftAt === null || head === leftAt || diff === null || lane.personCommits) return null;
  if (pull?.state !== 'open' && pull?.state !== 'draft') return null;
  if (board.claims.some((claim) => claim.lane === branch)) return null;
  if (!tasks.every(({ record }) => record?.closed_at !== undefined)) return null;
  const task = tasks.find(
    ({ record }) => record?.closed_as === 'done' && lastWork(record.steps)?.head === leftAt,
  );
  const step = lastWork(task?.record?.steps);
  return task && step?.verified !== undefined && step.diff === diff ? task : null;
}

function lastWork(steps: readonly StepRecord[] | undefined): StepRecord | undefined {
  return steps?.findLast(({ step, head }) => isWork(step) && head !== undefined);
}

function triesMark(branch: string): string {
  return `recheck:${branch}`;
}

async function triesOf({ view }: Project, { branch, head }: LaneWorld): Promise<number> {
  const text = (await view.meta(view.base))?.marks?.[triesMark(branch)] ?? 'null';
  const parsed = triesShape.safeParse(parseJson(text));
  return parsed.success && parsed.data.head === head ? parsed.data.tries : 0;
}

async function claimRecheck(
  ci: ReadingContext,
  project: Project,
  repository: Repository,
  view: TaskView,
  { branch, head }: LaneWorld,
  tries: number,
): Promise<ClaimedLane | null> {
  const { ports } = ci;
  const base = await baseOf(project, repository);
  const job: StepJob = {
    id: view.id,
    step: 'improve',
    cycle: view.record?.review_cycle ?? 0,
    isRecheck: true,
    agent: 'gza',
    timeoutMinutes: minutes,
    lane: await laneOf(project, repository, view, base, ports.random),
    base,
    claim: ports.random(),
  };
  const value = JSON.stringify({ head, tries: tries + 1 });
  const claimed = await claimStep(holderOf(ci), project, view, job, null);
  if (claimed.kind !== 'claimed') {
    ci.say(`${job.id}: ${claimed.detail}`);
    return null;
  }
  ci.say(`${job.id}: its checks run again, as ${branch} stands elsewhere now`);
  const at = ports.now();
  return writeJob(project, job, at, [{ kind: 'mark', at, name: triesMark(branch), value }]);
}

/**
 * Checks are valid for one tree only. After a rebase, or when the base was merged in, a finished lane is
 * checked again: as a step without an agent, through the same jobs, because only the verify job runs a team's
 * code.
 */
export async function recheckReport(
  { job, workspace, claim, view }: OpenJob,
  verification: Verification,
  at: string,
): Promise<StepReport | null> {
  const { lane } = job;
  if (lane === null) return null;
  const { ok } = verification;
  const outcome = ok ? 'ok' : 'failed';
  const error = ok ? undefined : failureForPrompt(verification);
  const cycle = lastWork(view.record?.steps)?.cycle;
  const gist = ok ? 'its checks pass where it stands now' : 'its checks fail where it stands now';
  return {
    record: {
      step: 'implement',
      outcome,
      started_at: claim.at,
      ended_at: at,
      agent: job.agent,
      head: lane.head,
      diff: await diffId(workspace.repository, { base: lane.compareWith, head: lane.head }),
      verified: ok,
      ...(cycle === undefined ? {} : { cycle }),
      ...(error === undefined ? {} : { error }),
    },
    judged: { outcome, ...(error === undefined ? {} : { error }) },
    commit: null,
    artifacts: [],
    notes: [],
    remarks: [],
    spool: nothingSaid,
    gist,
    log: '',
  };
}
