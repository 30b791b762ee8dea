/**
 * A round of the engine, the same for `gza work` and for the picking job: what ends for free is written down until
 * nothing of it is left, what is too large is split, and what may start is claimed. Who calls says how facts are
 * gathered, what becomes of dead claims, and where a claim must be accepted.
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
import { act, isActed } from '../act.ts';
import type { Lane, StepJob } from '../engine.ts';
import { PredecessorsConflict } from './lane-of.ts';
import { type PlanContext, planStep } from './plan-step.ts';

/** What is so now. */
export interface Seen {
  readonly project: Project;
  readonly facts: Facts;
}

export interface Settled extends Seen {
  readonly decisions: readonly Decision[];
}

/** Who holds claims, and who must accept them. */
export interface Holder {
  readonly now: () => string;
  /** How others can tell that the holder lives. */
  readonly run: string;
  readonly leaseSeconds: number;
  readonly submit: (project: Project, request: ClaimRequest) => Promise<Claimed>;
}

export interface Front extends Holder {
  /** Reads everything anew. */
  readonly look: () => Promise<Seen>;
  readonly mayStart: (view: TaskView) => boolean;
  readonly mayAct: (view: TaskView, decision: Decision) => boolean;
  /** (task, rule) → how often it was acted on since the task's last step: a loop that gets nowhere must end. */
  readonly acted: Map<string, number>;
  readonly recordDead: (seen: Seen, claim: Claim, decision: Decision) => Promise<boolean>;
  readonly wrote: (seen: Seen, view: TaskView, decision: Decision) => Promise<void>;
  /** Whatever else is to be put away; says whether anything was. */
  readonly tidy?: (seen: Seen) => Promise<boolean>;
  /** Before anything starts; false ends the round. */
  readonly settled?: (settled: Settled) => boolean;
  readonly isFull: (view: TaskView) => boolean;
  readonly wasSplit: (view: TaskView, segments: readonly string[]) => void;
  readonly notSplit: (view: TaskView, why: string) => void;
  /** Before this task starts; true when it wrote or waited, so that what was decided is old. */
  readonly prepare?: (seen: Seen, view: TaskView) => Promise<boolean>;
  readonly planning: () => Omit<PlanContext, 'project'>;
  /** True: whatever else may start is decided on fresh facts. */
  readonly begin: (settled: Settled, begun: Begun) => Promise<boolean>;
  /** It cannot start, and is not tried again. */
  readonly refuse: (id: string, why: string) => void;
}

export interface Begun {
  readonly view: TaskView;
  readonly job: StepJob;
  readonly decision: Decision;
}

export interface Round extends Settled {
  /** `stopped`: before anything was started. */
  readonly end: 'begun' | 'nothing' | 'full' | 'stopped';
  /** How many wait because no more may start. */
  readonly waiting: number;
}

/** More splits in one round would mean a backlog that nobody meant to split; the next round goes on. */
const roundsMax = 50;

/** Each round takes away a dead claim, or all that can be written at once: far more than any backlog needs. */
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

/** What costs nothing, until nothing of it is left: folds, ends, stops, the claims of the dead. */
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

/** Whether anything was written. */
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
    // Tasks of one lane come home together.
    if (action.kind === 'fold' && folded.has(view.branch)) continue;
    if (action.kind === 'fold') folded.add(view.branch);
    // Lists leave out what steps said; what is written down has it.
    const whole = decideTask(await wholeView(project, view.id), facts);
    if (!(await act(project, view, whole, front.now()))) continue;
    isWritten = true;
    await front.wrote(seen, view, whole);
  }
  return isWritten;
}

const actedMax = 5;

/** The same rule on the same task again and again, with no step between: it would go on so for ever. */
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
  // What could not start leaves its place to others.
  if (hasFailed) return { end: 'again', waiting };
  return { end: waiting > 0 ? 'full' : 'nothing', waiting };
}

/** Where splits are automatic, a task that is about to start, or may not for its size, is split instead. */
async function splitFirst(
  front: Front,
  { project }: Settled,
  view: TaskView,
  { action, rule }: Decision,
): Promise<boolean> {
  const { record } = view;
  const mayStart = action.kind === 'run' || rule === 'too-complex';
  // A person who approved it wants it whole.
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

/** A task that cannot be started is refused for this run, with the reason; the others go on. */
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
    // Someone else was faster: the next look shows their claim.
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

/** Before anything is spent: the claim, with the lane's ledger opened in the same transaction. */
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
/** What goes along with the claim: the task enters the ledger, and the lane's ledger begins. */
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

/** The record as it is once what the claim brings was applied. */
function recordWith(record: TaskRecord | undefined, event: Event | undefined): TaskRecord | undefined {
  if (event?.kind === 'adopt') return event.task;
  if (!record || event?.kind !== 'retry') return record;
  const applied = apply(
    { ...emptyState({ v: 1, branch: '', lane: '' }), tasks: new Map([[record.id, record]]) },
    event,
  );
  return applied.kind === 'applied' ? applied.changes.tasks?.[0] : record;
}
