/**
 * Defines what every event means: (state, event) → changes, or a refusal. Replaying a ledger's events through
 * this must give its tree. Only records that `touches` names may be read, because a writer loads no others.
 */

import { compareText } from '../shape.ts';
import { applyToTask } from './apply-task.ts';
import type { Event, Spent } from './event.ts';
import {
  type Applied,
  applied,
  isArtifactPath,
  type LedgerMeta,
  type LedgerState,
  refuse,
  setFields as set,
} from './ledger-state.ts';
import type { Claim, TaskRecord } from './record/record.ts';

/** Which records, and whether the metadata, must be loaded to apply an event. */
interface Touches {
  readonly ids: readonly string[] | 'all';
  readonly meta: boolean;
}

export function touches(event: Event): Touches {
  switch (event.kind) {
    case 'add':
    case 'adopt':
      return { ids: [event.task.id], meta: false };
    case 'split':
      return { ids: [event.id, ...event.children.map((child) => child.id)], meta: false };
    case 'claim':
      return { ids: [event.claim.task], meta: true };
    case 'open-lane':
    case 'fold':
      return { ids: event.tasks.map((task) => task.id), meta: true };
    case 'rename':
      return { ids: 'all', meta: false };
    case 'renew':
    case 'release':
    case 'spend':
    case 'limit':
    case 'artifact':
    case 'mark':
      return { ids: [], meta: true };
    default:
      return { ids: [event.id], meta: false };
  }
}

export function apply(state: LedgerState, event: Event): Applied {
  switch (event.kind) {
    case 'claim':
    case 'renew':
    case 'release':
    case 'spend':
    case 'limit':
      return applyToClaims(state, event);
    case 'open-lane':
    case 'enter-lane':
    case 'fold':
    case 'rename':
    case 'artifact':
    case 'mark':
      return applyToLane(state, event);
    default:
      return applyToTask(state, event);
  }
}

/** Events on the claims and budgets of the base ledger. */

type ClaimEvent = Extract<Event, { kind: 'claim' | 'renew' | 'release' | 'spend' | 'limit' }>;

const daysKept = 35;

function applyToClaims(state: LedgerState, event: ClaimEvent): Applied {
  switch (event.kind) {
    case 'claim':
      return claim(state, event.claim, event.at);
    case 'renew':
      return renew(state, event);
    case 'release':
      return release(state, event);
    case 'spend':
      return changed(state, withUsed(state.meta, event));
    case 'limit':
      return changed(state, {
        not_before: withLimit(state.meta.not_before, event.agent, event.until, event.at),
      });
  }
}

/** The live claim that blocks work on a task or lane at a time, if any. */
export function liveClaim(
  claims: readonly Claim[] | undefined,
  { task, lane }: { task?: string; lane?: string },
  at: string,
): Claim | undefined {
  return claims?.find((held) => (held.task === task || held.lane === lane) && held.until > at);
}

function claim(state: LedgerState, wanted: Claim, at: string): Applied {
  const held = liveClaim(state.meta.claims, wanted, at);
  if (held && held.id !== wanted.id) {
    return {
      ...refuse('claimed', `${wanted.task} is held by ${held.holder} until ${held.until}`),
      claim: held,
    };
  }
  const record = state.tasks.get(wanted.task);
  if (record?.closed_at && !isAskedFor(record, wanted)) {
    return refuse('closed', `${wanted.task} is closed (${record.closed_as})`);
  }
  const holder = record?.assigned_agent;
  if (holder && holder !== wanted.holder && holder !== wanted.agent) {
    return refuse('assigned', `${wanted.task} is assigned to ${holder}`);
  }
  const others = (state.meta.claims ?? []).filter(
    (one) => one.id !== wanted.id && one.task !== wanted.task && one.lane !== wanted.lane,
  );
  const meta = set(state.meta, { claims: [...others, wanted] });
  if (!record || record.started_at) return applied({ meta });
  return applied({ meta, tasks: [set(record, { started_at: at })] });
}

/** A person may still ask for a review or an improve of a finished task; that does not reopen it. */
function isAskedFor({ closed_as }: TaskRecord, { step }: Claim): boolean {
  return closed_as === 'done' && (step === 'review' || step === 'improve');
}

function renew(state: LedgerState, event: Extract<Event, { kind: 'renew' }>): Applied {
  const claims = state.meta.claims ?? [];
  if (!claims.some((one) => one.id === event.claim)) return notHeld(event.claim);
  return changed(state, {
    claims: claims.map((one) => (one.id === event.claim ? { ...one, until: event.until } : one)),
  });
}

function release(state: LedgerState, event: Extract<Event, { kind: 'release' }>): Applied {
  const claims = state.meta.claims ?? [];
  if (!claims.some((one) => one.id === event.claim)) return notHeld(event.claim);
  const rest = claims.filter((one) => one.id !== event.claim);
  return changed(state, { claims: rest.length > 0 ? rest : undefined, ...withUsed(state.meta, event) });
}

function withUsed(
  { spent, tokens_in, tokens_out }: LedgerMeta,
  { at, spent_usd, input_tokens, output_tokens }: Spent & { readonly at: string },
) {
  const day = at.slice(0, 10);
  return {
    spent: withSpent(spent, day, spent_usd),
    tokens_in: withSpent(tokens_in, day, input_tokens),
    tokens_out: withSpent(tokens_out, day, output_tokens),
  };
}

function notHeld(claim: string): Applied {
  return refuse('not-held', `claim ${claim} is no longer held`);
}

function withSpent(
  spent: Record<string, number> | undefined,
  day: string,
  more: number | undefined,
): Record<string, number> | undefined {
  if (!more) return spent;
  const all = { ...spent, [day]: Math.round(((spent?.[day] ?? 0) + more) * 1e6) / 1e6 };
  const kept = Object.keys(all)
    .sort()
    .slice(-daysKept)
    .map((key) => [key, all[key] as number] as const);
  return Object.fromEntries(kept);
}

function withLimit(
  limits: Record<string, string> | undefined,
  agent: string,
  until: string | null,
  at: string,
): Record<string, string> | undefined {
  const live = Object.entries(limits ?? {}).filter(([name, time]) => name !== agent && time > at);
  if (until) live.push([agent, until]);
  live.sort(([a], [b]) => compareText(a, b));
  return live.length > 0 ? Object.fromEntries(live) : undefined;
}

function changed(state: LedgerState, fields: Parameters<typeof set<LedgerMeta>>[1]): Applied {
  return applied({ meta: set(state.meta, fields) });
}

/** Events on lanes: tasks move in, return to the base ledger, and leave artifacts. */

type LaneEvent = Extract<
  Event,
  { kind: 'open-lane' | 'enter-lane' | 'fold' | 'rename' | 'artifact' | 'mark' }
>;

function applyToLane(state: LedgerState, event: LaneEvent): Applied {
  switch (event.kind) {
    case 'open-lane':
      return openLane(state, event);
    case 'enter-lane': {
      const record = state.tasks.get(event.id);
      if (!record) return refuse('unknown', `${event.id} is not in this ledger`);
      const started_at = record.started_at ?? event.at;
      return applied({ tasks: [set(record, { lane: event.lane, started_at })] });
    }
    case 'fold':
      return fold(state, event);
    case 'rename':
      return rename(state, event.from, event.to);
    case 'artifact':
      if (!isArtifactPath(event.path))
        return refuse('invalid', `${JSON.stringify(event.path)} is no path for an artifact`);
      return applied({ artifacts: new Map([[event.path, event.blob]]) });
    case 'mark': {
      const marks = { ...state.meta.marks };
      if (event.value === null) delete marks[event.name];
      else marks[event.name] = event.value;
      const kept = Object.keys(marks).length > 0 ? sorted(marks) : undefined;
      return applied({ meta: set(state.meta, { marks: kept }) });
    }
  }
}

function sorted(marks: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(marks).sort(([a], [b]) => compareText(a, b)));
}

function openLane(state: LedgerState, event: Extract<Event, { kind: 'open-lane' }>): Applied {
  if (state.tasks.size > 0 && state.meta.lane !== event.lane.id) {
    return refuse('exists', `${state.meta.branch} holds another lane already (${state.meta.lane})`);
  }
  const taken = event.tasks.find((task) => state.tasks.has(task.id));
  if (taken) return refuse('exists', `${taken.id} is in this lane already`);
  const tasks = event.tasks.map((task) => set(task, { lane: event.lane }));
  return applied({ meta: set(state.meta, { lane: event.lane.id }), tasks });
}

type Fold = Extract<Event, { kind: 'fold' }>;

function fold(state: LedgerState, event: Fold): Applied {
  const again = event.tasks.find((task) => {
    const lane = state.tasks.get(task.id)?.lane;
    return lane?.id === event.lane.id && lane.folded_at !== undefined;
  });
  if (again) return refuse('folded', `lane ${event.lane.id} was folded already`);
  const lane = { ...event.lane, folded_at: event.at };
  const tasks = event.tasks.map((task) => set(homeward(task, event, state.tasks.get(task.id)), { lane }));
  const claims = state.meta.claims?.filter((claim) => claim.lane !== event.lane.branch);
  const meta = set(state.meta, { claims: claims && claims.length > 0 ? claims : undefined });
  return applied({ tasks, meta });
}

/**
 * A task still open when its lane was closed unmerged is dropped, so its dependents are blocked with a
 * reason.
 */
function homeward(task: TaskRecord, event: Fold, known: TaskRecord | undefined): TaskRecord {
  if (event.how === 'merged') {
    if (!task.closed_at && !hasStarted(task, event, known)) return task;
    const merged = set(task, { merged_at: task.merged_at ?? event.at, stop: undefined });
    // Merging accepts the work, even of a task that had failed or was given up.
    const isDone = task.closed_as === 'done' || task.closed_as === 'skipped' || task.closed_as === 'split';
    return isDone
      ? merged
      : set(merged, { closed_at: event.at, closed_as: 'done', closed_reason: undefined });
  }
  // A task that was done elsewhere does not depend on this pull request.
  if (event.how === 'closed' && task.closed_as !== 'skipped' && task.closed_as !== 'dropped') {
    return set(task, {
      closed_at: event.at,
      closed_as: 'dropped',
      closed_reason: 'its pull request was closed without merging',
      stop: undefined,
    });
  }
  return task;
}

/** A task that only waited for its turn in the lane returns open, and starts on a branch of its own. */
function hasStarted(task: TaskRecord, { lane }: Fold, known: TaskRecord | undefined): boolean {
  return Boolean(task.steps?.length) || task.started_at !== undefined || known?.lane?.id === lane.id;
}

function rename(state: LedgerState, from: string, to: string): Applied {
  const record = state.tasks.get(from);
  if (!record) return refuse('unknown', `${from} is not in this ledger`);
  if (state.tasks.has(to)) return refuse('exists', `${to} exists already`);
  const tasks: TaskRecord[] = [set(record, { id: to, was: from })];
  for (const other of state.tasks.values()) {
    if (other.id === from) continue;
    const follows = other.depends_on?.includes(from) || other.parent === from;
    if (!follows) continue;
    tasks.push(
      set(other, {
        depends_on: other.depends_on?.map((id) => (id === from ? to : id)),
        parent: other.parent === from ? to : other.parent,
      }),
    );
  }
  return applied({ removed: [from], tasks });
}
