/** The form of every event, as it is read from a commit message under refs/tasks/. */

import type { Fields, Reader, Report } from '../shape.ts';
import {
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
  time,
  word,
} from '../shape.ts';
import type { Event, EventKind } from './event.ts';
import { closings } from './record/record.ts';
import {
  branchName,
  claimShape,
  finalVerdict,
  laneShape,
  pullRequestShape,
  recordShape,
  stepShape,
  stopShape,
  taskId,
  taskShape,
} from './record/record-shape.ts';

const happened = { at: time };
const by = { by: word };
const records = list(recordShape, 5_000);

function event(required: Fields, optional: Fields = {}): (kind: string) => Reader {
  return (kind) => object({ kind: oneOf([kind]), ...happened, ...required }, { ...optional, ...by });
}

function onTask(required: Fields = {}, optional: Fields = {}): (kind: string) => Reader {
  return event({ id: word, ...required }, optional);
}

const makers: Record<EventKind, (kind: string) => Reader> = {
  add: event({ task: recordShape }),
  adopt: event({ task: recordShape }),
  edit: onTask({ set: json }),
  note: onTask({ text: longText }),
  assign: onTask({ agent: orNull(word) }),
  close: onTask(
    { as: oneOf(closings) },
    { reason: longText, commit: hash, patch: hash, link_next: hash, verdict: finalVerdict, notes: longText },
  ),
  link: onTask({ commit: hash }, { patch: hash }),
  'believed-done': onTask(),
  reopen: onTask({}, { reason: longText }),
  retry: onTask({}, { from_start: flag, redefined: taskShape }),
  reset: onTask(),
  unblock: onTask(),
  stop: onTask({ stop: stopShape }),
  pause: onTask({ paused: flag }),
  approve: onTask({}, { reason: longText }),
  verdict: onTask({ verdict: orNull(finalVerdict) }),
  'grant-cycle': onTask(),
  split: onTask({ children: list(recordShape, 1_000) }),
  step: onTask({ step: stepShape }, { not_before: time }),
  'pull-request': onTask({ pull_request: pullRequestShape }),
  'open-lane': event({ lane: laneShape, tasks: records }),
  'enter-lane': onTask({ lane: laneShape }),
  fold: event({ lane: laneShape, how: oneOf(['merged', 'closed', 'ended']), tasks: records }),
  claim: event({ claim: claimShape }),
  renew: event({ claim: word, until: time }),
  release: event(
    { claim: word, why: line },
    { spent_usd: number, input_tokens: number, output_tokens: number },
  ),
  limit: event({ agent: word, until: orNull(time) }),
  artifact: event({ path: line, blob: hash }),
  mark: event({ name: word, value: orNull(longText) }),
  rename: event({ from: word, to: word }),
};

const readers = new Map(Object.entries(makers).map(([kind, make]) => [kind, make(kind)]));

export const unknownKind = 'there is no event of kind';

/** The event in canonical form, or undefined when it is none. */
export function readEvent(value: unknown, report: Report): Event | undefined {
  const kind = (value as { kind?: unknown } | null)?.kind;
  const reader = typeof kind === 'string' ? readers.get(kind) : undefined;
  if (!reader) {
    report(`${unknownKind} ${JSON.stringify(kind)?.slice(0, 60)}`);
    return undefined;
  }
  return reader(value, report) as Event | undefined;
}

export const opensShape = object({ branch: branchName, lane: taskId }, { base: flag });
