/** Small worlds for the tests of the board and the rules: tasks in a few words, facts with defaults. */
import {
  type Board,
  type BoardInput,
  type BoardItem,
  buildBoard,
  isLeaf,
  type TaskView,
} from '../../src/core/board/board.ts';
import type { Claim, StepRecord, TaskRecord } from '../../src/core/ledger/record/record.ts';
import type { Facts, RuleSettings } from '../../src/core/policy/decide.ts';
import type { Readiness } from '../../src/core/policy/readiness.ts';

export const now = '2026-01-02T12:00:00Z';
export const earlier = '2026-01-02T11:00:00Z';
export const later = '2026-01-02T13:00:00Z';

/** A task with what happened to it; without `fresh`, it has a record. */
export type Given = Partial<TaskRecord> & {
  id: string;
  fresh?: boolean;
  invalid?: string;
  position?: number;
};

export function item({ fresh, invalid, position, ...given }: Given, at = 0): BoardItem {
  const record: TaskRecord = {
    type: 'implement',
    title: `Title of ${given.id}`,
    content: `Content of ${given.id}`,
    created_at: '2026-01-01T00:00:00Z',
    ...given,
  };
  return {
    task: record,
    record: fresh ? null : record,
    branch: fresh ? null : 'main',
    position: position ?? at,
    ...(invalid ? { invalid } : {}),
  };
}

export function board(given: readonly Given[], input: Partial<BoardInput> = {}): Board {
  return buildBoard({
    items: given.map(item),
    claims: [],
    now,
    gates: () => ({ auto_review: true, approval: false, requires_merge: false }),
    ...input,
  });
}

export function viewOf(of: Board, id: string): TaskView {
  const view = of.views.get(id);
  if (!view) throw new Error(`no task ${id}`);
  return view;
}

export function claim(task: string, fields: Partial<Claim> = {}): Claim {
  return { id: `c-${task}`, task, lane: `gza/${task}`, holder: 'ci', at: earlier, until: later, ...fields };
}

let clock = 0;

/** `did('implement')`, `did('review', { verdict: 'APPROVED', cycle: 1 })` */
export function did(step: StepRecord['step'], fields: Partial<StepRecord> = {}): StepRecord {
  clock += 1;
  const at = `2026-01-02T0${Math.floor(clock / 3600) % 10}:${String(Math.floor(clock / 60) % 60).padStart(2, '0')}:${String(clock % 60).padStart(2, '0')}Z`;
  return { step, outcome: 'ok', started_at: at, ended_at: at, ...fields };
}

export const settings: RuleSettings = {
  auto_review: true,
  max_review_cycles: 3,
  max_attempts: 3,
  max_slices: 2,
  budget: null,
  agents: ['claude'],
};

/** By the board alone. */
export const byBoard: Readiness = {
  isReady: (view) => view.status === 'pending' && isLeaf(view),
  isHolders: () => false,
  waits: () => null,
};

export type FactFields = Partial<Omit<Facts, 'settings'>> & { settings?: Partial<RuleSettings> };

export function factsOf(of: Board, { settings: own, ...fields }: FactFields = {}): Facts {
  return {
    board: of,
    settings: () => ({ ...settings, ...own }),
    lane: () => ({}),
    command: () => null,
    alive: (one) => one.until > of.now,
    limits: {},
    parallelWorkers: 1,
    dollarsLeft: null,
    agents: ['claude'],
    ...fields,
  };
}
