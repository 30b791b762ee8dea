import { expect, test } from '@jest/globals';
import type { StepRecord } from '../../src/core/ledger/record/record.ts';
import { noProgress } from '../../src/core/policy/steps-so-far.ts';
import type { Finding } from '../../src/core/review/finding.ts';
import { claimLine, isSameClaim } from '../../src/core/review/same-finding.ts';

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
    'the same sentence about something else, further away',
    finding('No check that the user is there.', 'src/cache.ts', 10),
    finding('No check that the order is there.', 'src/cache.ts', 90),
    false,
  ],
  [
    'the same sentence with one other word, where it was',
    finding('The map of sessions grows without bound.', 'src/cache.ts', 10),
    finding('The map of sessions grows without limit.', 'src/cache.ts', 14),
    true,
  ],
  [
    'a comparison told from its other end, with the file renamed',
    finding('Expired tokens are accepted because the comparison is inverted.', 'src/auth.ts', 12),
    finding('The inverted comparison lets expired tokens be accepted', 'src/login/auth.ts', 40),
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
  const said = (n: number, ...claims: readonly string[]): StepRecord[] =>
    cycle(n, `D${n}`, 'abcdef'.slice(0, claims.length), `D${n + 1}`).map((step) =>
      step.step === 'review'
        ? {
            ...step,
            findings: claims.map((_, at) => `!${n}${at}`),
            claims: claims.map((claim) => claimLine(finding(claim))),
          }
        : step,
    );
  const reworded = [
    said(1, 'The map of sessions grows without bound.', 'No test for errors.'),
    said(2, 'Sessions stay in the map: it grows for ever.'),
    said(3, 'Unused import.', 'The sessions map grows.'),
  ];
  expect(noProgress(reworded.flat())).toMatchObject({ reason: 'same-blocker-again' });
  expect(noProgress([1, 2, 3].flatMap((n) => said(n)))?.detail).toMatch(/^Reviews 1, 2, 3 .* no finding/);
  const numbers = [404, 500, 302].flatMap((code, at) => said(at + 1, `It answers ${code}.`));
  expect(noProgress(numbers)).toBe(null);
});
