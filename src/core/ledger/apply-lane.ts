/** Events on lanes: tasks move in, come home, and leave artifacts. */

import { compareText } from '../natural-compare.ts';
import type { Event } from './event.ts';
import {
  type Applied,
  applied,
  isArtifactPath,
  type LedgerState,
  refuse,
  setFields as set,
} from './ledger-state.ts';
import type { TaskRecord } from './record/record.ts';

type LaneEvent = Extract<
  Event,
  { kind: 'open-lane' | 'enter-lane' | 'fold' | 'rename' | 'artifact' | 'mark' }
>;

export function applyToLane(state: LedgerState, event: LaneEvent): Applied {
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

/** A task that was still open when its lane was closed unmerged is dropped: it blocks dependents with a reason. */
function homeward(task: TaskRecord, event: Fold, known: TaskRecord | undefined): TaskRecord {
  if (event.how === 'merged') {
    if (!task.closed_at && !hasStarted(task, event, known)) return task;
    const merged = set(task, { merged_at: task.merged_at ?? event.at, stop: undefined });
    // Who merges accepts, also what had failed or was given up.
    const isDone = task.closed_as === 'done' || task.closed_as === 'skipped' || task.closed_as === 'split';
    return isDone
      ? merged
      : set(merged, { closed_at: event.at, closed_as: 'done', closed_reason: undefined });
  }
  // What was done elsewhere does not depend on this pull request.
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

/** One that only waited for its turn in the lane comes home open, and starts on a branch of its own. */
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
