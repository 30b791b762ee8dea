/** The form of stored records: field names, their order on the line, and their limits. */

import { verdicts } from '../../review/verdict.ts';
import type { Fields, Reader } from '../../shape.ts';
import {
  checked,
  count,
  flag,
  hash,
  line,
  list,
  longText,
  number,
  object,
  oneOf,
  text,
  time,
  word,
} from '../../shape.ts';
import { branchNameFault, ledgerIdPattern } from '../../task/branch-name.ts';
import type { Task } from '../../task/task.ts';
import { allRows, type FieldRow, type Kind, neededFields } from '../../task/task-fields.ts';
import type { Claim, LaneLink, StepRecord, TaskRecord } from './record.ts';
import { closings, stepNames, stepOutcomes, stepsKeptMax } from './record.ts';

const words = list(word, 1_000);
const paths = list(line, 5_000);
const finalVerdict = oneOf([...verdicts, 'MAX_CYCLES_REACHED']);
/** These become names of refs, files and folders, and words of command lines. */
export const branchName = checked(250, (name) => branchNameFault(name, 250) === null);
export const taskId = checked(128, (id) => ledgerIdPattern.test(id));

/** A field that a type has and its shape forgets would be dropped when it is read: that must not compile. */
type FieldsOf<T> = Readonly<Record<keyof T, Reader>>;
/** How each kind of field is read from a stored line. It bounds less than a file's schema: old lines stay readable. */
const readers: Readonly<Record<Exclude<Kind, 'choice'>, Reader>> = {
  id: taskId,
  word,
  milestone: word,
  line,
  path: line,
  text: longText,
  branch: branchName,
  flag,
  count,
  minutes: number,
  dollars: number,
  names: words,
  ids: words,
  paths,
  lines: list(line, 200),
};

function readersOf(isNeeded: boolean): Fields {
  const entries = allRows.filter(([name]) => Object.hasOwn(neededFields, name) === isNeeded);
  return Object.fromEntries(entries.map(([name, row]) => [name, readerOf(name, row)]));
}

function readerOf(name: string, { kind, values = [] }: FieldRow): Reader {
  if (kind === 'choice') return oneOf(values);
  return name === 'title' ? text(500) : readers[kind];
}

const needed = readersOf(true);
const optional = readersOf(false);

export const taskShape = object(needed, optional);

export const laneShape = object({ id: taskId, branch: branchName }, {
  fork_point: hash,
  stacked_on: branchName,
  rebased: object({ from: hash, to: hash, diff: hash }, {}),
  folded_at: time,
} satisfies FieldsOf<Omit<LaneLink, 'id' | 'branch'>>);

export const stopShape = object({ reason: word, detail: longText, at: time });

export const pullRequestShape = object(
  { number: count, state: oneOf(['draft', 'open', 'merged', 'closed']) },
  { url: line },
);

export const stepShape = object(
  { step: oneOf(stepNames), outcome: oneOf(stepOutcomes), started_at: time, ended_at: time },
  {
    cycle: count,
    agent: word,
    agent_version: word,
    model: word,
    head: hash,
    diff: hash,
    verdict: oneOf(verdicts),
    findings: list(word, 1_000),
    verified: flag,
    error: longText,
    cost_usd: number,
    input_tokens: number,
    output_tokens: number,
    turns: number,
    session: word,
  } satisfies FieldsOf<Omit<StepRecord, 'step' | 'outcome' | 'started_at' | 'ended_at'>>,
);

const ofRecord = {
  created_by: word,
  file: line,
  key: line,
  was: taskId,
  notes: list(longText, 10_000),
  lane: laneShape,
  started_at: time,
  closed_at: time,
  closed_as: oneOf(closings),
  closed_reason: longText,
  closed_by: word,
  closed_commit: hash,
  closed_patch: hash,
  link_next: hash,
  believed_done_at: time,
  steps: list(stepShape, stepsKeptMax * 2),
  attempts: count,
  slices: count,
  error: longText,
  implementation_notes: longText,
  review_cycle: count,
  extra_cycles: count,
  final_verdict: finalVerdict,
  verdict_by: word,
  approved_at: time,
  approved_by: word,
  stop: stopShape,
  paused_at: time,
  not_before: time,
  pull_request: pullRequestShape,
  merged_at: time,
  cost_usd: number,
  input_tokens: number,
  output_tokens: number,
  seconds: number,
} satisfies FieldsOf<Omit<TaskRecord, keyof Task | 'created_at'>>;

export const recordShape: Reader = object({ ...needed, created_at: time }, { ...optional, ...ofRecord });

/** Where there is no lane, a claim names what stands for one: the task of a plan, the branch of a run in the folder. */
const claimedLane = checked(250, (lane) => branchNameFault(lane.replace(/^(task|here):/, ''), 250) === null);

export const claimShape = object(
  { id: word, task: taskId, lane: claimedLane, holder: word, at: time, until: time },
  {
    run: word,
    step: oneOf(stepNames),
    head: hash,
    files: paths,
    reserved_usd: number,
    agent: word,
  } satisfies FieldsOf<Omit<Claim, 'id' | 'task' | 'lane' | 'holder' | 'at' | 'until'>>,
);

export { finalVerdict };
