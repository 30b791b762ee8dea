import { expect, test } from '@jest/globals';
import { findingSchema, makeFindings, parseAnswers, repositoryPath } from '../../src/core/review/finding.ts';
import { fingerprint, fnv1a64 } from '../../src/core/review/same-finding.ts';

test('the hash is FNV-1a with 64 bits', () => {
  expect(fnv1a64('')).toBe('cbf29ce484222325');
  expect(fnv1a64('a')).toBe('af63dc4c8601ec8c');
  expect(fnv1a64('foobar')).toBe('85944171f73967e8');
  expect(fnv1a64('\u0161')).not.toBe(fnv1a64('a'));
});

test.each([
  ['another line', 'Missing await on line 12 of the loop', 'Missing await on line 340 of the loop'],
  ['a range', 'Missing await (lines 12-14)', 'Missing await (lines 3 to 9)'],
  ['case, emphasis and space', 'Missing **await**  in `run`', 'missing await\nin run'],
  ['numbers', 'Allocates 12 buckets', 'Allocates 13 buckets'],
  ['full stop', 'Missing await.', 'Missing await'],
])('a fingerprint survives %s', (_, one, other) => {
  expect(fingerprint('src/a.ts', other)).toBe(fingerprint('src/a.ts', one));
});

test('a fingerprint tells files, claims and scripts apart', () => {
  const names = [
    fingerprint('src/a.ts', 'Missing await'),
    fingerprint('src/b.ts', 'Missing await'),
    fingerprint(null, 'Missing await'),
    fingerprint('src/a.ts', 'Missing return'),
    fingerprint('src/a.ts', '缺少 await'),
    fingerprint('src/a.ts', '12'),
    fingerprint('src/a.ts', '13'),
    fingerprint('src/a.ts', 'Missing await', 1),
  ];
  expect(new Set(names).size).toBe(names.length);
});

test('the same claim at two places of a file makes two findings', () => {
  const part = { severity: 'blocker', file: 'a.ts', claim: 'Missing await', evidence: '', fix: '' } as const;
  const findings = makeFindings([
    { ...part, line: 1 },
    { ...part, line: 9 },
  ]);
  expect(findings[0]?.fingerprint).not.toBe(findings[1]?.fingerprint);
  expect(findings.every((finding) => findingSchema.safeParse(finding).success)).toBe(true);
});

test.each([
  '',
  '/a',
  '../a',
  'a/../b',
  'a//b',
  'C:\\a',
  'file:a',
  'a\nb',
  'a\u202Eb',
  'a`',
  './',
  'a/',
  'x'.repeat(301),
])('the path %j is refused', (path) => {
  expect(repositoryPath(path)).toBeNull();
});

const findings = makeFindings(
  ['one', 'two', 'three'].map((claim) => ({
    severity: 'blocker',
    file: 'a.ts',
    line: null,
    claim: claim,
    evidence: '',
    fix: '',
  })),
);
const answer = (index: number, word: string, evidence = ''): object => ({
  fingerprint: findings[index]?.fingerprint,
  answer: word,
  evidence,
});
const block = (answers: unknown): string => `Done.\n\n\`\`\`json\n${JSON.stringify({ answers })}\n\`\`\``;

test('a finding that is neither fixed nor disputed with evidence is unanswered', () => {
  const answers = parseAnswers(
    block([answer(0, 'fixed'), answer(1, 'disputed', 'See the test.'), answer(2, 'disputed')]),
  );
  const answered = answers.map(({ fingerprint }) => fingerprint);
  expect(findings.filter(({ fingerprint }) => !answered.includes(fingerprint))).toEqual([findings[2]]);
});

test('two answers that differ about one finding are none, also when a third agrees with one', () => {
  const answers = parseAnswers(
    block([
      answer(0, 'fixed'),
      answer(0, 'disputed', 'No.'),
      answer(0, 'fixed'),
      answer(1, 'fixed'),
      answer(1, 'fixed'),
    ]),
  );
  expect(answers).toHaveLength(1);
});

test.each([
  ['prose', 'I fixed everything.'],
  ['a quote', block([answer(0, 'fixed')]).replace(/^/gm, '> ')],
  ['broken JSON', '```json\n{"answers": [}\n```'],
  ['no list', block({})],
  ['no objects', block([1, null, 'x'])],
  ['no fingerprint', block([{ answer: 'fixed' }])],
  ['another word', block([answer(0, 'wontfix')])],
])('%s answers nothing', (_, text) => expect(parseAnswers(text)).toEqual([]));
