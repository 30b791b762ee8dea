/**
 * Decides what follows when a step is recorded. In the same push, its task ends or the review that its claim
 * reserved begins in this run. After a push that ends the claim: decides whether pick has anything to do.
 */
import { loadProject, type Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import { isGzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { Claim } from '../../core/ledger/record/record.ts';
import { type Decision, decide, decideTask, type Facts } from '../../core/policy/decide.ts';
import { mergeMark } from '../../core/policy/merging.ts';
import type { StepReport } from '../../engine/conclude/step-report.ts';
import { act, changesFiles, isActed, type StepJob } from '../../engine/engine.ts';
import { planStep } from '../../engine/loop/plan-step.ts';
import { claimStep } from '../../engine/loop/round.ts';
import { claimTask } from '../../ledger/claim.ts';
import { peopleFor } from '../comments/people.ts';
import { holderOf, jobMark, reviewClaim, writeJob } from '../pick/claims.ts';
import { ciFacts, ciPlanning, type LaneWorld, lanesOf } from '../pick/lane-world.ts';
import { isRebaseDue } from '../pick/merge-lanes.ts';
import { pushState } from '../pick/push-state.ts';
import type { JobContext, ReadingContext } from './job-context.ts';
import type { OpenJob } from './open-job.ts';

/** Whether the lane's review follows under the rest of the claim. */
export async function goOn(ci: ReadingContext, opened: OpenJob, report: StepReport): Promise<boolean> {
  const { job, workspace } = opened;
  const project = await loadProject(ci.ports, opened.project);
  const own = job.lane ? [job.lane.link.branch] : [];
  const worlds = await lanesOf(project, workspace.repository, [], own);
  const facts = await ciFacts(project, worlds, new Set());
  const view = await wholeView(project, job.id);
  const decision = decideTask(view, facts);
  const { action } = decision;
  // A review task concerns another lane, and only pick folds lanes.
  if (isActed(action) && action.kind !== 'fold' && action.kind !== 'cancel' && view.task.type !== 'review') {
    await act(project, view, decision, ci.ports.now());
    return false;
  }
  if (decision.rule !== 'review-head' || !changesFiles(job.step) || job.isRecheck === true) return false;
  const planning = ciPlanning(ci, workspace.repository, () => reviewClaim(job.claim));
  const planned = await planStep({ ...planning, project }, view, decision, facts);
  if (typeof planned === 'string') return false;
  // The machine has only the secrets that pick named for it.
  const isKeyed = planned.job.agent === job.agent || planned.job.agent === job.reviewer;
  const rest = restOf(opened.claim, report);
  if (!isKeyed || rest === 0) return false;
  const said = (await peopleFor(ci, project, worlds, [job.id])).get(job.id);
  return handOn(ci, project, opened, { ...planned.job, ...(said ? { people: said } : {}) }, rest);
}

/** Dollars that the claim reserved and its step did not use; null when nothing was reserved. */
function restOf({ reserved_usd: reserved }: Claim, { record }: StepReport): number | null {
  return reserved === undefined ? null : Math.max(0, reserved - (record.cost_usd ?? 0));
}

/** Claims the review with the first claim's times, so that a request to end that claim ends both. */
async function handOn(
  ci: ReadingContext,
  project: Project,
  { claim: { at, until } }: OpenJob,
  planned: StepJob,
  rest: number | null,
): Promise<boolean> {
  const budgetUsd = Math.min(planned.budgetUsd ?? Number.POSITIVE_INFINITY, rest ?? Number.POSITIVE_INFINITY);
  const job = Number.isFinite(budgetUsd) ? { ...planned, budgetUsd } : planned;
  const holder = {
    ...holderOf(ci),
    submit: ({ ledger }: Project, request: Parameters<typeof claimTask>[1]) =>
      claimTask(ledger, { ...request, claim: { ...request.claim, at, until } }),
  };
  const view = await wholeView(project, job.id);
  if ((await claimStep(holder, project, view, job, rest)).kind !== 'claimed') return false;
  await writeJob(project, job, ci.ports.now());
  ci.say(`${job.id}: its review begins in this run, by ${job.agent}`);
  return true;
}

/**
 * Others' changes that were merged in before the push may have stopped the task, requested something else, or
 * used up the budget of the review. Then the rest of the claim ends too. The second landing handles anything
 * written after that push.
 */
export async function isStillWanted(
  ci: ReadingContext,
  { job, project: before, workspace }: OpenJob,
): Promise<boolean> {
  const project = await loadProject(ci.ports, before);
  const own = job.lane ? [job.lane.link.branch] : [];
  const facts = await ciFacts(project, await lanesOf(project, workspace.repository, [], own), new Set());
  const rest = reviewClaim(job.claim);
  const view = await wholeView(project, job.id);
  const board = { ...facts.board, claims: facts.board.claims.filter(({ id }) => id !== rest) };
  const held = decideTask(view, facts);
  // Decides as if the review were not claimed yet.
  const free = decideTask({ ...view, claim: null }, { ...facts, board });
  if (held.rule === 'live-claim' && free.rule === 'review-head') return true;
  const { because } = held.rule === 'live-claim' ? free : held;
  ci.say(`${job.id}: its review does not begin in this run: ${because}`);
  await endRest(ci, project, rest, because);
  return false;
}

async function endRest(ci: ReadingContext, { ledger }: Project, claim: string, why: string): Promise<void> {
  const at = ci.ports.now();
  const written = await ledger.write(async (view) => {
    const isHeld = (await view.meta(view.base))?.claims?.some(({ id }) => id === claim) ?? false;
    const release: Event = { kind: 'release', at, claim, why };
    const done: Event = { kind: 'mark', at, name: jobMark(claim), value: null };
    return isHeld ? { changes: [{ branch: view.base, events: [release, done] }] } : null;
  });
  if (written.kind === 'written') await pushState(ci, ledger, []);
}

/** Current decisions for all tasks, from the ledgers alone: other lanes may have moved since the checkout. */
export async function decisionsNow(
  project: Project,
  worlds: ReadonlyMap<string, LaneWorld>,
): Promise<Decision[]> {
  const facts = await ciFacts(project, worlds, new Set());
  const lane: Facts['lane'] = (view) => {
    const of = facts.lane(view);
    if (worlds.has(of.branch ?? '')) return of;
    const { head: _head, diff: _diff, personCommits: _commits, gone: _gone, ...known } = of;
    return known;
  };
  return decide({ ...facts, lane });
}

/**
 * Whether a pick would start, write or post anything. Leaves out what causes an event of its own, since that
 * starts a pick.
 */
export async function isWorkForPick(
  project: Project,
  decisions: readonly Decision[],
  worlds: ReadonlyMap<string, LaneWorld>,
): Promise<boolean> {
  const { board, config, view } = project;
  const { linear, github } = config.integrations;
  if (linear.enabled || github.enabled) return true;
  if (
    decisions.some(
      ({ action: { kind }, action }) => kind === 'run' || kind === 'record-dead' || isActed(action),
    )
  )
    return true;
  const marks = (await view.meta(view.base))?.marks ?? {};
  const isOver = ({ tasks }: LaneWorld) => tasks.every((one) => board.views.get(one.id)?.record?.closed_at);
  return [...worlds.values()].some(
    (lane) =>
      isRebaseDue(project, lane, marks) ||
      ((marks[mergeMark(lane.branch)] !== undefined || config.auto_merge !== undefined) && isOver(lane)),
  );
}

/** Whether the calling workflow listens for the event. If it does not, the job `next` starts pick. */
export async function wakePick(ci: JobContext, claim: string): Promise<boolean> {
  if (ci.input('wake') === 'workflow_dispatch') return false;
  try {
    await ci.forge().wake([claim]);
    ci.say('Picking was asked for again.');
    return true;
  } catch (error) {
    if (!isGzaError(error)) throw error;
    ci.say(`Picking could not be asked for from here: ${error.message}`);
    return false;
  }
}
