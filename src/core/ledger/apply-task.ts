/** Events on one task. */
import { endingOf } from '../policy/endings.ts';
import type { Task } from '../task/task.ts';
import { allRows, fieldRowOf, neededFields } from '../task/task-fields.ts';
import { parseTime } from '../time.ts';
import type { Event } from './event.ts';
import {
  type Applied,
  applied,
  type LedgerState,
  type Refusal,
  refuse,
  setFields as set,
} from './ledger-state.ts';
import {
  type StepRecord,
  stepsKeptMax,
  type TaskRecord,
  type WaitingFile,
  waitsMax,
  waitsReason,
} from './record/record.ts';

type OnTask = Exclude<Extract<Event, { id: string }>, { kind: 'enter-lane' }>;
type TaskEvent = OnTask | Extract<Event, { kind: 'add' | 'adopt' }>;

const notesMax = 1_000;
const noteCharactersMax = 20_000;

export function applyToTask(state: LedgerState, event: TaskEvent): Applied {
  if (event.kind === 'add' || event.kind === 'adopt') {
    if (state.tasks.has(event.task.id)) return refuse('exists', `${event.task.id} exists already`);
    return applied({ tasks: [event.task] });
  }
  const record = state.tasks.get(event.id);
  if (!record) return refuse('unknown', `${event.id} is not in this ledger`);
  if (event.kind === 'split') return split(state, record, event);
  const next = nextRecord(record, event);
  return 'kind' in next ? next : applied({ tasks: [next] });
}

function nextRecord(record: TaskRecord, event: Exclude<OnTask, { kind: 'split' }>): TaskRecord | Refusal {
  switch (event.kind) {
    case 'edit':
      return edit(record, event.set);
    case 'note':
      return addNote(record, event.text);
    case 'assign':
      return set(record, { assigned_agent: event.agent ?? undefined });
    case 'close':
      return close(record, event);
    case 'link':
      return set(record, { closed_commit: event.commit, closed_patch: event.patch, link_next: undefined });
    case 'believed-done':
      return set(record, { believed_done_at: event.at });
    case 'reopen':
      return reopen(record, event.goes_on === true);
    case 'retry':
      return retry(record, event);
    case 'reset':
      return reopenFailed(
        set(record, { attempts: undefined, slices: undefined, deaths: undefined, error: undefined }),
      );
    case 'unblock':
      return set(record, {
        stop: undefined,
        paused_at: undefined,
        slices: undefined,
        deaths: undefined,
        ...answered(record, event),
      });
    case 'stop':
      return set(record, { stop: event.stop });
    case 'pause':
      return set(record, { paused_at: event.paused ? event.at : undefined });
    case 'approve':
      if (event.allowed) return withAllowed(record, event.allowed);
      return set(record, { approved_at: event.at, approved_by: event.by, stop: undefined });
    case 'verdict':
      return set(record, {
        final_verdict: event.verdict ?? undefined,
        verdict_by: event.verdict ? event.by : undefined,
        ...(event.verdict === 'APPROVED' ? { stop: undefined } : {}),
      });
    case 'grant-cycle':
      return set(record, { extra_cycles: (record.extra_cycles ?? 0) + 1, stop: undefined });
    case 'step':
      return addStep(record, event.step, event.not_before);
    case 'pull-request':
      return set(record, {
        pull_request: event.pull_request,
        ...(event.pull_request.state === 'merged' ? { merged_at: record.merged_at ?? event.at } : {}),
      });
  }
}

/** Lets waiting files pass as they are now. */
export function allowFiles(waits: readonly WaitingFile[]) {
  return { kind: 'approve', allowed: waits.map(({ path, content }) => ({ path, content })) } as const;
}

/** Files are allowed only as the person saw them: a file that changed since keeps waiting. */
function withAllowed(record: TaskRecord, files: NonNullable<TaskRecord['allowed']>): TaskRecord {
  const isIn = (one: { path: string; content: string }) =>
    files.some(({ path, content }) => path === one.path && content === one.content);
  const waits = (record.waits ?? []).filter((one) => !isIn(one));
  const allowed = [...(record.allowed ?? []).filter((one) => !isIn(one)), ...files].slice(-waitsMax * 5);
  const isOver = waits.length === 0 && record.stop?.reason === waitsReason;
  return set(record, {
    waits: waits.length > 0 ? waits : undefined,
    allowed,
    ...(isOver ? { stop: undefined } : {}),
  });
}

const reopened = {
  closed_at: undefined,
  closed_as: undefined,
  closed_reason: undefined,
  closed_by: undefined,
  closed_commit: undefined,
  closed_patch: undefined,
  link_next: undefined,
} as const;

/**
 * A result that a person does not accept starts over; a task that was put aside continues where it stopped.
 */
function reopen(record: TaskRecord, goesOn: boolean): TaskRecord | Refusal {
  if (!record.closed_at) return refuse('not-closed', `${record.id} is not closed`);
  const isFolded = record.lane?.folded_at !== undefined;
  return set(record, {
    ...reopened,
    ...fresh,
    final_verdict: undefined,
    verdict_by: undefined,
    ...(isFolded || (record.closed_as === 'done' && !goesOn) ? undone : {}),
    ...(isFolded ? { merged_at: undefined, pull_request: undefined } : {}),
  });
}

/** Cleared when a person asks for a step again. */
const fresh = {
  stop: undefined,
  attempts: undefined,
  slices: undefined,
  deaths: undefined,
  error: undefined,
} as const;

/** Cleared as if no step had run. */
const undone = {
  steps: undefined,
  review_cycle: undefined,
  extra_cycles: undefined,
  final_verdict: undefined,
  verdict_by: undefined,
  approved_at: undefined,
  approved_by: undefined,
  believed_done_at: undefined,
} as const;

/** Remembers that a person answered the last step, until the next one ends; see wasAnswered. */
function answered(record: TaskRecord, { at }: { at: string }): { not_before: string | undefined } {
  const last = record.steps?.at(-1);
  const means = last && endingOf(last)?.means;
  const isAsked =
    last !== undefined &&
    (last.outcome === 'blocked' || last.outcome === 'no-verdict' || means === 'cannot' || means === 'death');
  return { not_before: isAsked ? (at > last.ended_at ? at : last.ended_at) : undefined };
}

/** A definition is fixed from the claim on. After a filed task is closed, a person may correct it again. */
export function isFixed({ started_at, closed_at, file }: TaskRecord): boolean {
  return closed_at === undefined ? started_at !== undefined : file !== undefined;
}

function edit(record: TaskRecord, fields: Partial<Record<keyof Task, unknown>>): TaskRecord | Refusal {
  const names = Object.keys(fields);
  if (names.includes('id')) return refuse('invalid', 'an id cannot be changed');
  const late = names.find((name) => fieldRowOf(name)?.afterClaim !== 'edited');
  if (isFixed(record) && late) {
    return refuse(
      'invalid',
      `${record.id} was ${record.closed_at ? 'closed' : 'claimed'}: its ${late} is fixed; group, milestone, priority and tags can still change`,
    );
  }
  const values = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value ?? undefined]),
  );
  return set(record, values);
}

function addNote(record: TaskRecord, text: string): TaskRecord | Refusal {
  const notes = record.notes ?? [];
  if (notes.length >= notesMax)
    return refuse('invalid', `${record.id} has ${notesMax} notes already, the limit`);
  if (text.length > noteCharactersMax) {
    return refuse('invalid', `the note has ${text.length} characters; ${noteCharactersMax} is the limit`);
  }
  return set(record, { notes: [...notes, text] });
}

function close(record: TaskRecord, event: Extract<Event, { kind: 'close' }>): TaskRecord | Refusal {
  // A person may settle a failed or dropped task without reopening it first.
  const maySettle =
    (record.closed_as === 'failed' || record.closed_as === 'dropped') && event.as !== 'failed';
  if (record.closed_at && !(maySettle && event.as !== record.closed_as)) {
    return refuse('closed', `${record.id} is closed already (${record.closed_as})`);
  }
  return set(record, {
    closed_at: event.at,
    closed_as: event.as,
    closed_reason: event.reason,
    closed_by: event.by,
    closed_commit: event.commit,
    closed_patch: event.patch,
    link_next: event.link_next,
    stop: undefined,
    paused_at: undefined,
    not_before: undefined,
    final_verdict: event.verdict ?? record.final_verdict,
    implementation_notes: event.notes ?? record.implementation_notes,
  });
}

function retry(record: TaskRecord, event: Extract<Event, { kind: 'retry' }>): TaskRecord | Refusal {
  if (record.closed_at && record.closed_as !== 'failed') {
    return refuse('closed', `${record.id} is closed (${record.closed_as}); reopen it first`);
  }
  const open = reopenFailed(
    set(record, {
      ...fresh,
      error: record.error,
      ...answered(record, event),
      ...(event.from_start ? undone : {}),
    }),
  );
  return event.redefined ? set(withoutDefinition(open), { ...event.redefined, id: record.id }) : open;
}

function reopenFailed(record: TaskRecord): TaskRecord {
  return record.closed_as === 'failed' ? set(record, { ...reopened, stop: undefined }) : record;
}

/**
 * These survive a new definition: existing ledgers were written this way and must replay to the same tree.
 */
const belongings: ReadonlySet<string> = new Set(['parent', 'plan_file', 'project']);

/** Without the fields that the definition owns, so that a new definition leaves no old ones behind. */
function withoutDefinition(record: TaskRecord): TaskRecord {
  const owned = allRows.filter(
    ([name, row]) => !row.afterClaim && !Object.hasOwn(neededFields, name) && !belongings.has(name),
  );
  return set(record, Object.fromEntries(owned.map(([name]) => [name, undefined])));
}

function split(state: LedgerState, record: TaskRecord, event: Extract<Event, { kind: 'split' }>): Applied {
  if (record.closed_at) return refuse('closed', `${record.id} is closed already (${record.closed_as})`);
  if (record.started_at) return refuse('invalid', `${record.id} has been started and cannot be split`);
  const taken = event.children.find((child) => state.tasks.has(child.id));
  if (taken) return refuse('exists', `${taken.id} exists already`);
  const parent = set(record, { closed_at: event.at, closed_as: 'split', closed_by: event.by });
  return applied({ tasks: [parent, ...event.children] });
}

/** What the end of a step changes in a task's record. */

/** This many stopped or limited tries in a row count as a failed attempt, so that no loop is endless. */
export const interruptionsMax = 10;

function addStep(record: TaskRecord, step: StepRecord, notBefore: string | undefined): TaskRecord {
  const steps = kept([...(record.steps ?? []), step]);
  const next = set(record, {
    ...sum(record, step),
    steps,
    started_at: record.started_at ?? step.started_at,
    ...(step.waits ? { waits: step.waits.length > 0 ? step.waits : undefined } : {}),
    not_before: notBefore,
    review_cycle:
      step.cycle === undefined ? record.review_cycle : Math.max(step.cycle, record.review_cycle ?? 0),
  });
  return step.outcome === 'ok' ? withSuccess(next, step) : withFailure(next, steps, step);
}

function withSuccess(record: TaskRecord, step: StepRecord): TaskRecord {
  const isLate = record.closed_at !== undefined;
  // A review that a person requested after the end decides, unless a person gave the verdict.
  const late = isLate && step.verdict && !record.verdict_by ? { final_verdict: step.verdict } : {};
  const isAnswered = isLate ? step.verdict === 'APPROVED' : (record.stop?.at ?? '') <= step.started_at;
  return set(record, {
    attempts: undefined,
    slices: undefined,
    deaths: undefined,
    error: undefined,
    ...(isAnswered ? { stop: undefined } : {}),
    ...late,
  });
}

function withFailure(record: TaskRecord, steps: readonly StepRecord[], step: StepRecord): TaskRecord {
  const { outcome } = step;
  const isDeath = outcome === 'lost' && step.ending !== undefined;
  const isFailed = outcome === 'failed' || (outcome === 'lost' && !isDeath) || isInterruptedAgain(steps);
  return set(record, {
    attempts: (record.attempts ?? 0) + (isFailed ? 1 : 0) || undefined,
    slices: (record.slices ?? 0) + (outcome === 'slice' ? 1 : 0) || undefined,
    deaths: isDeath ? (record.deaths ?? 0) + 1 : undefined,
    error: step.error ?? record.error,
  });
}

function isInterruptedAgain(steps: readonly StepRecord[]): boolean {
  const before = steps.findLastIndex(({ outcome }) => outcome !== 'limit' && outcome !== 'cancelled');
  const row = steps.length - 1 - before;
  // A full record has lost older tries, so they can no longer be counted.
  return row > 0 && (row % interruptionsMax === 0 || steps.length >= stepsKeptMax);
}

/** Drops the oldest step, but successful ones last, because they decide which step is next. */
function kept(steps: StepRecord[]): StepRecord[] {
  if (steps.length <= stepsKeptMax) return steps;
  const spare = steps.findIndex(({ outcome }, at) => outcome !== 'ok' && at < steps.length - 1);
  return steps.toSpliced(spare === -1 ? 1 : spare, 1);
}

function sum(record: TaskRecord, step: StepRecord) {
  const seconds = Math.max(0, Math.round((parseTime(step.ended_at) - parseTime(step.started_at)) / 1000));
  return {
    cost_usd: total(record.cost_usd, step.cost_usd),
    input_tokens: total(record.input_tokens, step.input_tokens),
    output_tokens: total(record.output_tokens, step.output_tokens),
    unpriced_tokens: total(record.unpriced_tokens, step.unpriced_tokens),
    seconds: total(record.seconds, seconds),
  };
}

function total(before: number | undefined, more: number | undefined): number | undefined {
  if (!more) return before;
  // Rounded to a millionth of a dollar, so that a replay adds up to the same digits.
  return Math.round(((before ?? 0) + more) * 1e6) / 1e6;
}
