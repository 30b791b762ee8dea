import { expect, test } from '@jest/globals';
import { noProgress, type ReviewCycle } from '../../src/core/policy/progress.ts';

/** A review of `diff` with blockers `names`, and the improve after it, which made `after` of it. */
function cycle(n: number, diff: string, names: string, after: string | null = null): ReviewCycle {
  return {
    n,
    diffId: diff,
    verdict: 'CHANGES_REQUESTED',
    findings: names.split('').map((fingerprint) => ({ fingerprint, severity: 'blocker' })),
    improve: after === null ? null : { diffIdAfter: after, changed: true },
  };
}

test.each<[string, readonly ReviewCycle[], string | null]>([
  ['nothing yet', [], null],
  ['one review', [cycle(1, 'A', 'x')], null],
  ['an improve that moved on', [cycle(1, 'A', 'x', 'B')], null],
  ['new findings on a new diff', [cycle(1, 'A', 'x', 'B'), cycle(2, 'B', 'y')], null],
  ['the same findings on a new diff', [cycle(1, 'A', 'x', 'B'), cycle(2, 'B', 'x')], null],
  ['the same findings on the same diff', [cycle(1, 'A', 'xy'), cycle(2, 'A', 'yx')], 'same-findings'],
  ['other findings on the same diff', [cycle(1, 'A', 'x'), cycle(2, 'A', 'y')], null],
  ['an improve that left the diff as it was', [cycle(1, 'A', 'x', 'A')], 'improve-without-effect'],
  [
    'an improve that says it changed nothing',
    [{ ...cycle(1, 'A', 'x'), improve: { diffIdAfter: 'B', changed: false } }],
    'improve-without-effect',
  ],
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
    ['A', 'B', 'C'].map((diff, index) => ({
      ...cycle(index + 1, diff, ''),
      findings: [{ fingerprint: 'x', severity: 'follow-up' as const }],
    })),
    null,
  ],
  [
    'an approval on the same diff',
    [cycle(1, 'A', 'x'), { ...cycle(2, 'A', 'x'), verdict: 'APPROVED' }],
    null,
  ],
  [
    'a review without a verdict between',
    [cycle(1, 'A', 'x'), { ...cycle(2, 'A', 'x'), verdict: null }],
    null,
  ],
  ['the first reason of several', [cycle(1, 'A', 'x'), cycle(2, 'A', 'x', 'A')], 'same-findings'],
])('%s', (_, history, reason) => {
  expect(noProgress(history)?.reason ?? null).toBe(reason);
});

test('the reason is told with the reviews it is about', () => {
  const history = [cycle(1, 'A', 'x', 'B'), cycle(2, 'B', 'x', 'C'), cycle(3, 'C', 'x')];
  expect(noProgress(history)?.detail).toBe('The same blocker (x) stands in reviews 1, 2, 3.');
});
