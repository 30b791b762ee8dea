/**
 * What happened to a task: one line of a ledger. It holds facts, never a status; board.ts derives that. Each
 * field is described once, by its reader: that gives its type, its name, its order on the line and its
 * limits. Times are ISO 8601 in UTC.
 */
import { GzaError } from '../../errors.ts';
import { verdicts } from '../../review/verdict.ts';
import {
  checked,
  count,
  either,
  flag,
  hash,
  line,
  list,
  longText,
  map,
  number,
  object,
  oneOf,
  type Read,
  type Reader,
  type ReadOptional,
  text,
  time,
  word,
} from '../../shape.ts';
import { branchNameFault, ledgerIdPattern, type Task, type TaskType } from '../../task/task.ts';
import { allRows, neededFields } from '../../task/task-fields.ts';
import type { FieldRow, Kind } from '../../task/task-json.ts';

export const finalVerdict = oneOf([...verdicts, 'MAX_CYCLES_REACHED']);
export type FinalVerdict = Read<typeof finalVerdict>;

/** One agent run with one purpose. `task` runs as `implement`. */
export const stepNames = ['plan', 'explore', 'implement', 'review', 'improve'] as const;
export type StepName = (typeof stepNames)[number];

/**
 * How a step ended.
 * - `ok`: it did what it should.
 * - `failed`: it spends an attempt.
 * - `slice`: a turn or time limit cut it short, with work to show.
 * - `limit`: the agent met its usage limit; nothing is spent, and the task waits.
 * - `blocked`: the agent said that it cannot go on.
 * - `no-verdict`: a review without a clear verdict.
 * - `cancelled`: it was stopped, or no other try can change the result.
 * - `lost`: its process or machine died. With an ending it counts as a death, in older records as an attempt.
 */
export const stepOutcomes = [
  'ok',
  'failed',
  'slice',
  'limit',
  'blocked',
  'no-verdict',
  'cancelled',
  'lost',
] as const;
export type StepOutcome = (typeof stepOutcomes)[number];

export const closings = ['done', 'skipped', 'dropped', 'failed', 'split'] as const;
export type Closing = (typeof closings)[number];

/** These appear in names of refs, files and folders, and on command lines. */
export const branchName = checked(250, (name) => branchNameFault(name, 250) === null);
export const taskId = checked(128, (id) => ledgerIdPattern.test(id));

const words = list(word, 1_000);
const paths = list(line, 5_000);

/**
 * Reads each kind of field from a stored line. The limits are looser than a file's, so old lines stay
 * readable.
 */
const readers: Readonly<Record<Exclude<Kind, 'choice'>, Reader>> = {
  id: taskId,
  word,
  milestone: word,
  line,
  path: line,
  text: longText,
  branch: branchName,
  model: either(word, map(word, 100)),
  flag,
  count,
  minutes: number,
  dollars: number,
  names: words,
  ids: words,
  paths,
  lines: list(line, 200),
};

function readersOf(isNeeded: boolean) {
  const entries = allRows.filter(([name]) => Object.hasOwn(neededFields, name) === isNeeded);
  return Object.fromEntries(entries.map(([name, row]) => [name, readerOf(name, row)]));
}

function readerOf(name: string, { kind, values = [] }: FieldRow): Reader {
  if (kind === 'choice') return oneOf(values);
  return name === 'title' ? text(500) : readers[kind];
}

const needed = readersOf(true);
const optional = readersOf(false);

export const taskShape = object(needed, optional) as Reader as Reader<Task>;

export const laneShape = object(
  {
    /** Random. A ledger that reappears with the id of a folded lane is ignored. */
    id: taskId,
    branch: branchName,
  },
  {
    /** The commit where it began, and the branch that it is stacked on, if any. */
    fork_point: hash,
    stacked_on: branchName,
    /** The branches that `stacked_on` joins, if that is gza's own branch. */
    joins: list(branchName, 100),
    /** Set when gza itself moved the lane: the old commit, the new one, and the id of the diff there. */
    rebased: object({ from: hash, to: hash, diff: hash }),
    folded_at: time,
  },
);
export interface LaneLink extends Read<typeof laneShape> {}

/** Why a person must act: a stable word for scripts, a sentence for people. */
export const stopShape = object({ reason: word, detail: longText, at: time });
export interface Stop extends Read<typeof stopShape> {}

/** More changed files than this are refused instead of waiting for a person. */
export const waitsMax = 200;
/** The reason of a stop that is due to waiting files. */
export const waitsReason = 'changes-wait';
/** A file as it is in one commit: its mode and object, or that it is gone. */
const markShape = object({ path: line, content: word });
export const markedFiles = list(markShape, waitsMax * 5);
/** A file that an agent changed and that a person must let pass as it is. */
const waitingFiles = list(object({ path: line, why: line, content: word }), waitsMax);
export type WaitingFile = Read<typeof waitingFiles>[number];

export const pullRequestShape = object(
  { number: count, state: oneOf(['draft', 'open', 'merged', 'closed']) },
  { url: line },
);

export const stepShape = object(
  { step: oneOf(stepNames), outcome: oneOf(stepOutcomes), started_at: time, ended_at: time },
  {
    /** Review cycle it belongs to, from 1; 0 or absent before the first review. */
    cycle: count,
    agent: word,
    agent_version: word,
    model: word,
    /** The lane's commit after the step (implement, improve), or the one reviewed. */
    head: hash,
    /** Identity of the lane's diff (`git patch-id --verbatim`) after the step, or of the one reviewed. */
    diff: hash,
    verdict: oneOf(verdicts),
    /** Fingerprints of a review's findings; those of blockers begin with `!`. */
    findings: words,
    /** What the first findings claim, and where, for comparison with the next review. */
    claims: list(line, 30),
    /** Result of the checks after an implement or improve step. */
    verified: flag,
    /** Each check and its result, for people. */
    checked: list(line, 10),
    /** What the agent said at the end, shortened. */
    said: line,
    /** The CI run that it was a part of. */
    run: word,
    /**
     * Files that a person must let pass before the task continues. An empty list means that none wait any
     * more.
     */
    waits: waitingFiles,
    /** `named`: what people should know about the patch. `checks`: files it changed that judge the work. */
    named: list(line, 50),
    checks: list(line, 50),
    error: longText,
    /** How its run ended, if that says more than the outcome: a kind of core/policy/endings.ts. */
    ending: word,
    /** What its claim reserved for it. */
    reserved_usd: number,
    cost_usd: number,
    /** The date of the price table that a part of the cost comes from. */
    priced_as_of: word,
    input_tokens: number,
    output_tokens: number,
    /** Tokens that the cost leaves out, because nobody knows their price. */
    unpriced_tokens: number,
    turns: number,
    session: word,
  },
);
export interface StepRecord extends Read<typeof stepShape> {}

/** Only the last steps are kept; fields such as `cost_usd` also count the older ones. */
export const stepsKeptMax = 40;

const ofRecord = {
  created_by: word,
  /** The task file it came from when it was claimed. */
  file: line,
  /** Identity of an imported line, so that a second import recognises it. */
  key: line,
  /** The former id of a task whose id another clone had taken. */
  was: taskId,
  notes: list(longText, 10_000),
  lane: laneShape,
  started_at: time,
  closed_at: time,
  closed_as: oneOf(closings),
  closed_reason: longText,
  closed_by: word,
  closed_commit: hash,
  /** Patch id of the closing commit, to find it again after an amend or rebase. */
  closed_patch: hash,
  /** `done` was recorded without a commit: the next commit closes the task. */
  link_next: hash,
  /** The agent of the task's own run reported it as done. */
  believed_done_at: time,
  steps: list(stepShape, stepsKeptMax * 2),
  attempts: count,
  slices: count,
  /** How many machines or processes in a row died while working on it. */
  deaths: count,
  error: longText,
  implementation_notes: longText,
  /** Current review cycle; 0 = not started. */
  review_cycle: count,
  /** For an improve task: which review of its subject it answers, if not the last. */
  of_review: count,
  /** Cycles granted beyond max_review_cycles by a person. */
  extra_cycles: count,
  final_verdict: finalVerdict,
  verdict_by: word,
  approved_at: time,
  approved_by: word,
  /** `waits`: the waiting files after its last step. `allowed`: files that a person let pass. */
  waits: waitingFiles,
  allowed: markedFiles,
  stop: stopShape,
  paused_at: time,
  not_before: time,
  pull_request: pullRequestShape,
  merged_at: time,
  cost_usd: number,
  input_tokens: number,
  output_tokens: number,
  unpriced_tokens: number,
  seconds: number,
} as const;

export interface TaskRecord extends Task, ReadOptional<typeof ofRecord> {
  created_at: string;
}
export const recordShape = object(
  { ...needed, created_at: time },
  { ...optional, ...ofRecord },
) as Reader<TaskRecord>;

/**
 * A claim without a lane names a substitute: the task of a plan, or the branch of a run in the working
 * folder.
 */
const claimedLane = checked(250, (lane) => branchNameFault(lane.replace(/^(task|here):/, ''), 250) === null);

/** The right to work on a lane, with what it may spend. Kept in the base ledger. */
export const claimShape = object(
  {
    /** A nonce; releases and renewals refer to it. */
    id: word,
    task: taskId,
    /** Branch of the lane. */
    lane: claimedLane,
    /** An agent's name, a person, or a CI run. */
    holder: word,
    at: time,
    /** The claim is dead after this time unless renewed. */
    until: time,
  },
  {
    /** The CI run that holds it; the claim is alive until the forge says that the run is completed. */
    run: word,
    step: oneOf(stepNames),
    /** The lane's head when it was claimed. */
    head: hash,
    files: paths,
    reserved_usd: number,
    agent: word,
  },
);
export interface Claim extends Read<typeof claimShape> {}

/** One line of a ledger: keys in a fixed order, unset fields left out. */
export function printRecord(record: TaskRecord): string {
  const problems: string[] = [];
  const canonical = recordShape(record, (problem) => problems.push(problem));
  if (canonical === undefined || problems.length > 0) {
    throw new GzaError('input', `task ${record.id} cannot be stored: ${problems.join('; ')}`, {
      hint: 'Shorten or correct that field. Long material belongs into a file of the repository.',
    });
  }
  return JSON.stringify(canonical);
}

/**
 * A record defines its task if there is no file, or once the task is claimed or closed, whatever the file
 * says.
 */
export function isDefined(record: Pick<TaskRecord, 'file' | 'started_at' | 'closed_at'>): boolean {
  return record.file === undefined || record.started_at !== undefined || record.closed_at !== undefined;
}

export function stepOfType(type: TaskType): StepName {
  return type === 'task' ? 'implement' : type;
}
