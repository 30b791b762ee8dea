/** The result of a step: what is common to work and texts, and how it is written to the ledgers. */
import type { Project } from '../../app/project.ts';
import { freeId } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { Config } from '../../core/config/config.ts';
import { liveClaim } from '../../core/ledger/apply.ts';
import type { Event, Spent } from '../../core/ledger/event.ts';
import { type Baseline, baselineEvents, onGithub, type Refusal } from '../../core/ledger/ledger-state.ts';
import type { StepOutcome, StepRecord, TaskRecord } from '../../core/ledger/record/record.ts';
import { closingWords } from '../../core/markdown/neutralise.ts';
import { endings, type ResultKind, restSeconds } from '../../core/policy/endings.ts';
import { parseSpool, type SpoolReading } from '../../core/spool/spool.ts';
import { titleOf } from '../../core/task/task.ts';
import { addSeconds } from '../../core/time.ts';
import { readBranch } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import type { Change, Ledger, LedgerView, Plan } from '../../ledger/ledger.ts';
import type { RefMove } from '../../ledger/store/refs.ts';
import { diffId } from '../../workspace/patch/lane-diff.ts';
import type { SharedClone } from '../../workspace/shared-clone.ts';
import { changesFiles, definedOf, type StepJob } from '../engine.ts';
import type { Left } from '../left.ts';

export interface ConcludeInput {
  readonly project: Project;
  /** The task with its full texts. */
  readonly view: TaskView;
  readonly job: StepJob;
  readonly repository: Repository;
  /** The clone that the agent worked in; null when that is on another machine. */
  readonly clone: SharedClone | null;
}

/** The result of a step, as plain data. */
export interface StepReport {
  readonly record: StepRecord;
  readonly judged: Judged;
  /** The new head of the lane's branch, if files were saved. */
  readonly commit: string | null;
  /** Set when the checks fail on the base commit too, so that nothing can be checked there. */
  readonly baseline?: Baseline;
  readonly artifacts: readonly { readonly path: string; readonly text: string }[];
  /** Go into the record, and are shown to whoever watches. */
  readonly notes: readonly string[];
  /** Go only into the record. */
  readonly remarks: readonly string[];
  readonly spool: SpoolReading;
  readonly gist: string;
  /** The agent's log; empty when it is on another machine. */
  readonly log: string;
}

/** A step as its task's record keeps it. */
export function recordOf(
  job: Pick<StepJob, 'step' | 'cycle' | 'agent' | 'model' | 'budgetUsd'>,
  { runs, started_at, ended_at }: Pick<Left, 'runs' | 'started_at' | 'ended_at'>,
  judged: Judged,
): StepRecord {
  const last = runs.at(-1);
  const sum = (of: (run: Left['runs'][number]) => number | undefined | null) =>
    runs.reduce((total, one) => total + (of(one) ?? 0), 0);
  const cost = sum((one) => one.costUsd);
  const inputTokens = sum((one) => one.usage && one.usage.input + one.usage.cachedInput);
  // Output tokens already include reasoning.
  const outputTokens = sum((one) => one.usage?.output);
  const unpriced = sum((one) => one.unpriced);
  const pricedAsOf = runs.findLast((one) => one.pricedAsOf)?.pricedAsOf;
  const turns = sum((one) => one.turns);
  const said = closingWords(last?.text ?? '');
  return {
    step: job.step,
    outcome: judged.outcome,
    started_at,
    ended_at,
    agent: job.agent,
    ...(job.cycle > 0 ? { cycle: job.cycle } : {}),
    ...(last?.agent.version ? { agent_version: last.agent.version } : {}),
    ...(job.model ? { model: job.model } : {}),
    ...(said !== '' && changesFiles(job.step) ? { said } : {}),
    ...(judged.error ? { error: judged.error } : {}),
    ...(judged.ending ? { ending: judged.ending } : {}),
    ...(job.budgetUsd === undefined ? {} : { reserved_usd: job.budgetUsd }),
    ...(cost > 0 ? { cost_usd: cost } : {}),
    ...(pricedAsOf === undefined ? {} : { priced_as_of: pricedAsOf }),
    ...(inputTokens > 0 ? { input_tokens: inputTokens } : {}),
    ...(outputTokens > 0 ? { output_tokens: outputTokens } : {}),
    ...(unpriced > 0 ? { unpriced_tokens: unpriced } : {}),
    ...(turns > 0 ? { turns } : {}),
    ...(last?.sessionId ? { session: last.sessionId } : {}),
  };
}

/** The diff of the lane before the step. */
export async function currentDiff({ job: { lane }, repository }: ConcludeInput): Promise<string | null> {
  return lane && diffId(repository, { base: lane.compareWith, head: lane.head });
}

/** What the agent reported with `git tasks` during the step. */
export function spoolOf(
  { project: { board }, view }: Pick<ConcludeInput, 'project' | 'view'>,
  left: Left,
): SpoolReading {
  const lane = view.record?.lane?.branch;
  const laneTasks = [...board.views.values()].filter(
    ({ id, record }) => id === view.id || (lane !== undefined && record?.lane?.branch === lane),
  );
  return parseSpool(left.spool, {
    runTask: view.id,
    laneTasks: new Set(laneTasks.map(({ id }) => id)),
    checklist: new Set(view.children),
    idsKnown: new Set(board.views.keys()),
    capLeft: capLeft(board, view),
    isCut: left.spool_cut,
  });
}

const agentTasksMax = 20;

/** How many more tasks agents may file for the same root task. */
function capLeft(board: Project['board'], view: TaskView): number {
  const root = rootOf(view);
  let filed = 0;
  for (const { record } of board.views.values()) if (record?.key?.startsWith(`agent:${root}:`)) filed += 1;
  return Math.max(0, agentTasksMax - filed);
}

/** The task that a person asked for. Tasks that agents filed while working on it count towards its limit. */
function rootOf({ id, record }: Pick<TaskView, 'id' | 'record'>): string {
  return /^agent:([^:]+):/.exec(record?.key ?? '')?.[1] ?? id;
}

const refusedShown = 5;

export function refusedNotes({ refused }: SpoolReading): string[] {
  if (refused.length === 0) return [];
  const shown = refused.slice(0, refusedShown).map(({ why }) => why);
  const more = refused.length - shown.length;
  return [`not filed: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`];
}

/** The input of `judgeRun`, which decides what a run means. It is pure, so a laptop and CI agree. */
interface OutcomeFacts {
  readonly kind: ResultKind;
  readonly error?: string | undefined;
  readonly resetAt?: string | undefined;
  /** The agent left work that a later step can continue. */
  readonly hasWork: boolean;
  /** The agent's note that says why it cannot go on. */
  readonly blocked: string | null;
  /** The task's steps before this one. */
  readonly steps?: readonly StepRecord[] | undefined;
  readonly now: string;
}

export interface Judged {
  readonly outcome: StepOutcome;
  readonly error?: string;
  /** How the run ended, if that says more than the outcome. */
  readonly ending?: ResultKind;
  /** Set when a person must look; the reason is one of a fixed set. */
  readonly stop?: { readonly reason: string; readonly detail: string };
  /** The agent may not run again before this time. */
  readonly limitedUntil?: string;
}

/** No provider's limit lasts longer, so a later time must have been misread. */
const limitSecondsMax = 8 * 86_400;

function limitEnd({ kind, resetAt, now, steps = [] }: OutcomeFacts): string {
  const row = steps.length - 1 - steps.findLastIndex(({ outcome }) => outcome !== 'limit');
  if (resetAt === undefined || resetAt <= now) return addSeconds(now, restSeconds(endings[kind], row));
  const latest = addSeconds(now, limitSecondsMax);
  return resetAt < latest ? resetAt : latest;
}

export function judgeRun(facts: OutcomeFacts): Judged {
  const { kind, hasWork } = facts;
  if (facts.blocked !== null) return { outcome: 'blocked', error: facts.blocked };
  const { means, words, stop } = endings[kind];
  const ended = { error: facts.error ?? words, ending: kind };
  switch (means) {
    case 'done':
      return { outcome: 'ok' };
    case 'limit':
      return { outcome: 'limit', ...ended, limitedUntil: limitEnd(facts) };
    case 'slice':
      return {
        outcome: hasWork ? 'slice' : 'failed',
        ...ended,
        ...(stop ? { stop: { reason: stop.reason, detail: ended.error } } : {}),
      };
    case 'cannot':
      // A session that grew too long left its work behind, so a new session can continue it.
      return { outcome: hasWork && kind === 'context' ? 'slice' : 'cancelled', ...ended };
    case 'death':
      return { outcome: 'lost', ...ended };
    case 'stopped':
      return { outcome: 'cancelled', ...ended };
    case 'attempt':
      return { outcome: 'failed', ...ended };
  }
}

/** Input for recording a step: one transaction for branch, lane and base, which can be repeated safely. */
interface RecordInput {
  readonly job: StepJob;
  readonly report: StepReport;
  readonly at: string;
  readonly agentTasks: Config['agent_tasks'];
  /** The repository with the lane's branch. */
  readonly repository: Repository;
}

type Recorded =
  | { readonly kind: 'recorded' }
  /** Someone else took over the lane in the meantime; the commit is kept under `ref`. */
  | { readonly kind: 'superseded'; readonly ref: string | null; readonly why: string };

export async function recordStep(ledger: Ledger, input: RecordInput): Promise<Recorded> {
  const written = await ledger.write((view) => stepPlan(view, input));
  if (written.kind !== 'refused') return { kind: 'recorded' };
  return supersede(ledger, input, written);
}

async function stepPlan(view: LedgerView, input: RecordInput): Promise<Plan | Refusal> {
  const { job, report, at } = input;
  const located = await view.task(job.id);
  if (!located) return { kind: 'refused', why: 'unknown', detail: `${job.id} is in no ledger any more` };
  const meta = await view.meta(view.base);
  const held = meta?.claims?.find(({ id }) => id === job.claim);
  const mine = held !== undefined;
  const other = liveClaim(meta?.claims, { task: job.id }, at);
  if (!mine && other)
    return { kind: 'refused', why: 'claimed', detail: `${other.holder} works on it now`, claim: other };
  const gone = await branchTaken(input);
  if (gone) return { kind: 'refused', why: 'invalid', detail: gone };
  const own: Change = {
    branch: located.branch,
    events: [...stepEvents(input, located.record, held?.run)],
    artifacts: report.artifacts,
  };
  const base = await baseEvents(view, input, located.record, mine);
  const changes =
    own.branch === view.base
      ? [{ ...own, events: [...own.events, ...base] }]
      : [own, ...(base.length > 0 ? [{ branch: view.base, events: base }] : [])];
  const move = branchMove(job, report);
  return { changes, refs: move ? [move] : [] };
}

/** Why the branch cannot be moved: it has moved, or a person has it checked out. Null if it can be. */
async function branchTaken({ job: { lane }, report, repository }: RecordInput): Promise<string | null> {
  if (!lane || report.commit === null) return null;
  const { branch } = lane.link;
  const now = await readBranch(repository, branch);
  if (now?.folder) return `${branch} was checked out in ${now.folder} meanwhile`;
  if (now?.oid === report.commit || (now?.oid ?? null) === (lane.hasBranch ? lane.head : null)) return null;
  return `${branch} was moved by someone else meanwhile`;
}

/** Null when the branch stays where it is. */
export function branchMove({ lane }: StepJob, { commit }: StepReport): RefMove | null {
  if (!lane || commit === null) return null;
  return { ref: `refs/heads/${lane.link.branch}`, to: commit, from: lane.hasBranch ? lane.head : null };
}

function* stepEvents(
  { job, report, at }: RecordInput,
  record: TaskRecord,
  run: string | undefined,
): Generator<Event> {
  const by = job.agent;
  const { judged, spool } = report;
  yield {
    kind: 'step',
    at,
    by,
    id: job.id,
    step: { ...report.record, ...(run?.startsWith('github:') ? { run } : {}) },
  };
  for (const text of [...report.notes, ...report.remarks])
    yield { kind: 'note', at, by: 'gza', id: job.id, text };
  for (const note of spool.notes)
    if (note.id === job.id) yield { kind: 'note', at, by, id: job.id, text: note.text };
  for (const item of spool.adds.filter(({ parent }) => parent !== null)) {
    yield {
      kind: 'note',
      at,
      by,
      id: job.id,
      text: `[${spool.checked.includes(item.id) ? 'x' : ' '}] ${item.content}`,
    };
  }
  if (spool.believedDone && record.believed_done_at === undefined)
    yield { kind: 'believed-done', at, by, id: job.id };
  if (judged.stop) yield { kind: 'stop', at, id: job.id, stop: { ...judged.stop, at } };
}

async function baseEvents(
  view: LedgerView,
  { job, report, at, agentTasks }: RecordInput,
  record: TaskRecord,
  mine: boolean,
): Promise<Event[]> {
  const events: Event[] = [];
  events.push(
    ...endOfClaim(job.claim, mine, `${job.step} ended ${report.record.outcome}`, report.record, at),
  );
  if (report.baseline) {
    const marks = (await view.meta(view.base))?.marks ?? {};
    events.push(...baselineEvents(marks, report.baseline, onGithub, at));
  }
  const until = report.judged.limitedUntil;
  if (until !== undefined) events.push({ kind: 'limit', at, agent: job.agent, until });
  for (const item of report.spool.adds) {
    if (item.parent !== null) continue;
    const id = (await view.task(item.id))
      ? await freeId(view, `${item.content}\n${at}\n${job.claim}`)
      : item.id;
    events.push({ kind: 'add', at, by: job.agent, task: filedTask(id, item, record, job, at, agentTasks) });
  }
  return events;
}

/** The task inherits permissions, and waits for a person unless the configuration lets it run. */
function filedTask(
  id: string,
  item: { readonly content: string; readonly after: readonly string[]; readonly ref: string },
  of: TaskRecord,
  job: StepJob,
  at: string,
  agentTasks: Config['agent_tasks'],
): TaskRecord {
  return {
    id,
    type: 'task',
    title: titleOf(item.content),
    content: item.content,
    created_at: at,
    created_by: job.agent,
    key: `agent:${rootOf({ id: of.id, record: of })}:${item.ref}`,
    ...(item.after.length > 0 ? { depends_on: [...item.after] } : {}),
    ...definedOf(of, ['group', 'milestone', 'allow', 'budget', 'plan_file', 'project']),
    ...(agentTasks === 'run'
      ? {}
      : { stop: { reason: 'agent-task', detail: `filed by ${job.agent} while it worked on ${of.id}`, at } }),
  };
}

/** Keeps the work under a separate ref, where a person can look at it, without adding it to the lane. */
async function supersede(ledger: Ledger, input: RecordInput, refusal: Refusal): Promise<Recorded> {
  const { job, report, at } = input;
  const ref = report.commit === null ? null : `refs/gza/lost/${job.id}-${job.claim.slice(0, 8)}`;
  await ledger.write(async (view) => {
    // The task still pays for the step, although its work is set aside.
    const { head: _head, diff: _diff, verdict: _verdict, verified: _verified, ...record } = report.record;
    const step: StepRecord = { ...record, outcome: 'cancelled', error: refusal.detail };
    const changes = await costChanges(view, job, { step, why: refusal.detail, at });
    const refs = ref === null ? [] : [{ ref, to: report.commit, from: null }];
    return { changes, refs };
  });
  return { kind: 'superseded', ref, why: refusal.detail };
}

/** Records only the cost of a step, for the task and for the day. */
export async function costChanges(
  view: LedgerView,
  { id, claim, agent }: Pick<StepJob, 'id' | 'claim' | 'agent'>,
  { step, why, at }: { readonly step: StepRecord; readonly why: string; readonly at: string },
): Promise<Change[]> {
  const isHeld = (await view.meta(view.base))?.claims?.some((one) => one.id === claim) ?? false;
  const located = await view.task(id);
  const base = [...endOfClaim(claim, isHeld, why, step, at)];
  const own: Event[] = located ? [{ kind: 'step', at, by: agent, id, step }] : [];
  if (!located || located.branch === view.base) return [{ branch: view.base, events: [...own, ...base] }];
  const ofBase = base.length > 0 ? [{ branch: view.base, events: base }] : [];
  return [{ branch: located.branch, events: own }, ...ofBase];
}

/** Releases the claim with what the step used. If the claim is gone, the usage is recorded by itself. */
function* endOfClaim(
  claim: string,
  isHeld: boolean,
  why: string,
  step: StepRecord,
  at: string,
): Generator<Event> {
  const used = spentIn(step);
  if (isHeld) yield { kind: 'release', at, claim, why, ...used };
  else if (Object.keys(used).length > 0) yield { kind: 'spend', at, why, ...used };
}

/** What the step adds to the day's total. */
function spentIn({ cost_usd, input_tokens, output_tokens }: StepRecord): Spent {
  return {
    ...(cost_usd === undefined ? {} : { spent_usd: cost_usd }),
    ...(input_tokens === undefined ? {} : { input_tokens }),
    ...(output_tokens === undefined ? {} : { output_tokens }),
  };
}
