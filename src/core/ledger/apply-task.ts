/** Events on one task. */

import { endingOf } from '../policy/endings.ts';
import type { Task } from '../task/task.ts';
import { allRows, fieldRowOf, neededFields } from '../task/task-fields.ts';
import { addStep } from './apply-step.ts';
import type { Event } from './event.ts';
import {
  type Applied,
  applied,
  type LedgerState,
  type Refusal,
  refuse,
  setFields as set,
} from './ledger-state.ts';
import { type TaskRecord, type WaitingFile, waitsMax, waitsReason } from './record/record.ts';

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
      return reopen(record);
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

/** What a person says to files that wait, as they are now. */
export function letPass(waits: readonly WaitingFile[]) {
  return { kind: 'approve', allowed: waits.map(({ path, content }) => ({ path, content })) } as const;
}

/** As they were looked at: what changed since waits on. */
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

/** A result that a person does not accept is made anew; what was put aside goes on where it stood. */
function reopen(record: TaskRecord): TaskRecord | Refusal {
  if (!record.closed_at) return refuse('not-closed', `${record.id} is not closed`);
  const isFolded = record.lane?.folded_at !== undefined;
  return set(record, {
    ...reopened,
    ...fresh,
    final_verdict: undefined,
    verdict_by: undefined,
    ...(isFolded || record.closed_as === 'done' ? undone : {}),
    ...(isFolded ? { merged_at: undefined, pull_request: undefined } : {}),
  });
}

/** What a step that a person asks for again starts without. */
const fresh = {
  stop: undefined,
  attempts: undefined,
  slices: undefined,
  deaths: undefined,
  error: undefined,
} as const;

/** As if no step had been done. */
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

/** That a person answered the last step stays seen until the next one ends; see wasAnswered. */
function answered(record: TaskRecord, { at }: { at: string }): { not_before: string | undefined } {
  const last = record.steps?.at(-1);
  const means = last && endingOf(last)?.means;
  const isAsked =
    last !== undefined &&
    (last.outcome === 'blocked' || last.outcome === 'no-verdict' || means === 'cannot' || means === 'death');
  return { not_before: isAsked ? (at > last.ended_at ? at : last.ended_at) : undefined };
}

/** From its claim on; a filed task that is closed is a person's to correct again. */
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
  // A person may settle what failed or was dropped without opening it first.
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

/** Where a task belongs outlives a new definition: ledgers that are written this way must replay to the same tree. */
const belongings: ReadonlySet<string> = new Set(['parent', 'plan_file', 'project']);

/** Without the fields that the definition owns, so that another one leaves none of the old ones behind. */
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
