/**
 * Checks hold for a tree, so after a rebase (or when the base was merged into it) a finished lane's are run again:
 * as a step without an agent, through the same jobs, whose verify job is the only one that runs a team's code.
 */
import * as z from 'zod';
import type { Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { Verification } from '../../core/checks/verification.ts';
import type { StepRecord } from '../../core/ledger/record/record.ts';
import { isWork } from '../../core/policy/steps-so-far.ts';
import { nothingSaid } from '../../core/spool/spool.ts';
import { failureForPrompt } from '../../core/text/verification.ts';
import type { StepReport } from '../../engine/conclude/step-report.ts';
import type { StepJob } from '../../engine/engine.ts';
import { baseOf, laneOf } from '../../engine/loop/lane-of.ts';
import { claimStep } from '../../engine/loop/round.ts';
import type { Repository } from '../../git/repository.ts';
import { diffId } from '../../workspace/patch/lane-diff.ts';
import { type ClaimedLane, holderOf, writeJob } from '../pick/claims.ts';
import type { LaneWorld } from '../pick/lane-world.ts';
import type { ReadingCi } from './ci.ts';
import type { OpenJob } from './open-job.ts';
import { parseJson } from './parse-json.ts';

const minutes = 5;
/** Of one head; what does not end by then stays pending. */
const triesMax = 3;
const triesShape = z.strictObject({ head: z.string(), tries: z.int().min(0) });

/** Claims one check for each lane that needs it; those beyond `max` are for the next pick. */
export async function claimRechecks(
  ci: ReadingCi,
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

/** Whose work it was that is somewhere else now with the same diff. */
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
  ci: ReadingCi,
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
