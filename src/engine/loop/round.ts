/**
 * A round of the engine, the same for `gza work` and the picking job. It carries out all decisions that
 * need no agent, splits tasks that are too large, and claims tasks that may start. The caller (Front)
 * decides how facts are gathered, what happens to dead claims, and where a claim must be accepted.
 */
import type { Project } from '../../app/project.ts';
import { definitionNow, wholeView } from '../../app/tasks/change-task.ts';
import { planSplit, splitInLedger } from '../../app/tasks/split-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import { apply } from '../../core/ledger/apply.ts';
import type { Event } from '../../core/ledger/event.ts';
import { emptyState } from '../../core/ledger/ledger-state.ts';
import type { Claim, TaskRecord } from '../../core/ledger/record/record.ts';
import { type Decision, decide, decideTask, type Facts } from '../../core/policy/decide.ts';
import { foreseen } from '../../core/system-error.ts';
import { declaredFiles } from '../../core/task/task.ts';
import { addSeconds } from '../../core/time.ts';
import type { Claimed, ClaimRequest } from '../../ledger/claim.ts';
import type { Change, LedgerView } from '../../ledger/ledger.ts';
import { act, isActed, type Lane, type StepJob } from '../engine.ts';
import { PredecessorsConflict } from './lane-of.ts';
import { type PlanContext, planStep } from './plan-step.ts';

/** The state that decisions are made on. */
export interface Seen {
  readonly project: Project;
  readonly facts: Facts;
}

export interface Settled extends Seen {
  readonly decisions: readonly Decision[];
}

/** Identifies who holds claims, and submits them. */
export interface Holder {
  readonly now: () => string;
  /** Identifies the process or run, so that others can check whether the holder is alive. */
  readonly run: string;
  readonly leaseSeconds: number;
  readonly submit: (project: Project, request: ClaimRequest) => Promise<Claimed>;
}

export interface Front extends Holder {
  /** Reads everything again. */
  readonly look: () => Promise<Seen>;
  readonly mayStart: (view: TaskView) => boolean;
  readonly mayAct: (view: TaskView, decision: Decision) => boolean;
  /** How often each rule was carried out since the task's last step, to end loops without progress. */
  readonly acted: Map<string, number>;
  readonly recordDead: (seen: Seen, claim: Claim, decision: Decision) => Promise<boolean>;
  readonly wrote: (seen: Seen, view: TaskView, decision: Decision) => Promise<void>;
  /** Other clean-up; returns whether anything was written. */
  readonly tidy?: (seen: Seen) => Promise<boolean>;
  /** Called before anything starts; false ends the round. */
  readonly settled?: (settled: Settled) => boolean;
  readonly isFull: (view: TaskView) => boolean;
  readonly wasSplit: (view: TaskView, segments: readonly string[]) => void;
  readonly notSplit: (view: TaskView, why: string) => void;
  /** Called before this task starts. True if it wrote or waited, so that the decisions are out of date. */
  readonly prepare?: (seen: Seen, view: TaskView) => Promise<boolean>;
  readonly planning: () => Omit<PlanContext, 'project'>;
  /** Starts a claimed step. True if the facts must be read again before anything else starts. */
  readonly begin: (settled: Settled, begun: Begun) => Promise<boolean>;
  /** Reports a task that cannot start. It is not tried again. */
  readonly refuse: (id: string, why: string) => void;
}

export interface Begun {
  readonly view: TaskView;
  readonly job: StepJob;
  readonly decision: Decision;
}

export interface Round extends Settled {
  /** `stopped` means that the round ended before anything was started. */
  readonly end: 'begun' | 'nothing' | 'full' | 'stopped';
  /** How many tasks could start but for the limit on parallel work. */
  readonly waiting: number;
}

/** A guard against endless splitting; the next round continues. */
const roundsMax = 50;

/** A guard against endless loops. Each pass writes all it can, so real backlogs need far fewer. */
const settlingsMax = 1_000;

export async function playRound(front: Front): Promise<Round> {
  for (let count = 1; ; count += 1) {
    const settled = await settle(front);
    if (front.settled?.(settled) === false) return { ...settled, end: 'stopped', waiting: 0 };
    const started = await startAll(front, settled);
    if (started.end !== 'again') return { ...settled, end: started.end, waiting: started.waiting };
    if (count === roundsMax) return { ...settled, end: 'begun', waiting: 0 };
  }
}

/** Repeats what needs no agent until nothing is left: folds, ends, stops, and the claims of dead holders. */
export async function settle(front: Front): Promise<Settled> {
  for (let count = 0; count < settlingsMax; count += 1) {
    const seen = await front.look();
    const decisions = decide(seen.facts, front.mayStart);
    const isWritten = await actOn(front, { ...seen, decisions });
    const isTidied = (await front.tidy?.(seen)) ?? false;
    if (!isWritten && !isTidied) return { ...seen, decisions };
  }
  throw new GzaError('world', `what needs no agent did not come to an end in ${settlingsMax} rounds`, {
    hint: 'What was written so far holds. `gza fsck` says whether a ledger is damaged.',
  });
}

/** Returns whether anything was written. */
async function actOn(front: Front, { decisions, ...seen }: Settled): Promise<boolean> {
  const { project, facts } = seen;
  let isWritten = false;
  const folded = new Set<string | null>();
  for (const decision of decisions) {
    const { action } = decision;
    const view = project.board.views.get(decision.task);
    if (!view || (action.kind !== 'record-dead' && !isActed(action))) continue;
    if (!front.mayAct(view, decision) || isStuck(front, decision)) continue;
    if (action.kind === 'record-dead') {
      if (await front.recordDead(seen, action.claim, decision)) return true;
      continue;
    }
    // Folding one task folds its whole lane.
    if (action.kind === 'fold' && folded.has(view.branch)) continue;
    if (action.kind === 'fold') folded.add(view.branch);
    // Decides again on the whole record, because lists leave out texts that must be written.
    const whole = decideTask(await wholeView(project, view.id), facts);
    if (!(await act(project, view, whole, front.now()))) continue;
    isWritten = true;
    await front.wrote(seen, view, whole);
  }
  return isWritten;
}

const actedMax = 5;

/** Whether a rule keeps being carried out on a task with no step in between, which would never end. */
function isStuck({ acted, refuse }: Front, { task, rule }: Decision): boolean {
  const key = `${task} ${rule}`;
  const times = (acted.get(key) ?? 0) + 1;
  acted.set(key, times);
  if (times === actedMax + 1) {
    refuse(
      task,
      `the rule ${rule} was acted on ${actedMax} times without effect; gza why ${task} and gza fsck may say why`,
    );
  }
  return times > actedMax;
}

async function startAll(
  front: Front,
  settled: Settled,
): Promise<{ readonly end: 'again' | 'begun' | 'nothing' | 'full'; readonly waiting: number }> {
  let hasBegun = false;
  let hasFailed = false;
  let waiting = 0;
  for (const decision of settled.decisions) {
    const view = settled.project.board.views.get(decision.task);
    if (!view || !front.mayStart(view)) continue;
    if (await splitFirst(front, settled, view, decision)) return { end: 'again', waiting };
    if (decision.action.kind !== 'run') continue;
    if (front.isFull(view)) {
      waiting += 1;
      continue;
    }
    if (isStuck(front, decision) || (await front.prepare?.(settled, view))) return { end: 'again', waiting };
    const begun = await startOne(front, settled, decision);
    hasFailed ||= begun === null;
    if (begun === null) continue;
    hasBegun = true;
    if (await front.begin(settled, begun)) break;
  }
  if (hasBegun) return { end: 'begun', waiting };
  // A task that could not start frees its place for others.
  if (hasFailed) return { end: 'again', waiting };
  return { end: waiting > 0 ? 'full' : 'nothing', waiting };
}

/** With `auto_split`, splits a task that is about to start, or that may not start because of its size. */
async function splitFirst(
  front: Front,
  { project }: Settled,
  view: TaskView,
  { action, rule }: Decision,
): Promise<boolean> {
  const { record } = view;
  const mayStart = action.kind === 'run' || rule === 'too-complex';
  // A person who approved the task wants it in one piece.
  if (!mayStart || !project.config.task_size_limits.auto_split || record?.approved_at) return false;
  if (record?.started_at || record?.closed_at) return false;
  const whole = await wholeView(project, view.id);
  const split = planSplit(project, whole);
  if (split.kind === 'cannot') {
    if (split.isTooLarge) front.notSplit(view, split.why);
    return false;
  }
  await splitInLedger(project, whole, split, { at: front.now(), by: 'gza' });
  front.wasSplit(
    view,
    split.segments.map(({ id }) => id),
  );
  return true;
}

/** Claims one task. On failure it is refused for this run, with the reason, and the others continue. */
async function startOne(front: Front, settled: Settled, decision: Decision): Promise<Begun | null> {
  const { project, facts } = settled;
  try {
    const view = await wholeView(project, decision.task);
    const planned = await planStep({ ...front.planning(), project }, view, decision, facts);
    if (typeof planned === 'string') {
      front.refuse(view.id, planned);
      return null;
    }
    const { job, reserved } = planned;
    const claimed = await claimStep(front, project, view, job, reserved);
    if (claimed.kind === 'claimed') return { view, job, decision };
    // Someone else was faster; the next round will see their claim.
    if (claimed.kind !== 'lost') front.refuse(view.id, claimed.detail);
  } catch (thrown) {
    const error = foreseen(thrown);
    if (error === null) throw thrown;
    const view = project.board.views.get(decision.task);
    if (view && error instanceof PredecessorsConflict) {
      const stop = { reason: 'predecessors-conflict', detail: error.message, at: front.now() };
      await act(project, view, { ...decision, action: { kind: 'ask-person', stop } }, stop.at);
    }
    front.refuse(decision.task, error.message);
  }
  return null;
}

/** Claims the task before anything is spent. The same transaction opens the lane's ledger. */
export async function claimStep(
  holder: Holder,
  project: Project,
  view: TaskView,
  job: StepJob,
  reservedUsd: number | null,
): Promise<Claimed> {
  const at = holder.now();
  const adopted = await definitionNow(project, view.id, { at });
  const claim: Claim = {
    id: job.claim,
    task: view.id,
    lane: job.lane?.link.branch ?? `task:${view.id}`,
    holder: job.agent,
    at,
    until: addSeconds(at, holder.leaseSeconds),
    run: holder.run,
    step: job.step,
    agent: job.agent,
    files: declaredFiles(view.task),
    ...(job.lane ? { head: job.lane.head } : {}),
    ...(reservedUsd === null ? {} : { reserved_usd: reservedUsd }),
  };
  const also = (ledgers: LedgerView) => laneChanges(ledgers, view.id, job.lane, adopted, at);
  return holder.submit(project, { claim, at, also });
}
/** The changes that go with a claim: the task enters the ledger, and the lane's ledger is opened. */
async function laneChanges(
  ledgers: LedgerView,
  id: string,
  lane: Lane | null,
  adopted: Event | null,
  at: string,
): Promise<Change[]> {
  const located = await ledgers.task(id);
  const events: Event[] = adopted && !(located && adopted.kind === 'adopt') ? [adopted] : [];
  const record = recordWith(located?.record, events[0]);
  const branch = lane?.link.branch;
  const entered: Event[] = lane ? [{ kind: 'enter-lane', at, id, lane: lane.link }] : [];
  if (!lane || branch === undefined || located?.branch === branch || !record) {
    const before = located?.record.lane;
    const isMoved = before !== undefined && lane !== null && before.fork_point !== lane.link.fork_point;
    if (isMoved) events.push(...entered);
    const own = isMoved && located ? [{ branch: located.branch, events: entered }] : [];
    return events.length > 0 ? [{ branch: ledgers.base, events }, ...own] : [];
  }
  events.push(...entered);
  const opening: Event = {
    kind: 'open-lane',
    at,
    lane: lane.link,
    tasks: [{ ...record, started_at: record.started_at ?? at }],
  };
  return [
    { branch: ledgers.base, events },
    { branch, events: [opening] },
  ];
}

/** The record after the claim's event is applied. */
function recordWith(record: TaskRecord | undefined, event: Event | undefined): TaskRecord | undefined {
  if (event?.kind === 'adopt') return event.task;
  if (!record || event?.kind !== 'retry') return record;
  const applied = apply(
    { ...emptyState({ v: 1, branch: '', lane: '' }), tasks: new Map([[record.id, record]]) },
    event,
  );
  return applied.kind === 'applied' ? applied.changes.tasks?.[0] : record;
}
