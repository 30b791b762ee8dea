import { describe, expect, test } from '@jest/globals';
import { apply } from '../../src/core/ledger/apply.ts';
import { interruptionsMax } from '../../src/core/ledger/apply-task.ts';
import type { Event } from '../../src/core/ledger/event.ts';
import { emptyState, type LedgerState } from '../../src/core/ledger/ledger-state.ts';
import { type StepRecord, stepsKeptMax, type TaskRecord } from '../../src/core/ledger/record/record.ts';
import { withChanges } from './with-changes.ts';
import { claim, did, earlier, later, now } from './world.ts';

function ledger(fields: Partial<TaskRecord>): LedgerState {
  const task: TaskRecord = {
    id: 'a',
    type: 'implement',
    title: 'a',
    content: 'a',
    created_at: earlier,
    ...fields,
  };
  return withChanges(emptyState({ v: 1, branch: 'main', lane: 'l', base: true }), { tasks: [task] });
}

function after(fields: Partial<TaskRecord>, ...events: Event[]): TaskRecord {
  let state = ledger(fields);
  for (const event of events) {
    const applied = apply(state, event);
    if (applied.kind !== 'applied') throw new Error(applied.detail);
    state = withChanges(state, applied.changes);
  }
  return state.tasks.get('a')!;
}

const on = { at: now, id: 'a' };
const ended = (step: StepRecord): Event => ({ kind: 'step', ...on, step });
const closed = (closed_as: 'done' | 'failed' | 'dropped' | 'skipped') => ({ closed_at: earlier, closed_as });
const folded = { id: 'l1', branch: 'gza/a', folded_at: earlier };

describe('steps', () => {
  test('failures count, an ok step clears them, what only interrupts costs nothing', () => {
    const failed = after(
      {},
      ended(did('implement', { outcome: 'failed', error: 'x' })),
      ended(did('implement', { outcome: 'lost' })),
    );
    expect(failed).toMatchObject({ attempts: 2, error: 'x' });
    expect(after({ attempts: 2, error: 'x', slices: 1 }, ended(did('implement')))).not.toHaveProperty(
      'attempts',
    );
    for (const outcome of ['limit', 'cancelled', 'blocked', 'no-verdict', 'slice'] as const) {
      expect(after({ attempts: 1 }, ended(did('review', { outcome }))).attempts).toBe(1);
    }
  });

  test('interruptions without an end count as an attempt now and then', () => {
    const rows = (n: number) =>
      Array.from({ length: n }, () => ended(did('implement', { outcome: 'limit' })));
    expect(after({}, ...rows(interruptionsMax - 1)).attempts).toBeUndefined();
    expect(after({}, ...rows(interruptionsMax)).attempts).toBe(1);
    expect(after({}, ...rows(3 * interruptionsMax)).attempts).toBe(3);
  });

  test('of a long history the steps that succeeded stay, and the last one', () => {
    const many = Array.from({ length: 60 }, () => ended(did('review', { outcome: 'failed' })));
    const { steps } = after({}, ended(did('implement')), ...many);
    expect(steps).toHaveLength(stepsKeptMax);
    expect(steps?.[0]).toMatchObject({ step: 'implement', outcome: 'ok' });
  });

  test('a step that a person asked for answers the stop before it, not one set since', () => {
    const stop = (at: string) => ({ stop: { reason: 'x', detail: 'y', at } });
    const step = did('review', { verdict: 'CHANGES_REQUESTED', started_at: now });
    expect(after(stop(earlier), ended(step)).stop).toBeUndefined();
    expect(after(stop(later), ended(step)).stop).toBeDefined();
  });

  test('a review asked for after the end has the last word, unless a person gave it', () => {
    const done = { ...closed('done'), final_verdict: 'MAX_CYCLES_REACHED' as const };
    const approves = ended(did('review', { verdict: 'APPROVED', cycle: 4 }));
    expect(after(done, approves)).toMatchObject({
      final_verdict: 'APPROVED',
      review_cycle: 4,
      closed_as: 'done',
    });
    expect(after({ ...done, verdict_by: 'ann' }, approves).final_verdict).toBe('MAX_CYCLES_REACHED');
  });
});

describe('people', () => {
  const asked = did('implement', { outcome: 'blocked' });
  const history = {
    steps: [did('implement'), did('review', { verdict: 'APPROVED' })],
    review_cycle: 1,
    attempts: 3,
  };

  test('unblock and retry leave a trace that the question was answered', () => {
    expect(after({ steps: [asked] }, { kind: 'unblock', ...on }).not_before).toBe(now);
    expect(after({ steps: [asked] }, { kind: 'retry', ...on }).not_before).toBe(now);
    expect(after({ not_before: later }, { kind: 'unblock', ...on }).not_before).toBeUndefined();
    const late = { ...asked, ended_at: later };
    expect(after({ steps: [late] }, { kind: 'unblock', ...on }).not_before).toBe(later);
  });

  test('retry keeps what was done; from the start it does not', () => {
    const failed = { ...closed('failed'), ...history, extra_cycles: 1, approved_at: earlier };
    const again = after(failed, { kind: 'retry', ...on });
    expect(again).toMatchObject({ steps: history.steps, review_cycle: 1 });
    expect([again.closed_at, again.attempts]).toEqual([undefined, undefined]);
    const anew = after(failed, { kind: 'retry', ...on, from_start: true });
    expect([anew.steps, anew.review_cycle, anew.extra_cycles, anew.approved_at]).toEqual(
      Array(4).fill(undefined),
    );
  });

  test('what is reopened does not end at once again', () => {
    const done = after(
      { ...closed('done'), ...history, final_verdict: 'APPROVED' },
      { kind: 'reopen', ...on },
    );
    expect([done.steps, done.final_verdict, done.attempts]).toEqual([undefined, undefined, undefined]);
    expect(after({ ...closed('skipped'), ...history }, { kind: 'reopen', ...on }).steps).toEqual(
      history.steps,
    );
    const gone = after(
      { ...closed('dropped'), ...history, lane: folded, merged_at: earlier },
      { kind: 'reopen', ...on },
    );
    expect([gone.steps, gone.merged_at, gone.lane]).toEqual([undefined, undefined, folded]);
  });

  test('what failed or was dropped can be settled as done elsewhere', () => {
    const skip: Event = { kind: 'close', ...on, as: 'skipped' };
    expect(after(closed('failed'), skip).closed_as).toBe('skipped');
    expect(after(closed('dropped'), skip).closed_as).toBe('skipped');
    expect(apply(ledger(closed('done')), skip)).toMatchObject({ kind: 'refused', why: 'closed' });
    expect(apply(ledger(closed('failed')), { kind: 'close', ...on, as: 'failed' }).kind).toBe('refused');
  });
});

describe('claims and folds', () => {
  const wanted = (fields: object): Event => ({ kind: 'claim', at: now, claim: claim('a', fields) });

  test('a done task can be claimed for a review or an improve, nothing else that is closed', () => {
    expect(apply(ledger(closed('done')), wanted({ step: 'review' })).kind).toBe('applied');
    expect(apply(ledger(closed('done')), wanted({ step: 'improve' })).kind).toBe('applied');
    expect(apply(ledger(closed('done')), wanted({ step: 'implement' }))).toMatchObject({ why: 'closed' });
    expect(apply(ledger(closed('done')), wanted({}))).toMatchObject({ why: 'closed' });
    expect(apply(ledger(closed('dropped')), wanted({ step: 'review' }))).toMatchObject({ why: 'closed' });
  });

  test('a run may claim for the agent that the task is assigned to', () => {
    const assigned = ledger({ assigned_agent: 'claude' });
    expect(apply(assigned, wanted({ holder: 'run 1', agent: 'claude' })).kind).toBe('applied');
    expect(apply(assigned, wanted({ holder: 'run 1', agent: 'codex' }))).toMatchObject({ why: 'assigned' });
  });

  const fold = (how: 'merged' | 'closed', task: Partial<TaskRecord>): TaskRecord => {
    const moved: TaskRecord = {
      id: 'a',
      type: 'task',
      title: 'a',
      content: 'a',
      created_at: earlier,
      ...task,
    };
    return after({}, { kind: 'fold', at: now, lane: { id: 'l1', branch: 'gza/a' }, how, tasks: [moved] });
  };

  test('a merge completes what was worked on, also what had failed, and leaves open what was not begun', () => {
    expect(fold('merged', { steps: [did('implement')] })).toMatchObject({
      closed_as: 'done',
      merged_at: now,
    });
    expect(fold('merged', { ...closed('failed'), steps: [did('implement')] }).closed_as).toBe('done');
    expect(fold('merged', closed('skipped')).closed_as).toBe('skipped');
    expect(fold('merged', {})).not.toHaveProperty('closed_at');
  });

  test('a close drops what it held, not what was done elsewhere', () => {
    expect(fold('closed', { ...closed('done'), steps: [did('implement')] }).closed_as).toBe('dropped');
    expect(fold('closed', closed('skipped')).closed_as).toBe('skipped');
  });
});
