/** What a step came to: the parts that work and texts have in common, and how it gets into the ledgers. */
import type { Project } from '../../app/project.ts';
import { freeId } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { Config } from '../../core/config/config.ts';
import { liveClaim } from '../../core/ledger/apply.ts';
import type { Event, Spent } from '../../core/ledger/event.ts';
import type { Refusal } from '../../core/ledger/ledger-state.ts';
import { type Baseline, baselineEvents, onGithub } from '../../core/ledger/marks.ts';
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
  /** With all texts. */
  readonly view: TaskView;
  readonly job: StepJob;
  readonly repository: Repository;
  /** Where it was left; null where that is another machine. */
  readonly clone: SharedClone | null;
}

/** What a step came to, as plain data. */
export interface StepReport {
  readonly record: StepRecord;
  readonly judged: Judged;
  /** The new head of the lane's branch, when files were saved. */
  readonly commit: string | null;
  /** Nothing can be checked on the commit that it began from. */
  readonly baseline?: Baseline;
  readonly artifacts: readonly { readonly path: string; readonly text: string }[];
  /** For the record and for who watches. */
  readonly notes: readonly string[];
  /** For the record alone. */
  readonly remarks: readonly string[];
  readonly spool: SpoolReading;
  readonly gist: string;
  /** Where the agent ran; empty where that was another machine. */
  readonly log: string;
}

/** The line of a step in its task's record. */
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
  // Reasoning is a part of the output.
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

/** Of the lane as it was before the step. */
export async function currentDiff({ job: { lane }, repository }: ConcludeInput): Promise<string | null> {
  return lane && diffId(repository, { base: lane.compareWith, head: lane.head });
}

/** What an agent said with its own commands during a step. */
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

/** Tasks that agents may still file under the root of this one. */
function capLeft(board: Project['board'], view: TaskView): number {
  const root = rootOf(view);
  let filed = 0;
  for (const { record } of board.views.values()) if (record?.key?.startsWith(`agent:${root}:`)) filed += 1;
  return Math.max(0, agentTasksMax - filed);
}

/** Tasks that a task filed by an agent brings about count for the one that a person asked for. */
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

/** What a run of an agent means for its task: pure, the same on a laptop and in CI. */
interface OutcomeFacts {
  readonly kind: ResultKind;
  readonly error?: string | undefined;
  readonly resetAt?: string | undefined;
  /** Something was left that can be gone on from. */
  readonly hasWork: boolean;
  /** A note of the agent that says why it cannot go on. */
  readonly blocked: string | null;
  /** The task's steps before this one. */
  readonly steps?: readonly StepRecord[] | undefined;
  readonly now: string;
}

export interface Judged {
  readonly outcome: StepOutcome;
  readonly error?: string;
  /** How the run ended, where that says more than the outcome. */
  readonly ending?: ResultKind;
  /** A person must look, with a stable reason. */
  readonly stop?: { readonly reason: string; readonly detail: string };
  /** The agent may not be asked again before. */
  readonly limitedUntil?: string;
}

/** No plan's window is longer; a time beyond it was misread. */
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
      // A session that grew too long has left its work: a fresh one goes on with that.
      return { outcome: hasWork && kind === 'context' ? 'slice' : 'cancelled', ...ended };
    case 'death':
      return { outcome: 'lost', ...ended };
    case 'stopped':
      return { outcome: 'cancelled', ...ended };
    case 'attempt':
      return { outcome: 'failed', ...ended };
  }
}

/** What a step came to, into the ledgers: one transaction for branch, lane and base, safe to repeat. */
interface RecordInput {
  readonly job: StepJob;
  readonly report: StepReport;
  readonly at: string;
  readonly agentTasks: Config['agent_tasks'];
  /** Where the lane's branch is. */
  readonly repository: Repository;
}

type Recorded =
  | { readonly kind: 'recorded' }
  /** Someone else took the lane over meanwhile: the commit is kept under `ref`. */
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

/** Why the branch cannot be moved: a person moved it or works on it. The step's commit is kept aside then. */
async function branchTaken({ job: { lane }, report, repository }: RecordInput): Promise<string | null> {
  if (!lane || report.commit === null) return null;
  const { branch } = lane.link;
  const now = await readBranch(repository, branch);
  if (now?.folder) return `${branch} was checked out in ${now.folder} meanwhile`;
  if (now?.oid === report.commit || (now?.oid ?? null) === (lane.hasBranch ? lane.head : null)) return null;
  return `${branch} was moved by someone else meanwhile`;
}

/** Null where the branch stays as it is. */
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

/** It inherits what the lane may do, and waits for a person unless the team said otherwise. */
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

/** The work is not lost, but it does not become the lane's: a person can look at it. */
async function supersede(ledger: Ledger, input: RecordInput, refusal: Refusal): Promise<Recorded> {
  const { job, report, at } = input;
  const ref = report.commit === null ? null : `refs/gza/lost/${job.id}-${job.claim.slice(0, 8)}`;
  await ledger.write(async (view) => {
    // What it cost is the task's, though its work is not.
    const { head: _head, diff: _diff, verdict: _verdict, verified: _verified, ...record } = report.record;
    const step: StepRecord = { ...record, outcome: 'cancelled', error: refusal.detail };
    const changes = await costChanges(view, job, { step, why: refusal.detail, at });
    const refs = ref === null ? [] : [{ ref, to: report.commit, from: null }];
    return { changes, refs };
  });
  return { kind: 'superseded', ref, why: refusal.detail };
}

/** A step that leaves nothing but its cost: the task's, and the day's. */
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

/** The claim's release with what its step used; what was used is on record also where the claim is gone. */
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

/** For the day's sum. */
function spentIn({ cost_usd, input_tokens, output_tokens }: StepRecord): Spent {
  return {
    ...(cost_usd === undefined ? {} : { spent_usd: cost_usd }),
    ...(input_tokens === undefined ? {} : { input_tokens }),
    ...(output_tokens === undefined ? {} : { output_tokens }),
  };
}
