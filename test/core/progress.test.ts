import { expect, test } from '@jest/globals';
import { noProgress, type ReviewCycle } from '../../src/core/policy/progress.ts';
import type { Finding } from '../../src/core/review/finding.ts';
import { claimLine, isSameClaim } from '../../src/core/review/same-finding.ts';

/** A review of `diff` with blockers `names`, and the improve after it, which made `after` of it. */
function cycle(n: number, diff: string, names: string, after: string | null = null): ReviewCycle {
  return {
    n,
    diffId: diff,
    verdict: 'CHANGES_REQUESTED',
    findings: names.split('').map((fingerprint) => ({ fingerprint, severity: 'blocker', claim: null })),
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
      findings: [{ fingerprint: 'x', severity: 'follow-up' as const, claim: null }],
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

const finding = (claim: string, file: string | null = 'src/cache.ts', line: number | null = 12): Finding => ({
  severity: 'blocker',
  file,
  line,
  claim,
  evidence: '',
  fix: '',
  fingerprint: '0'.repeat(16),
});

test.each<[string, Finding, Finding, boolean]>([
  [
    'other words',
    finding('The map of sessions grows without any bound.'),
    finding('Sessions are never removed from the map, so it grows and grows.'),
    true,
  ],
  [
    'another line',
    finding('The lock is kept on errors.'),
    finding('On errors the lock is kept', 'src/cache.ts', 80),
    true,
  ],
  [
    'a file that was renamed',
    finding('`parseDate()` accepts the 31st of February.'),
    finding('`parseDate()` accepts the 31st of February', 'lib/dates.ts'),
    true,
  ],
  [
    'numbers that are swapped',
    finding('It returns 404 and not 500.'),
    finding('It returns 500 and not 404.'),
    false,
  ],
  [
    'a line that it names itself',
    finding('On line 12 the lock is kept.'),
    finding('The lock is kept (line 40).'),
    true,
  ],
  [
    'another fault of the file',
    finding('The lock is kept on errors.'),
    finding('The test asserts nothing.'),
    false,
  ],
  ['another file', finding('The lock is kept.', 'a.ts'), finding('The file is kept open.', 'b.ts'), false],
  [
    'no file',
    finding('No test for an empty list', null, null),
    finding('An empty list has no test', null, null),
    true,
  ],
])('two findings are one or two: %s', (_, one, other, isSame) => {
  expect(isSameClaim(claimLine(one), claimLine(other))).toBe(isSame);
  expect(isSameClaim(claimLine(other), claimLine(one))).toBe(isSame);
});

test('a blocker that is only worded otherwise, or none at all, is no progress the third time', () => {
  const said = (n: number, claims: readonly string[]): ReviewCycle => ({
    ...cycle(n, `D${n}`, '', `D${n + 1}`),
    findings: claims.map((claim, at) => ({
      fingerprint: `${n}${at}`,
      severity: 'blocker',
      claim: claimLine(finding(claim)),
    })),
  });
  const reworded = [
    said(1, ['The map of sessions grows without bound.', 'No test for errors.']),
    said(2, ['Sessions stay in the map: it grows for ever.']),
    said(3, ['Unused import.', 'The sessions map grows.']),
  ];
  expect(noProgress(reworded)).toMatchObject({ reason: 'same-blocker-again' });
  expect(noProgress([1, 2, 3].map((n) => said(n, [])))?.detail).toMatch(/^Reviews 1, 2, 3 .* no finding/);
  const numbers = [404, 500, 302].map((code, at) => said(at + 1, [`It answers ${code}.`]));
  expect(noProgress(numbers)).toBe(null);
});
