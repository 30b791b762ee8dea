/** Whether a branch is merged: each thing that stands in the way, in its order. */
import { describe, expect, test } from '@jest/globals';
import {
  judgeMerge,
  type MergeFacts,
  type MergeSeen,
  methodOf,
  printWish,
  readWish,
} from '../../src/core/policy/merging.ts';
import { board, viewOf } from './world.ts';

const head = 'a'.repeat(40);
const wish = { by: 'walter', at: '2026-01-02T12:00:00Z', leftAt: head };
const done = board([
  { id: 'a', closed_at: '2026-01-02T11:00:00Z', closed_as: 'done', final_verdict: 'APPROVED' },
]);
const seen: MergeSeen = { hasConflict: false, isClean: true, lines: 10, paths: ['docs/a.md'] };
const facts: MergeFacts = {
  wish,
  rules: undefined,
  tasks: [viewOf(done, 'a')],
  isAtWork: false,
  personCommits: false,
  leftAt: head,
  head,
  baseBranch: 'main',
  pull: { state: 'open', base: 'main', headCommit: head, red: [] },
  seen,
};
const pull = (fields: Partial<NonNullable<MergeFacts['pull']>>) => ({
  pull: { state: 'open' as const, base: 'main', headCommit: head, red: [], ...fields },
});
const said = (fields: Partial<MergeFacts>) => {
  const { kind, because } = judgeMerge({ ...facts, ...fields });
  return `${kind}: ${because}`;
};
const task = (fields: object) => [viewOf(board([{ id: 'a', ...fields }]), 'a')];

const step = {
  step: 'implement' as const,
  outcome: 'ok' as const,
  head,
  diff: 'd1',
  started_at: wish.at,
  ended_at: wish.at,
};
const rechecked = task({ closed_at: wish.at, closed_as: 'done', final_verdict: 'APPROVED', steps: [step] });

describe('what a person asked for', () => {
  test('is merged, after a look at what GitHub says', () => {
    expect(said({})).toBe('merge: walter asked for it');
    expect(said({ seen: null })).toMatch(/^look/);
    // A red check that nothing requires stops no person.
    expect(said({ seen: { ...seen, isClean: false, lines: 9_999 } })).toMatch(/^merge/);
  });

  test.each<[string, Partial<MergeFacts>, RegExp]>([
    ['nobody asked', { wish: null }, /^none/],
    ['it is merged', pull({ state: 'merged' }), /^none/],
    ['a person pushed', { personCommits: true }, /^stop: a person pushed commits/],
    ['it changed since', { leftAt: 'b'.repeat(40) }, /^stop: it changed after/],
    ['gza itself rebased it', { head: 'c'.repeat(40), ...pull({ headCommit: 'c'.repeat(40) }) }, /^merge/],
    [
      'gza itself rebased it, and checked it there',
      { wish: { ...wish, diff: 'd1' }, leftAt: 'c'.repeat(40), tasks: rechecked },
      /^merge/,
    ],
    ['it is open', { tasks: task({}) }, /^wait: a is still to be done/],
    [
      'it was not approved',
      { tasks: task({ closed_at: wish.at, closed_as: 'done', final_verdict: 'CHANGES_REQUESTED' }) },
      /^stop: a is not approved/,
    ],
    ['it failed', { tasks: task({ closed_at: wish.at, closed_as: 'failed' }) }, /^stop: a is not approved/],
    ['it is at work', { isAtWork: true }, /^wait/],
    ['it has no pull request', { pull: null }, /^wait: it has no pull request/],
    ['a required check is red', pull({ red: ['test'] }), /^stop: the required check test failed/],
    ['it stands on another', pull({ base: 'gza/low' }), /^wait: it stands on gza\/low/],
    ['it is a draft', pull({ state: 'draft' }), /^wait: its pull request is a draft/],
    ['GitHub lags behind', pull({ headCommit: 'd'.repeat(40) }), /^wait: GitHub does not show/],
    ['it conflicts', { seen: { ...seen, hasConflict: true } }, /^stop: it conflicts with main/],
  ])('not when %s', (_name, fields, expected) => {
    expect(said(fields)).toMatch(expected);
  });
});

describe('auto_merge', () => {
  const by = (rules: MergeFacts['rules'], fields: Partial<MergeFacts> = {}) =>
    said({ wish: null, rules, ...fields });

  test('takes what its rules let pass', () => {
    expect(by({})).toBe('merge: auto_merge lets it be merged');
    expect(by({ paths: ['docs/**'], lines: 10 })).toMatch(/^merge/);
  });

  test.each<[string, string]>([
    [by({ lines: 9 }), 'wait: auto_merge takes at most 9 changed lines, and it has 10'],
    [
      by({}, { seen: { ...seen, lines: 301 } }),
      'wait: auto_merge takes at most 300 changed lines, and it has 301',
    ],
    [by({ paths: ['src/**'] }), 'wait: auto_merge does not take changes of docs/a.md'],
    [
      by({ paths: ['docs/**'] }, { seen: { ...seen, paths: null } }),
      'wait: auto_merge cannot tell all its files',
    ],
    [
      by({}, { seen: { ...seen, isClean: false } }),
      'wait: auto_merge waits until all checks and rules let it pass',
    ],
    [
      by({}, { tasks: task({ closed_at: wish.at, closed_as: 'done' }) }),
      'wait: auto_merge takes what a review approved, and a had none',
    ],
    [
      by(
        {},
        { tasks: task({ closed_at: wish.at, closed_as: 'done', final_verdict: 'APPROVED', allowed: [] }) },
      ),
      'wait: auto_merge leaves to people what changed files that wait for a person, as a did',
    ],
    // It never stops for good: nobody has to ask again.
    [by({}, { personCommits: true }).slice(0, 6), 'wait: '],
  ])('%s', (is, expected) => {
    expect(is).toBe(expected);
  });
});

test('a wish survives being kept, and nothing else is taken for one', () => {
  for (const one of [wish, { ...wish, by: 'Walter W.', diff: 'd1' }])
    expect(readWish(printWish(one))).toEqual(one);
  expect([readWish(undefined), readWish(''), readWish(head)]).toEqual([null, null, null]);
});

test('the method is one that repository and rules allow', () => {
  const all = ['merge', 'squash', 'rebase'] as const;
  expect(methodOf(all, [])).toBe('squash');
  expect(methodOf(['merge'], [])).toBe('merge');
  expect(methodOf(['merge', 'rebase'], [{ type: 'required_linear_history' }])).toBe('rebase');
  expect(methodOf(all, [{ type: 'pull_request', methods: ['merge'] }])).toBe('merge');
  expect(methodOf(['merge'], [{ type: 'required_linear_history' }])).toBeNull();
});
