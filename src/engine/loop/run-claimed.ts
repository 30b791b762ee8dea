/** Runs a step under its claim, which it renews. The clone is removed after the step is recorded. */
import type { Project } from '../../app/project.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { Verification } from '../../core/checks/verification.ts';
import { pausedMark } from '../../core/ledger/ledger-state.ts';
import { secondsOf } from '../../core/policy/cost.ts';
import { whyHalted } from '../../core/policy/rules-before.ts';
import { foreseen, whyFailed } from '../../core/system-error.ts';
import type { Turn } from '../../core/text/terminal/work-summary.ts';
import { addSeconds } from '../../core/time.ts';
import { releaseClaim, renewClaim } from '../../ledger/claim.ts';
import { objectFolders } from '../../workspace/clone-folder.ts';
import { removeClone } from '../../workspace/workspace.ts';
import { checksOfStep, verify } from '../checks/verify.ts';
import { type Concluded, conclude, judgeWorkRun } from '../conclude/conclude.ts';
import { recordStep, type StepReport } from '../conclude/step-report.ts';
import { changesFiles, type StepJob } from '../engine.ts';
import { brokenLeft, type Left, whyBroken } from '../left.ts';
import { type Performed, type PerformInput, perform } from '../perform/perform.ts';
import { agentOrder } from './plan-step.ts';
import { dropLeft, keepArtifacts, keepLeft, stateDirOf, writeSession } from './state-dir.ts';
import { type Loop, liveText, type Worked, type WorkPorts } from './work-run.ts';

/** The lease of claims on a laptop. It is renewed after a third of this time. */
export const leaseSeconds = 600;

/** How often a running step checks whether a person stopped its task. */
const haltMs = 2_000;

/** Never rejects. An unexpected error ends the whole run; an expected one only this task's turn. */
export async function runClaimed(loop: Loop, view: TaskView, job: StepJob): Promise<void> {
  const { ports, project } = loop;
  const held = holdClaim(project, job, ports);
  try {
    await doStep(loop, view, job, held);
  } catch (thrown) {
    const error = foreseen(thrown);
    if (error === null) {
      loop.failure ??= thrown;
      return;
    }
    loop.refused.set(view.id, error.message);
    loop.reporter.line(view.id, error.message);
    await releaseClaim(project.ledger, { claim: job.claim, at: ports.now(), why: error.message }).catch(
      () => {},
    );
  } finally {
    held.end();
    ports.live(view.id, null);
  }
}

type HeldJob = Pick<StepJob, 'id' | 'step' | 'claim'>;

export interface HeldClaim {
  /** Aborted when a person stops the task, or when the whole run must stop. */
  readonly signal: AbortSignal;
  /** Call it before the claim is released, so that the release is not taken for a person's stop. */
  readonly end: () => void;
}

/** Renews a claim while its step runs, and watches for a person's stop. */
export function holdClaim(project: Pick<Project, 'ledger'>, job: HeldJob, ports: WorkPorts): HeldClaim {
  const halt = new AbortController();
  const renewing = setInterval(() => void renew(project, job, ports), (leaseSeconds / 3) * 1000);
  const watching = setInterval(() => void haltWhenAsked(project, job, ports, halt).catch(() => {}), haltMs);
  return {
    signal: AbortSignal.any([ports.stopNow, halt.signal]),
    end: () => {
      clearInterval(renewing);
      clearInterval(watching);
      // Makes a check that is in progress return without effect.
      halt.abort();
    },
  };
}

/** Aborts the step after `gza stop`, `pause`, `done`, `release` … in another terminal or a synced ledger. */
async function haltWhenAsked(
  { ledger }: Pick<Project, 'ledger'>,
  job: HeldJob,
  ports: WorkPorts,
  halt: AbortController,
): Promise<void> {
  if (halt.signal.aborted) return;
  const view = await ledger.view();
  const meta = await view.meta(view.base);
  const claim = meta?.claims?.find(({ id }) => id === job.claim);
  const record = (await view.task(job.id))?.record ?? null;
  // If a ledger cannot be read, nothing is known, so the step continues.
  if (view.unread.size > 0 || record === null || halt.signal.aborted) return;
  // An agent that marks its own task done exits by itself.
  if (claim?.lane.startsWith('here:') && record.closed_as === 'done') return;
  const paused = meta?.marks?.[pausedMark];
  const all = paused === undefined ? null : `everything is paused by ${paused}`;
  const why = claim === undefined ? 'its claim was released' : (whyHalted(claim, record) ?? all);
  if (why === null) return;
  ports.say(`  ${job.id}: ${why}, so its ${job.step} is stopped; what it did is kept`);
  halt.abort();
}

async function doStep(loop: Loop, view: TaskView, job: StepJob, held: HeldClaim): Promise<void> {
  const { ports, project, workspace } = loop;
  const turn = turnOf(loop, view, job);
  if (loop.request.choice.checksOnly) loop.reporter.line(view.id, 'Checking...');
  else loop.reporter.begin(view, turn);
  ports.live(view.id, job.step);
  const { report: ran, clone } = await stepHere(loop, view, job, held.signal);
  held.end();
  const report = withoutBlame(loop, job, ran);
  const recorded = await recordStep(project.ledger, {
    job,
    report,
    at: ports.now(),
    agentTasks: project.config.agent_tasks,
    repository: workspace.repository,
  });
  await dropLeft(stateDirOf(project), job.claim);
  await tidyUp(loop, view, clone, report);
  loop.steps.push(workedOf(view.id, report.record));
  for (const key of loop.acted.keys()) if (key.startsWith(`${view.id} `)) loop.acted.delete(key);
  if (loop.request.choice.checksOnly && report.judged.outcome === 'ok')
    loop.reporter.line(view.id, 'Checks passed');
  else if (report === ran) loop.reporter.end(view, turn, report);
  else if (hasOther(loop, view))
    loop.reporter.line(view.id, `${job.agent} cannot run: ${report.judged.error}`);
  await ports.pushState?.(recorded.kind === 'recorded' ? (job.lane?.link.branch ?? null) : null);
  if (recorded.kind === 'recorded') return;
  const kept = recorded.ref ? `its work is kept at ${recorded.ref}` : 'nothing was changed';
  loop.reporter.line(view.id, `${recorded.why}; ${kept}`);
  loop.refused.set(view.id, recorded.why);
}

/** Cleans up after the step is recorded. An error here is only reported. */
async function tidyUp(
  loop: Loop,
  view: TaskView,
  clone: Concluded['clone'],
  { artifacts }: StepReport,
): Promise<void> {
  try {
    if (clone) await removeClone(clone, loop.tidying);
    await keepArtifacts(loop.project, artifacts);
  } catch (thrown) {
    loop.reporter.line(view.id, whyFailed(thrown));
  }
}

/** Runs both halves of a step on this machine, with the checks between them. */
async function stepHere(loop: Loop, view: TaskView, job: StepJob, signal: AbortSignal): Promise<Concluded> {
  const { ports, project, workspace, request } = loop;
  const input: PerformInput = {
    project,
    view: await withRecord(loop, view),
    job,
    workspace,
    runner: request.choice.runner,
    caller: ports.env,
    stateDir: stateDirOf(project),
    now: ports.now,
    signal,
    sleep: ports.sleep,
    onEvent: (event) => ports.live(view.id, liveText(job, event)),
  };
  const performed = await perform(input);
  const { clone } = performed;
  await keepLeft(input.stateDir, job, performed.left).catch(() => {});
  const { left, checks } = await checked(input, performed);
  const concluded = await conclude({ ...input, repository: workspace.repository, clone }, left, checks);
  // The session is no longer needed after a success, and cannot be resumed in a clone that cannot be read.
  if (concluded.isBroken || concluded.report.judged.outcome === 'ok') {
    await writeSession(input.stateDir, job, null).catch(() => {});
  }
  return concluded;
}

/** Runs the checks of a step whose run ended well. */
export async function checked(
  input: Pick<PerformInput, 'project' | 'view' | 'job' | 'stateDir' | 'caller' | 'now' | 'signal'>,
  { left, clone }: Performed,
): Promise<{ readonly left: Left; readonly checks: Verification | null }> {
  const isWork = left.broken === undefined && changesFiles(input.job.step);
  if (!isWork || judgeWorkRun(input, left).outcome !== 'ok') return { left, checks: null };
  try {
    const { treeDir, repository } = clone;
    const read = await objectFolders(repository.objectsDir);
    const checks = await verify({ ...checksOfStep(input), treeDir, read, signal: input.signal });
    return { left: { ...left, ended_at: input.now() }, checks };
  } catch (thrown) {
    return { left: brokenLeft(left, whyBroken(thrown, clone.dir), input.signal), checks: null };
  }
}

function turnOf({ project }: Loop, { task, record }: TaskView, { step, cycle }: StepJob): Turn {
  const { auto_review, max_review_cycles } = project.settings(task);
  const loops = auto_review && task.type !== 'review' && task.type !== 'improve';
  return { step, cycle, cyclesMax: loops ? max_review_cycles + (record?.extra_cycles ?? 0) : null };
}

/** If the agent has no key or is not installed, the task is not blamed, and this run stops using it. */
function withoutBlame({ unusable }: Loop, { agent }: StepJob, report: StepReport): StepReport {
  const { ending, ...judged } = report.judged;
  if (ending !== 'auth' && ending !== 'config') return report;
  unusable.set(agent, judged.error ?? ending);
  const { ending: _ending, ...record } = report.record;
  return { ...report, judged, record };
}

/** Whether another agent can still run the task. If not, the end of the run reports why. */
function hasOther({ project, request, unusable }: Loop, { task }: TaskView): boolean {
  const agents = agentOrder({ settings: project.settings(task), choice: request.choice });
  return agents.some((name) => !unusable.has(name));
}

/** The task with its record after the claim. */
async function withRecord(loop: Loop, view: TaskView): Promise<TaskView> {
  const located = await (await loop.project.ledger.view()).task(view.id);
  return located ? { ...view, record: located.record, task: located.record, branch: located.branch } : view;
}

async function renew({ ledger }: Pick<Project, 'ledger'>, job: HeldJob, ports: WorkPorts): Promise<void> {
  const at = ports.now();
  // A failed renewal is ignored here. Recording the step will notice a lost claim.
  await renewClaim(ledger, { claim: job.claim, at, until: addSeconds(at, leaseSeconds) }).catch(() => {});
  await ports.pushState?.(null);
}

export function workedOf(id: string, record: StepReport['record']): Worked {
  const { step, agent = '', reserved_usd = 0, cost_usd = 0, unpriced_tokens = 0 } = record;
  const outcome = record.verdict ?? record.outcome;
  return { id, step, agent, outcome, seconds: secondsOf(record), reserved_usd, cost_usd, unpriced_tokens };
}
