import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { buildBoard } from '../../src/core/board/board.ts';
import { apply, touches } from '../../src/core/ledger/apply.ts';
import { describeEvent, type Event, eventKinds } from '../../src/core/ledger/event.ts';
import { emptyState, type LedgerState } from '../../src/core/ledger/ledger-state.ts';
import {
  type Claim,
  closings,
  stepNames,
  stepOutcomes,
  type TaskRecord,
} from '../../src/core/ledger/record/record.ts';
import { verdicts } from '../../src/core/review/verdict.ts';
import { withChanges } from './with-changes.ts';

const ids = ['a', 'b', 'c', 'd'];
const id = fc.constantFrom(...ids);
const at = fc
  .integer({ min: 0, max: 59 })
  .map((minute) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`);
const text = fc.string({ maxLength: 20 });

function record(name: string, created_at: string, depends_on: string[]): TaskRecord {
  return { id: name, type: 'implement', title: name, content: name, created_at, depends_on };
}

const task = fc.tuple(id, at, fc.subarray(ids)).map(([name, time, after]) =>
  record(
    name,
    time,
    after.filter((one) => one !== name),
  ),
);
const lane = fc.constantFrom({ id: 'lane-1', branch: 'gza/a' }, { id: 'lane-2', branch: 'gza/b' });
const claim: fc.Arbitrary<Claim> = fc.record({
  id: fc.constantFrom('c1', 'c2', 'c3'),
  task: id,
  lane: fc.constantFrom('gza/a', 'gza/b', 'gza/c'),
  holder: fc.constantFrom('ann', 'claude'),
  at,
  until: at,
});

/** Every kind of event, mostly sensible, often not possible in the state it meets. */
const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constantFrom('add' as const, 'adopt' as const), at, task }),
  fc.record({
    kind: fc.constant('edit' as const),
    at,
    id,
    set: fc.record({ group: fc.option(text), title: text }, { requiredKeys: [] }),
  }),
  fc.record({ kind: fc.constant('note' as const), at, id, text }),
  fc.record({ kind: fc.constant('assign' as const), at, id, agent: fc.option(text) }),
  fc.record({ kind: fc.constant('close' as const), at, id, as: fc.constantFrom(...closings) }),
  fc.record({ kind: fc.constant('link' as const), at, id, commit: fc.constant('abc1234') }),
  fc.record({
    kind: fc.constantFrom(
      'believed-done' as const,
      'reopen' as const,
      'retry' as const,
      'reset' as const,
      'unblock' as const,
      'approve' as const,
      'grant-cycle' as const,
    ),
    at,
    id,
  }),
  fc.record({
    kind: fc.constant('stop' as const),
    at,
    id,
    stop: fc.record({ reason: text, detail: text, at }),
  }),
  fc.record({ kind: fc.constant('pause' as const), at, id, paused: fc.boolean() }),
  fc.record({
    kind: fc.constant('verdict' as const),
    at,
    id,
    verdict: fc.option(fc.constantFrom(...verdicts)),
  }),
  fc.record({
    kind: fc.constant('split' as const),
    at,
    id,
    children: fc
      .array(task, { maxLength: 2 })
      .map((children) =>
        children.map((child, n) => ({ ...child, id: `${child.id}-${n}`, parent: child.id })),
      ),
  }),
  fc.record({
    kind: fc.constant('step' as const),
    at,
    id,
    step: fc.record({
      step: fc.constantFrom(...stepNames),
      outcome: fc.constantFrom(...stepOutcomes),
      started_at: at,
      ended_at: at,
      cycle: fc.integer({ min: 0, max: 4 }),
      cost_usd: fc.double({ min: 0, max: 5, noNaN: true }),
      error: text,
    }),
  }),
  fc.record({
    kind: fc.constant('pull-request' as const),
    at,
    id,
    pull_request: fc.record({ number: fc.nat(), state: fc.constantFrom('open' as const, 'merged' as const) }),
  }),
  fc.record({ kind: fc.constant('open-lane' as const), at, lane, tasks: fc.array(task, { maxLength: 2 }) }),
  fc.record({ kind: fc.constant('enter-lane' as const), at, id, lane }),
  fc.record({
    kind: fc.constant('fold' as const),
    at,
    lane,
    how: fc.constantFrom('merged' as const, 'closed' as const, 'ended' as const),
    tasks: fc.array(task, { maxLength: 2 }),
  }),
  fc.record({ kind: fc.constant('claim' as const), at, claim }),
  fc.record({ kind: fc.constant('renew' as const), at, claim: fc.constantFrom('c1', 'c2'), until: at }),
  fc.record({
    kind: fc.constant('release' as const),
    at,
    claim: fc.constantFrom('c1', 'c2'),
    why: text,
    spent_usd: fc.double({ min: 0, max: 5, noNaN: true }),
  }),
  fc.record({ kind: fc.constant('spend' as const), at, why: text, spent_usd: fc.constant(0.5) }),
  fc.record({ kind: fc.constant('limit' as const), at, agent: fc.constant('claude'), until: fc.option(at) }),
  fc.record({
    kind: fc.constant('artifact' as const),
    at,
    path: fc.constant('plans/a.md'),
    blob: fc.constant('abc'),
  }),
  fc.record({
    kind: fc.constant('mark' as const),
    at,
    name: fc.constantFrom('x', 'y'),
    value: fc.option(text),
  }),
  fc.record({ kind: fc.constant('rename' as const), at, from: id, to: fc.constantFrom('a2', 'b2') }),
);

function start(): LedgerState {
  return emptyState({ v: 1, branch: 'main', lane: 'base', base: true });
}

function step(state: LedgerState, one: Event): LedgerState {
  const applied = apply(state, one);
  return applied.kind === 'applied' ? withChanges(state, applied.changes) : state;
}

describe('apply', () => {
  test('the generator knows every kind of event', () => {
    const seen = new Set(fc.sample(event, 3000).map((one) => one.kind));
    expect([...seen].sort()).toEqual([...eventKinds].sort());
  });

  test('replaying the accepted events gives the same state', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let state = start();
        const accepted: Event[] = [];
        for (const one of events) {
          const applied = apply(state, one);
          if (applied.kind !== 'applied') continue;
          state = withChanges(state, applied.changes);
          accepted.push(one);
        }
        const stored = JSON.parse(JSON.stringify(accepted)) as Event[];
        expect(stored.reduce(step, start())).toEqual(state);
      }),
    );
  });

  test('an event changes nothing but what it touches', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), event, (events, last) => {
        const state = events.reduce(step, start());
        const { ids: touched, meta } = touches(last);
        const after = step(state, last);
        if (touched !== 'all') {
          for (const [name, before] of state.tasks)
            if (!touched.includes(name)) expect(after.tasks.get(name)).toBe(before);
          // What it does not name it must not need either: the result is the same on the named part alone.
          const part = {
            ...state,
            tasks: new Map([...state.tasks].filter(([name]) => touched.includes(name))),
          };
          if (last.kind !== 'open-lane') expect(apply(part, last)).toEqual(apply(state, last));
        }
        if (!meta) expect(after.meta).toBe(state.meta);
      }),
    );
  });

  test('no sequence of events reaches a task without a status', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), at, (events, now) => {
        const state = events.reduce(step, start());
        const board = buildBoard({
          items: [...state.tasks.values()].map((one, position) => ({
            task: one,
            record: one,
            branch: 'main',
            position,
          })),
          claims: state.meta.claims ?? [],
          now,
          gates: () => ({ auto_review: true, approval: false, requires_merge: false }),
        });
        expect(board.views.size).toBe(state.tasks.size);
        for (const view of board.views.values()) {
          expect(['pending', 'blocked', 'in_progress', 'completed', 'failed', 'skipped']).toContain(
            view.status,
          );
          // A finished task is never blocked by a gate that only guards starting.
          if (view.record?.closed_at) expect(view.blockers).toEqual([]);
          if (view.status === 'blocked' && view.children.length === 0) expect(view.blockers).not.toEqual([]);
        }
      }),
    );
  });

  test('a task or lane never has two live claims', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let state = start();
        for (const one of events) {
          state = step(state, one);
          const live = (state.meta.claims ?? []).filter((held) => held.until > one.at);
          expect(new Set(live.map((held) => held.task)).size).toBe(live.length);
          expect(new Set(live.map((held) => held.lane)).size).toBe(live.length);
        }
      }),
    );
  });

  test('two events on different tasks may come in either order', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), event, event, (events, one, other) => {
        const a = touches(one);
        const b = touches(other);
        fc.pre(a.ids !== 'all' && b.ids !== 'all' && !(a.meta && b.meta));
        fc.pre((a.ids as string[]).every((name) => !(b.ids as string[]).includes(name)));
        fc.pre(one.kind !== 'open-lane' && other.kind !== 'open-lane');
        const state = events.reduce(step, start());
        expect(step(step(state, one), other)).toEqual(step(step(state, other), one));
      }),
    );
  });

  test('a claim on a held task names its holder', () => {
    const held: Claim = {
      id: 'c1',
      task: 'a',
      lane: 'gza/a',
      holder: 'ann',
      at: '2026-01-01T00:00:00Z',
      until: '2026-01-01T01:00:00Z',
    };
    const state = step(start(), { kind: 'claim', at: held.at, claim: held });
    const second = apply(state, {
      kind: 'claim',
      at: '2026-01-01T00:30:00Z',
      claim: { ...held, id: 'c2', holder: 'bob' },
    });
    expect(second).toMatchObject({ kind: 'refused', why: 'claimed', claim: { holder: 'ann' } });
    const late = apply(state, {
      kind: 'claim',
      at: '2026-01-01T01:00:00Z',
      claim: { ...held, id: 'c2', holder: 'bob' },
    });
    expect(late.kind).toBe('applied');
  });

  test('what was claimed keeps its content; its group can still change', () => {
    const filed = step(start(), {
      kind: 'add',
      at: '2026-01-01T00:00:00Z',
      task: record('a', '2026-01-01T00:00:00Z', []),
    });
    const held: Claim = {
      id: 'c1',
      task: 'a',
      lane: 'gza/a',
      holder: 'ann',
      at: '2026-01-01T00:00:00Z',
      until: '2026-01-01T01:00:00Z',
    };
    const state = step(filed, { kind: 'claim', at: held.at, claim: held });
    expect(apply(state, { kind: 'edit', at: held.at, id: 'a', set: { content: 'other' } })).toMatchObject({
      kind: 'refused',
      why: 'invalid',
    });
    expect(
      step(state, { kind: 'edit', at: held.at, id: 'a', set: { group: 'g' } }).tasks.get('a')?.group,
    ).toBe('g');
  });

  test('every event has one line for people, also with line breaks in its text', () => {
    fc.assert(
      fc.property(event, (one) => {
        const line = describeEvent(one);
        expect(line).not.toMatch(/\p{Cc}/u);
        expect(line.length).toBeGreaterThan(0);
        expect(line.length).toBeLessThanOrEqual(100);
      }),
    );
  });
});

test('a retry with a new definition leaves none of the old one, and keeps where the task belongs', () => {
  const belongs = { parent: 'p', plan_file: 'docs/plan.md', project: 'shop' };
  const old = { ...record('a', '2026-01-01T00:00:00Z', ['b']), ...belongs, verify: 'npm test' };
  const given = withChanges(emptyState({ v: 1, branch: 'main', lane: 'l', base: true }), { tasks: [old] });
  const applied = apply(given, {
    kind: 'retry',
    at: '2026-01-01T00:01:00Z',
    by: 'ann',
    id: 'a',
    redefined: { id: 'a', type: 'implement', title: 'New', content: 'New.' },
  });
  if (applied.kind !== 'applied') throw new Error(JSON.stringify(applied));
  const after = withChanges(given, applied.changes).tasks.get('a');
  expect(after).toMatchObject({ title: 'New', ...belongs });
  expect([after?.verify, after?.depends_on]).toEqual([undefined, undefined]);
});
