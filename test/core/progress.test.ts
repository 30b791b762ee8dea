import { expect, test } from '@jest/globals';
import type { StepRecord } from '../../src/core/ledger/record/record.ts';
import { noProgress } from '../../src/core/policy/progress.ts';

const times = { started_at: '2026-01-01T00:00:00Z', ended_at: '2026-01-01T00:01:00Z' };

/** A review of `diff` with blockers `names`, and the improve after it, which made `after` of it. */
function cycle(n: number, diff: string, names: string, after?: string, mark = '!'): StepRecord[] {
  const findings = names.split('').map((name) => `${mark}${name}`);
  const review = { step: 'review', outcome: 'ok', cycle: n, diff, findings, ...times } as const;
  const improve = { step: 'improve', outcome: 'ok', ...times } as const;
  return [
    { ...review, verdict: 'CHANGES_REQUESTED' },
    ...(after === undefined ? [] : [{ ...improve, diff: after }]),
  ];
}

test.each<[string, readonly StepRecord[][], string | null]>([
  ['nothing yet', [], null],
  ['one review', [cycle(1, 'A', 'x')], null],
  ['an improve that moved on', [cycle(1, 'A', 'x', 'B')], null],
  ['new findings on a new diff', [cycle(1, 'A', 'x', 'B'), cycle(2, 'B', 'y')], null],
  ['the same findings on a new diff', [cycle(1, 'A', 'x', 'B'), cycle(2, 'B', 'x')], null],
  ['the same findings on the same diff', [cycle(1, 'A', 'xy'), cycle(2, 'A', 'yx')], 'same-findings'],
  ['other findings on the same diff', [cycle(1, 'A', 'x'), cycle(2, 'A', 'y')], null],
  ['an improve that left the diff as it was', [cycle(1, 'A', 'x', 'A')], 'improve-without-effect'],
  ['an improve that undid the last', [cycle(1, 'A', 'x', 'B'), cycle(2, 'B', 'y', 'A')], 'diff-undone'],
  [
    'a diff that came back',
    [cycle(1, 'A', 'x', 'B'), cycle(2, 'B', 'y', 'C'), cycle(3, 'A', 'z')],
    'diff-undone',
  ],
  ['one blocker twice', [cycle(1, 'A', 'xa', 'B'), cycle(2, 'B', 'xb')], null],
  [
    'one blocker three times',
    [cycle(1, 'A', 'xa', 'B'), cycle(2, 'B', 'xb', 'C'), cycle(3, 'C', 'xc')],
    'same-blocker-again',
  ],
  [
    'one blocker three times, once away',
    [cycle(1, 'A', 'x', 'B'), cycle(2, 'B', 'x', 'C'), cycle(3, 'C', 'y', 'D'), cycle(4, 'D', 'x')],
    'same-blocker-again',
  ],
  [
    'a blocker that is gone from the last review',
    [cycle(1, 'A', 'x', 'B'), cycle(2, 'B', 'x', 'C'), cycle(3, 'C', 'x', 'D'), cycle(4, 'D', 'y')],
    null,
  ],
  [
    'a follow-up three times',
    ['A', 'B', 'C'].map((diff, index) => cycle(index + 1, diff, 'x', undefined, '')),
    null,
  ],
  [
    'an approval on the same diff',
    [cycle(1, 'A', 'x'), cycle(2, 'A', 'x').map((step) => ({ ...step, verdict: 'APPROVED' as const }))],
    null,
  ],
  ['the first reason of several', [cycle(1, 'A', 'x'), cycle(2, 'A', 'x', 'A')], 'same-findings'],
])('%s', (_, history, reason) => {
  expect(noProgress(history.flat())?.reason ?? null).toBe(reason);
});

test('the reason is told with the reviews it is about', () => {
  const history = [cycle(1, 'A', 'x', 'B'), cycle(2, 'B', 'x', 'C'), cycle(3, 'C', 'x')];
  expect(noProgress(history.flat())?.detail).toBe('The same blocker (x) stands in reviews 1, 2, 3.');
});
