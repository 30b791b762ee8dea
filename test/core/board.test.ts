import { describe, expect, test } from '@jest/globals';
import { isLeaf } from '../../src/core/board/board.ts';
import type { Closing } from '../../src/core/ledger/record/record.ts';
import { board, claim, did, earlier, type Given, item, now, viewOf } from './world.ts';

const texts = (given: readonly Given[], id: string, input = {}) =>
  viewOf(board(given, input), id).blockers.map(({ kind, text }) => `${kind}: blocked by ${text}`);
const gates = (fields: { approval?: boolean; requires_merge?: boolean }) => ({
  gates: () => ({ auto_review: true, approval: false, requires_merge: false, ...fields }),
});
const closed = (closed_as: Closing, fields: Partial<Given> = {}): Partial<Given> => ({
  closed_at: earlier,
  closed_as,
  ...fields,
});

describe('status', () => {
  test.each([
    ['pending', {}],
    ['pending', { fresh: true }],
    ['pending', { assigned_agent: 'ann' }],
    ['pending', { steps: [did('implement', { outcome: 'failed' })], attempts: 1 }],
    ['in_progress', { steps: [did('implement')] }],
    ['in_progress', { steps: [did('implement', { outcome: 'slice' })] }],
    ['blocked', { steps: [did('implement')], stop: { reason: 'x', detail: 'y', at: now } }],
    ['completed', closed('done')],
    ['completed', closed('done', { depends_on: ['gone'], paused_at: now })],
    ['skipped', closed('skipped')],
    ['skipped', closed('dropped')],
    ['failed', closed('failed')],
    ['blocked', { invalid: 'type: unknown' }],
  ] as [string, Partial<Given>][])('%s: %j', (status, fields) => {
    expect(viewOf(board([{ id: 'a', ...fields }]), 'a').status).toBe(status);
  });

  test('a live claim makes it in_progress, whatever it waits for; a dead one does not', () => {
    const given = [{ id: 'a', depends_on: ['b'] }, { id: 'b' }];
    const live = viewOf(board(given, { claims: [claim('a')] }), 'a');
    expect(live).toMatchObject({
      status: 'in_progress',
      claim: { task: 'a' },
      deadClaim: null,
      blockers: [],
    });
    const dead = viewOf(board(given, { claims: [claim('a', { until: earlier })] }), 'a');
    expect(dead).toMatchObject({ status: 'blocked', claim: null, deadClaim: { task: 'a' } });
  });

  test('who knows better than the clock decides whether a claim is alive', () => {
    const claims = [claim('a', { until: earlier, run: '1' }), claim('b')];
    const made = board([{ id: 'a' }, { id: 'b' }], { claims, alive: ({ run }) => run === '1' });
    expect([viewOf(made, 'a').status, viewOf(made, 'b').status]).toEqual(['in_progress', 'pending']);
  });

  test('a live claim is not hidden by a dead one on the same task', () => {
    const claims = [claim('a', { id: 'new' }), claim('a', { id: 'old', until: earlier })];
    expect(viewOf(board([{ id: 'a' }], { claims }), 'a').claim?.id).toBe('new');
  });

  test('of two definitions of one id the first in place counts, whatever the order given', () => {
    const items = [
      item({ id: 'a', title: 'second', position: 2 }),
      item({ id: 'a', title: 'first', position: 1 }),
    ];
    expect(viewOf(board([], { items }), 'a').task.title).toBe('first');
    expect(viewOf(board([], { items: items.toReversed() }), 'a').task.title).toBe('first');
  });
});

test('subtasks of equal age stand in the order of their ids, whatever the order given', () => {
  const items = ['k10', 'k9', 'p'].map((id) =>
    item({ id, position: 0, ...(id === 'p' ? {} : { parent: 'p' }) }),
  );
  expect(viewOf(board([], { items }), 'p').children).toEqual(['k9', 'k10']);
});

describe('blockers', () => {
  test.each([
    ['dependency: blocked by #b', { id: 'b' }],
    ['failed: blocked by #b, which failed', { id: 'b', ...closed('failed') }],
    [
      'failed: blocked by #b, which failed (3 tests fail)',
      { id: 'b', ...closed('failed'), error: '3 tests fail\nat x' },
    ],
    [
      'failed: blocked by #b, which failed (a [2J b)',
      { id: 'b', ...closed('failed'), error: 'a\u001b[2J\rb' },
    ],
    ['dropped: blocked by #b, which was dropped', { id: 'b', ...closed('dropped') }],
    [
      'dropped: blocked by #b, which was dropped (not wanted)',
      { id: 'b', ...closed('dropped'), closed_reason: 'not wanted' },
    ],
    ['missing: blocked by #b, which does not exist', { id: 'c' }],
    [
      'verdict: blocked by #b, which ended NEEDS_DISCUSSION',
      { id: 'b', ...closed('done'), final_verdict: 'NEEDS_DISCUSSION' },
    ],
  ] as [string, Given][])('%s', (text, other) => {
    expect(texts([{ id: 'a', depends_on: ['b'] }, other], 'a')).toEqual([text]);
  });

  test.each([
    ['done', closed('done')],
    ['skipped', closed('skipped')],
    ['approved', closed('done', { final_verdict: 'APPROVED' })],
    ['merged without approval', closed('done', { final_verdict: 'MAX_CYCLES_REACHED', merged_at: now })],
    [
      'an explicit review, whatever its verdict',
      closed('done', { type: 'review', final_verdict: 'CHANGES_REQUESTED' }),
    ],
  ] as [string, Partial<Given>][])('none when the dependency is %s', (_, other) => {
    expect(
      texts(
        [
          { id: 'a', depends_on: ['b'] },
          { id: 'b', ...other },
        ],
        'a',
      ),
    ).toEqual([]);
  });

  test('approval is awaited until it is given or the pull request is merged', () => {
    const plan = (fields: Partial<Given>) => [
      { id: 'a', depends_on: ['p'] },
      { id: 'p', type: 'plan' as const, ...closed('done', fields) },
    ];
    expect(texts(plan({}), 'a', gates({ approval: true }))).toEqual([
      'approval: blocked by #p, which waits for approval',
    ]);
    expect(texts(plan({ approved_at: now }), 'a', gates({ approval: true }))).toEqual([]);
    expect(texts(plan({ merged_at: now }), 'a', gates({ approval: true }))).toEqual([]);
  });

  test('requires: merged waits for the merge', () => {
    const given = (merged_at?: string): Given[] => [
      { id: 'a', depends_on: ['b'] },
      { id: 'b', ...closed('done'), lane: { id: 'l', branch: 'gza/b' }, ...(merged_at ? { merged_at } : {}) },
    ];
    expect(texts(given(), 'a', gates({ requires_merge: true }))).toEqual([
      'merge: blocked by #b, which is not merged',
    ]);
    expect(texts(given(now), 'a', gates({ requires_merge: true }))).toEqual([]);
  });

  test('a cycle is shown as a path, to each of its members and to nobody else', () => {
    const given = [
      { id: 'a', depends_on: ['b'] },
      { id: 'b', depends_on: ['c'] },
      { id: 'c', depends_on: ['a'] },
      { id: 'd', depends_on: ['a'] },
    ];
    expect(texts(given, 'b')).toEqual(['cycle: blocked by a dependency cycle: a → b → c → a']);
    expect(texts(given, 'd')).toEqual(['dependency: blocked by #a']);
  });

  test('a long cycle is shortened', () => {
    const given = Array.from({ length: 40 }, (_, n) => ({ id: `t${n}`, depends_on: [`t${(n + 1) % 40}`] }));
    expect(texts(given, 't20')).toEqual([
      'cycle: blocked by a dependency cycle: t0 → t1 → t2 → t3 → t4 → t5 → t6 → t7 → t8 → t9 → … → t0',
    ]);
  });

  test('all of them, what concerns the task itself first', () => {
    const stop = { reason: 'agent-blocked', detail: 'which\ndatabase?', at: now };
    const given = [{ id: 'a', depends_on: ['b', 'm'], invalid: 'bad', stop, paused_at: now }, { id: 'b' }];
    expect(texts(given, 'a')).toEqual([
      'invalid: blocked by its definition: bad',
      'person: blocked by a stop that a person must answer: which database?',
      'paused: blocked by a pause that a person asked for',
      'missing: blocked by #m, which does not exist',
      'dependency: blocked by #b',
    ]);
  });

  test('a task that has begun is past the gates that guard starting, not past a stop', () => {
    const begun = { id: 'a', depends_on: ['b'], steps: [did('implement')] };
    expect(viewOf(board([begun, { id: 'b' }]), 'a')).toMatchObject({ status: 'in_progress', blockers: [] });
    expect(texts([{ ...begun, paused_at: now }, { id: 'b' }], 'a')).toHaveLength(1);
  });
});

describe('children', () => {
  const family = (...kids: Partial<Given>[]): Given[] => [
    { id: 'p', closed_at: earlier, closed_as: 'split' },
    ...kids.map((kid, n) => ({ id: `k${n}`, parent: 'p', ...kid })),
    { id: 'after', depends_on: ['p'] },
  ];
  const done = closed('done');

  test.each([
    ['pending', [{}, {}]],
    ['in_progress', [done, {}]],
    ['in_progress', [{}, { steps: [did('implement')] }]],
    ['completed', [done, closed('skipped')]],
    ['failed', [done, closed('failed')]],
    ['blocked', [{ depends_on: ['k1'] }, { paused_at: now }]],
  ] as [string, Partial<Given>[]][])('a split task is %s when its children are %j', (status, kids) => {
    const parent = viewOf(board(family(...kids)), 'p');
    expect(parent.status).toBe(status);
    expect(isLeaf(parent)).toBe(false);
  });

  test('dependents wait for the children and learn which one fails or was dropped', () => {
    expect(texts(family({}, done), 'after')).toEqual(['dependency: blocked by #p']);
    expect(texts(family(done, done), 'after')).toEqual([]);
    expect(texts(family(done, closed('failed')), 'after')).toEqual([
      'failed: blocked by #p, which failed (its subtask #k1 failed)',
    ]);
    expect(texts(family(done, closed('dropped')), 'after')).toEqual([
      'dropped: blocked by #p, whose subtask #k1 was dropped',
    ]);
  });

  test('a parent at work is in_progress, and done only by itself', () => {
    const given = [{ id: 'p' }, { id: 'k', parent: 'p' }];
    expect(viewOf(board(given, { claims: [claim('p')] }), 'p').status).toBe('in_progress');
    const worked = { id: 'p', steps: [did('implement')] };
    expect(viewOf(board([worked, { id: 'k', parent: 'p' }]), 'p').status).toBe('in_progress');
    expect(viewOf(board([worked, { id: 'k', parent: 'p', ...done }]), 'p').status).toBe('in_progress');
    expect(
      viewOf(
        board([
          { ...worked, ...done },
          { id: 'k', parent: 'p', ...done },
        ]),
        'p',
      ).status,
    ).toBe('completed');
  });
});
