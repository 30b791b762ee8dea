/**
 * What can happen to a ledger: one row for each kind of event, with its form and the sentence that people
 * read. An event is the body of a commit message under refs/tasks/, so its form is a contract: old ledgers
 * must stay readable. apply.ts defines what each event changes.
 */
import { GzaError } from '../errors.ts';
import {
  type Fields,
  flag,
  hash,
  json,
  line,
  list,
  longText,
  number,
  object,
  oneOf,
  orNull,
  type Read,
  type Reader,
  type ReadNeeded,
  type ReadOptional,
  type Report,
  time,
  word,
} from '../shape.ts';
import type { Task } from '../task/task.ts';
import {
  branchName,
  claimShape,
  closings,
  finalVerdict,
  laneShape,
  markedFiles,
  pullRequestShape,
  recordShape,
  stepShape,
  stopShape,
  type TaskRecord,
  taskId,
  taskShape,
} from './record/record.ts';

interface EventRow<R extends Fields, O extends Fields> {
  readonly required: R;
  readonly optional: O;
  readonly says: (event: ReadNeeded<R> & ReadOptional<O>) => string;
}

function row<R extends Fields, O extends Fields>(
  required: R,
  optional: O,
  says: EventRow<R, O>['says'],
): EventRow<R, O> {
  return { required, optional, says };
}

function onTask<R extends Fields, O extends Fields>(
  required: R,
  optional: O,
  says: EventRow<R & { id: typeof word }, O>['says'],
): EventRow<R & { id: typeof word }, O> {
  return { required: { id: word, ...required }, optional, says };
}

const records = list(recordShape, 5_000);
const fieldsSet = json as Reader<Partial<Record<keyof Task, unknown>>>;
const idsOf = (tasks: readonly TaskRecord[]) => tasks.map(({ id }) => id).join(', ');

const used = { spent_usd: number, input_tokens: number, output_tokens: number };

const rows = {
  /** A task was filed. */
  add: row({ task: recordShape }, {}, ({ task }) => `File ${task.id}: ${task.title}`),
  /** A task from a file entered the ledger, which owns its definition from now on. */
  adopt: row(
    { task: recordShape },
    {},
    ({ task }) => `Take ${task.id} from ${task.file ?? 'its file'}: ${task.title}`,
  ),
  /** Fields were set; null removes one. */
  edit: onTask({ set: fieldsSet }, {}, ({ id, set }) => `Edit ${id}: ${Object.keys(set).join(', ')}`),
  note: onTask({ text: longText }, {}, ({ id, text }) => `Note on ${id}: ${text}`),
  assign: onTask({ agent: orNull(word) }, {}, ({ id, agent }) =>
    agent ? `Assign ${id} to ${agent}` : `Unassign ${id}`,
  ),
  /** Closed by a person or by the engine. */
  close: onTask(
    { as: oneOf(closings) },
    {
      reason: longText,
      commit: hash,
      patch: hash,
      /** The commit at HEAD: the next commit after it closes the task. */
      link_next: hash,
      verdict: finalVerdict,
      notes: longText,
    },
    ({ id, as, reason }) => `Close ${id} as ${as}${reason ? `: ${reason}` : ''}`,
  ),
  /** The commit that closed the task became known, or was found again after a rebase. */
  link: onTask({ commit: hash }, { patch: hash }, ({ id, commit }) => `Link ${id} to ${commit.slice(0, 12)}`),
  /** The running agent reports its task as done; whether it is completed is up to verification. */
  'believed-done': onTask({}, {}, ({ id }) => `The agent believes that ${id} is done`),
  /** `goes_on`: finished work counts; otherwise the task starts over. */
  reopen: onTask({}, { reason: longText, goes_on: flag }, ({ id }) => `Reopen ${id}`),
  /** Repeats the failed phase. `from_start`: repeats the implementation on the same branch. */
  retry: onTask(
    {},
    { from_start: flag, redefined: taskShape },
    ({ id, from_start }) => `Retry ${id}${from_start ? ' from the start' : ''}`,
  ),
  reset: onTask({}, {}, ({ id }) => `Reset the attempts of ${id}`),
  unblock: onTask({}, {}, ({ id }) => `Unblock ${id}`),
  stop: onTask({ stop: stopShape }, {}, ({ id, stop }) => `${id} waits for a person: ${stop.detail}`),
  pause: onTask({ paused: flag }, {}, ({ id, paused }) => `${paused ? 'Pause' : 'Resume'} ${id}`),
  /** `allowed`: files that a person lets pass as they are; this approves nothing else. */
  approve: onTask({}, { reason: longText, allowed: markedFiles }, ({ id, allowed }) =>
    allowed ? `Let ${allowed.length} changed files of ${id} pass` : `Approve ${id}`,
  ),
  verdict: onTask({ verdict: orNull(finalVerdict) }, {}, ({ id, verdict }) =>
    verdict ? `Set the verdict of ${id} to ${verdict}` : `Clear the verdict of ${id}`,
  ),
  /** One more cycle beyond the limit. */
  'grant-cycle': onTask({}, {}, ({ id }) => `Grant ${id} one more review cycle`),
  split: onTask(
    { children: list(recordShape, 1_000) },
    {},
    ({ id, children }) => `Split ${id} into ${idsOf(children)}`,
  ),
  step: onTask(
    { step: stepShape },
    { not_before: time },
    ({ id, step }) => `${id}: ${step.step} ended ${step.verdict ?? step.outcome}`,
  ),
  'pull-request': onTask(
    { pull_request: pullRequestShape },
    {},
    ({ id, pull_request: { number: n, state } }) => `${id}: pull request #${n} is ${state}`,
  ),
  /** First event of a lane's ledger: its tasks move in. */
  'open-lane': row(
    { lane: laneShape, tasks: records },
    {},
    ({ lane, tasks }) => `Open lane ${lane.branch} for ${idsOf(tasks)}`,
  ),
  /** In the base ledger: from now on the lane's ledger keeps the task's progress. */
  'enter-lane': onTask({ lane: laneShape }, {}, ({ id, lane }) => `${id} enters lane ${lane.branch}`),
  /** In the base ledger: a lane ended and its tasks return. The lane's last commit is the second parent. */
  fold: row(
    { lane: laneShape, how: oneOf(['merged', 'closed', 'ended']), tasks: records },
    {},
    ({ lane, how, tasks }) => `Fold lane ${lane.branch} (${how}): ${idsOf(tasks)}`,
  ),
  /** Claims, spending and limits are in the base ledger, too. */
  claim: row({ claim: claimShape }, {}, ({ claim }) => `${claim.holder} claims ${claim.task}`),
  renew: row({ claim: word, until: time }, {}, ({ claim, until }) => `Renew claim ${claim} until ${until}`),
  /** Includes what the step used, counted for its day. */
  release: row({ claim: word, why: line }, used, ({ claim, why }) => `Release claim ${claim}: ${why}`),
  /** What a step used whose claim was gone before it ended, counted for its day. */
  spend: row({ why: line }, used, ({ why, spent_usd = 0 }) => `Spent $${spent_usd.toFixed(2)}: ${why}`),
  /** An agent met its usage limit, or may run again. */
  limit: row({ agent: word, until: orNull(time) }, {}, ({ agent, until }) =>
    until ? `${agent} is rate-limited until ${until}` : `${agent} may run again`,
  ),
  /** A file was put into the ledger's tree: plans/, explorations/, reviews/. */
  artifact: row({ path: line, blob: hash }, {}, ({ path }) => `Keep ${path}`),
  /** A named value that the engine keeps, such as a watermark or the number of the board. */
  mark: row({ name: word, value: orNull(longText) }, {}, ({ name }) => `Mark ${name}`),
  /** Two clones filed different tasks under one id; the one not yet shared got a longer id. */
  rename: row(
    { from: word, to: word },
    {},
    ({ from, to }) => `Rename ${from} to ${to}: the id was taken in another clone`,
  ),
};

type Rows = typeof rows;
export type EventKind = keyof Rows;

type FieldsOf<Row> = Row extends EventRow<infer R, infer O> ? ReadNeeded<R> & ReadOptional<O> : never;

/** `at` is an ISO time. `by` is who did it: a person, an agent or a run. */
export type Event = {
  [K in EventKind]: { kind: K; at: string; by?: string } & FieldsOf<Rows[K]>;
}[EventKind];

export type Spent = Omit<FieldsOf<Rows['release']>, 'claim' | 'why'>;

export const eventKinds = Object.keys(rows) as readonly EventKind[];

const readers = new Map<unknown, Reader>(
  Object.entries<Pick<EventRow<Fields, Fields>, 'required' | 'optional'>>(rows).map(
    ([kind, { required, optional }]) => [
      kind,
      object({ kind: oneOf([kind]), at: time, ...required }, { ...optional, by: word }),
    ],
  ),
);

const unknownKind = 'there is no event of kind';

/** The event in canonical form, or undefined if the value is not one. */
function readEvent(value: unknown, report: Report): Event | undefined {
  const kind = (value as { kind?: unknown } | null)?.kind;
  const reader = readers.get(kind);
  if (!reader) {
    report(`${unknownKind} ${JSON.stringify(kind)?.slice(0, 60)}`);
    return undefined;
  }
  return reader(value, report) as Event | undefined;
}

const lengthMax = 100;

/** The sentence that begins its commit message: one line of at most 100 characters. */
export function describeEvent(event: Event): string {
  const { says } = rows[event.kind] as unknown as { says: (event: Event) => string };
  return cut(says(event));
}

function cut(text: string): string {
  const one = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  return one.length <= lengthMax ? one : `${one.slice(0, lengthMax - 1)}…`;
}

const entryEventsMax = 20_000;

const droppedShape = object({
  event: readEvent,
  why: line,
  /** Who recorded it: the `by` of the event, or else the author of its commit. */
  by: word,
});

/** One commit of a ledger. */
const entryShape = object(
  {
    /** Random, so that a writer recognises its own commit on the ref. */
    nonce: word,
    events: list<Event>(readEvent, entryEventsMax),
  },
  {
    /** On a ledger's first commit: its branch and lane, so that a replay needs only the messages. */
    opens: object({ branch: branchName, lane: taskId }, { base: flag }),
    /** Events that a join could not keep. They change nothing and are only for people to read. */
    dropped: list(droppedShape, entryEventsMax),
  },
);
export interface LedgerEntry extends Read<typeof entryShape> {}

export type ParsedEntry =
  | { readonly kind: 'entry'; readonly entry: LedgerEntry }
  | {
      readonly kind: 'bad';
      readonly why: string;
      /** The event is of a kind that only a newer gza may know. */
      readonly isNewer?: boolean;
    };

/** Parses a commit message under refs/tasks/. */
export function parseEntry(message: string): ParsedEntry {
  const start = message.indexOf('\n\n');
  const body = start < 0 ? '' : message.slice(start + 2).trim();
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { kind: 'bad', why: 'its message does not end in an event' };
  }
  const problems: string[] = [];
  const entry = entryShape(value, (problem) => problems.push(problem));
  if (entry !== undefined) return { kind: 'entry', entry };
  const unknown = problems.find((one) => one.startsWith(unknownKind));
  if (unknown) return { kind: 'bad', why: unknown, isNewer: true };
  return { kind: 'bad', why: problems.at(-1) ?? 'its message holds no event' };
}

/** Prints a commit message: a sentence for people, then the events as one line of JSON. */
export function printEntry(entry: LedgerEntry): string {
  const problems: string[] = [];
  const canonical = entryShape(entry, (problem) => problems.push(problem));
  if (canonical === undefined || problems.length > 0) {
    const kinds = [...new Set(entry.events.map((event) => event.kind))].join(', ');
    throw new GzaError('input', `the event (${kinds}) cannot be stored: ${problems.join('; ')}`, {
      hint: 'A value is missing, of the wrong kind or too long.',
    });
  }
  return `${describeEntry(entry)}\n\n${JSON.stringify(canonical)}\n`;
}

/** Describes the events, or else what a join could not keep and why. */
function describeEntry({ events, dropped = [] }: LedgerEntry): string {
  const [first] = events;
  const [lost] = dropped;
  const also = dropped.length > 0 ? `; ${dropped.length} not kept` : '';
  if (first && events.length === 1) return `${describeEvent(first)}${also}`;
  if (first) return `${events.length} events: ${describeEvent(first)}, …${also}`;
  if (!lost) return 'Nothing happened';
  const all = dropped.length === 1 ? 'Not kept' : `${dropped.length} events not kept`;
  return `${all}: ${describeEvent(lost.event)} (${cut(lost.why)})`;
}
