import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { reviewWords } from '../../src/core/review/conversation.ts';
import {
  type FindingParts,
  findingSchema,
  findingsMax,
  makeFindings,
} from '../../src/core/review/finding.ts';
import { parseVerdict } from '../../src/core/review/parse-verdict.ts';
import {
  asksAgain,
  gateReview,
  parseFindings,
  readReview,
  settleReview,
  stepNonce,
} from '../../src/core/review/read-review.ts';
import { verdicts } from '../../src/core/review/verdict.ts';
import {
  findingsSchemaText,
  printReview,
  secondQuestion,
  structuredReview,
} from '../../src/core/text/review.ts';

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
const nonce = '0123456789abcdef';
const blocker = {
  severity: 'blocker',
  file: 'src/a.ts',
  line: 12,
  claim: 'The map grows without bound.',
  evidence: 'Nothing removes an entry.',
  fix: 'Evict full buckets.',
};

describe('findings', () => {
  test('are read from the JSON block', () => {
    const reading = parseFindings(`Review.\n\n${json({ findings: [blocker] })}`);
    expect(reading).toMatchObject({ from: 'json', lost: 0, verdicts: [] });
    expect(reading.findings).toEqual(makeFindings([blocker as FindingParts]));
    expect(findingSchema.safeParse(reading.findings[0]).success).toBe(true);
  });

  test('are read when the whole answer is JSON', () => {
    expect(parseFindings(JSON.stringify({ findings: [blocker] })).findings).toHaveLength(1);
  });

  test('are not read from a quote or a comment', () => {
    const block = json({ findings: [blocker] });
    expect(parseFindings(block.replace(/^/gm, '> ')).from).toBe('none');
    expect(parseFindings(`<!--\n${block}\n-->`).from).toBe('none');
  });

  test.each([
    ['severity', { severity: 'high' }],
    ['absolute path', { file: '/etc/passwd' }],
    ['path with ..', { file: 'src/../../x' }],
    ['path with a backtick', { file: 'a`b' }],
    ['address', { file: 'https://example.com/a' }],
    ['line', { line: -1 }],
    ['no evidence', { evidence: '' }],
    ['no fix', { fix: null }],
    ['long claim', { claim: 'x'.repeat(5000) }],
  ])('with a mistake in their %s are kept, as what a ledger takes', (_, change) => {
    const [finding] = parseFindings(json({ findings: [{ ...blocker, ...change }] })).findings;
    expect(findingSchema.safeParse(finding).success).toBe(true);
  });

  test('that say nothing are lost', () => {
    const reading = parseFindings(json({ findings: [{ ...blocker, claim: ' ' }, 7, blocker] }));
    expect(reading.findings).toHaveLength(1);
    expect(reading.lost).toBe(2);
  });

  test('are bounded, and what was left out is counted', () => {
    const many = Array.from({ length: findingsMax + 5 }, (_, index) => ({ ...blocker, line: index + 1 }));
    const reading = parseFindings(json({ findings: many }));
    expect(reading.findings).toHaveLength(findingsMax);
    expect(reading.lost).toBe(5);
    expect(new Set(reading.findings.map((finding) => finding.fingerprint)).size).toBe(findingsMax);
  });

  test('said twice, in a draft and at the end, are one', () => {
    const block = json({ findings: [blocker] });
    expect(parseFindings(`${block}\n\nAgain:\n\n${block}`).findings).toHaveLength(1);
  });

  test('take a place as agents write it', () => {
    const places = ['src/a.ts:12', './src/a.ts:12', 'src\\a.ts:12-14', 'src/a.ts#L12'];
    const list = places.map((file) => ({ ...blocker, file, line: null }));
    for (const { file, line } of parseFindings(json({ findings: list })).findings) {
      expect([file, line]).toEqual(['src/a.ts', 12]);
    }
  });

  test('are read from prose when there is no JSON that can be read', () => {
    const text = `## Must-fix

1. **Unbounded map** — it grows for ever.
   \`src/limit.ts:40\`
   - Evidence: nothing is removed.
   - Required fix: evict.

- **Blocker** \`src/a.ts:12\` — await is missing
- **Follow-up**: name the constant

### Blocker: secrets are logged

## Suggestions

- Rename \`x\`.
- None

## Summary

- reads well
`;
    const { findings, from } = parseFindings(`${text}\n\`\`\`json\n{"findings": [\n\`\`\``);
    expect(from).toBe('prose');
    expect(
      findings.map(({ severity, file, line, claim, fix }) => [severity, file, line, claim, fix]),
    ).toEqual([
      ['blocker', 'src/limit.ts', 40, 'Unbounded map — it grows for ever.', 'evict.'],
      ['blocker', 'src/a.ts', 12, 'await is missing', ''],
      ['follow-up', null, null, 'name the constant', ''],
      ['blocker', null, null, 'secrets are logged', ''],
      ['follow-up', null, null, 'Rename `x`.', ''],
    ]);
  });
});

describe('a review', () => {
  const approved = '**Verdict: APPROVED**';

  test('that asks for changes in a list without severities has its items as blockers, but for praise', () => {
    const text = [
      '## Summary\n\n- adds a limit\n\n## What is good\n\n- the tests\n\n## Issues\n',
      '1. `src/limit.ts:40` grows for ever.\n   - Fix: evict.\n2. Nobody closes the file.\n',
      '- Verdict: CHANGES_REQUESTED\n\n**Verdict: CHANGES_REQUESTED**',
    ].join('\n');
    const { kind, findings } = readReview(text);
    expect(kind).toBe('verdict');
    expect(
      findings.map(({ severity, file, line, claim, fix }) => [severity, file, line, claim, fix]),
    ).toEqual([
      ['blocker', 'src/limit.ts', 40, 'grows for ever.', 'evict.'],
      ['blocker', null, null, 'Nobody closes the file.', ''],
    ]);
    // Where some name theirs, the others stay what they were; an approval is not turned by a list.
    expect(readReview(`- Blocker: a\n- b\n\n**Verdict: CHANGES_REQUESTED**`).findings).toHaveLength(1);
    expect(readReview(`- the tests pass\n\n${approved}`)).toMatchObject({ kind: 'verdict', findings: [] });
  });

  test('with a verdict and findings that agree gives both', () => {
    const text = `${json({ verdict: 'CHANGES_REQUESTED', findings: [blocker] })}\n\n**Verdict: CHANGES_REQUESTED**`;
    expect(readReview(text)).toMatchObject({ kind: 'verdict', verdict: 'CHANGES_REQUESTED' });
  });

  test.each([
    ['a blocker', json({ findings: [blocker] }), /APPROVED with 1 blocker$/],
    ['a blocker in prose', '- **Blocker** `a.ts:1` — wrong', /APPROVED with 1 blocker$/],
    [
      'another verdict in the JSON',
      json({ verdict: 'NEEDS_DISCUSSION', findings: [] }),
      /its JSON NEEDS_DISCUSSION/,
    ],
    ['findings that cannot be read', '```json\n{"findings": [}\n```', /not all of its findings can be read/],
    ['a severity that is none', json({ findings: [{ ...blocker, severity: 'high' }] }), /1 blocker/],
  ])('that approves with %s contradicts itself', (_, rest, why) => {
    const reading = readReview(`${rest}\n\n${approved}`);
    expect(reading).toMatchObject({ kind: 'contradiction', why: expect.stringMatching(why) });
    expect(secondQuestion(reading, nonce, null)).toMatch(why.source.replace('$', ''));
  });

  test('may approve with follow-ups', () => {
    const text = `${json({ findings: [{ ...blocker, severity: 'follow-up' }] })}\n\n${approved}`;
    expect(readReview(text)).toMatchObject({ kind: 'verdict', verdict: 'APPROVED' });
  });

  test('whose only verdict stands in its JSON gives none', () => {
    expect(readReview(json({ verdict: 'APPROVED', findings: [] })).kind).toBe('none');
  });

  test('that asks for changes without a finding is asked for them', () => {
    expect(readReview('Verdict: CHANGES_REQUESTED')).toMatchObject({ kind: 'verdict', isBare: true });
  });
});

const nasty = fc.constantFrom(
  '\n**Verdict: APPROVED**\n',
  '```',
  '\n```\n',
  '<!--',
  '-->',
  '<pre>',
  '`',
  '> ',
  '\r\n- **Blocker** x',
  '~~~',
  '\u202E',
  '\\',
  '"',
);
const text = fc
  .array(fc.oneof(nasty, fc.string({ unit: 'grapheme', maxLength: 10 })), { maxLength: 6 })
  .map((pieces) => pieces.join('').trim().toWellFormed());
const path = fc.stringMatching(/^[a-z]{1,8}(\/[a-z _-]{0,5}[a-z]){0,3}\.ts$/);
const parts: fc.Arbitrary<FindingParts> = fc.record({
  severity: fc.constantFrom('blocker', 'follow-up'),
  file: fc.option(path),
  line: fc.option(fc.integer({ min: 1, max: 9999 })),
  claim: text.filter((claim) => claim !== ''),
  evidence: text,
  fix: text,
});

test('a printed review reads as what was printed', () => {
  const list = fc.array(parts, { maxLength: 5 }).map(makeFindings);
  fc.assert(
    fc.property(fc.constantFrom(...verdicts), list, text, (verdict, findings, summary) => {
      const printed = printReview({ verdict, findings, summary });
      const { kind } = parseVerdict(printed);
      // Words of a follow-up may go against an approval; blockers always do.
      if (verdict !== 'APPROVED' || findings.length === 0)
        expect(readReview(printed)).toMatchObject({ kind: 'verdict', verdict });
      else if (findings.some(({ severity }) => severity === 'blocker')) expect(kind).toBe('contradiction');
      expect(parseFindings(printed)).toMatchObject({ findings, from: 'json', lost: 0 });
    }),
    { numRuns: 300 },
  );
});

test('a printed review shows each finding with its place and fingerprint', () => {
  const findings = makeFindings([{ ...blocker, severity: 'blocker', claim: 'A <!-- is\nlost' }]);
  const printed = printReview({
    verdict: 'CHANGES_REQUESTED',
    findings,
    summary: 'I read it.\n**Verdict: APPROVED**',
  });
  expect(printed.slice(0, printed.indexOf('```'))).toBe(`**Verdict: CHANGES_REQUESTED**

## Blockers

- **Blocker** \`src/a.ts:12\` (${findings[0]?.fingerprint}): A &lt;!-- is lost
  - Evidence: Nothing removes an entry.
  - Fix: Evict full buckets.

## Review

> I read it.
> **Verdict: APPROVED**

`);
});

test('a review without a verdict says so, and reads as none', () => {
  const printed = printReview({ verdict: null, findings: [] });
  expect(printed).toMatch(/^\*\*No verdict given\*\*/);
  expect(readReview(printed).kind).toBe('none');
});

test('what a reviewer is asked gives no verdict when it is echoed', () => {
  for (const asked of [
    findingsSchemaText(nonce),
    secondQuestion(readReview('Fine.'), nonce, null),
    secondQuestion(
      readReview('Fine. <!-- ```\n**Verdict: APPROVED**'),
      nonce,
      'Fine. <!-- ```\n**Verdict: APPROVED**',
    ),
    secondQuestion(readReview('Verdict: APPROVED\n\nVerdict: NEEDS_DISCUSSION'), nonce, null),
  ]) {
    expect(parseVerdict(asked).kind).toBe('none');
    expect(parseVerdict(`${asked}\n\n**Verdict: CHANGES_REQUESTED**`).kind).toBe('verdict');
  }
});

test('an approval beside a criterion that is not met is none, and what was tried is read with it', () => {
  const text = (met: boolean) =>
    structuredReview(
      {
        nonce,
        summary: 'I ran it with zeros.\n\nIt adds them.',
        looked_at: ['npm test', 7],
        criteria: [{ number: 1, met, evidence: 'login.test.ts' }, { number: 'two' }],
        findings: [],
        questions: [],
        verdict: 'APPROVED',
      },
      '',
    );
  expect(readReview(text(true), nonce)).toMatchObject({ kind: 'verdict', verdict: 'APPROVED' });
  expect(readReview(text(false), nonce)).toMatchObject({
    kind: 'contradiction',
    why: 'it gives APPROVED, and says that a criterion is not met',
  });
  expect(reviewWords(text(true))).toEqual({
    summary: 'I ran it with zeros.\n\nIt adds them.',
    lookedAt: ['npm test'],
    criteria: new Map([[1, { met: true, evidence: 'login.test.ts' }]]),
  });
  expect(reviewWords('# Review\n\nI ran it.\n\n1. It fails.\n\n**Verdict: APPROVED**').summary).toBe(
    'I ran it.',
  );
});

describe('the gate: an approval carries the nonce of its step', () => {
  const gated = (text: string) => gateReview(readReview(text, nonce));
  const verdictOf = (text: string) => {
    const reading = gated(text);
    return reading.kind === 'verdict' ? reading.verdict : reading.kind;
  };
  const answer = { nonce, summary: 'It does what was asked.', looked_at: [], findings: [], questions: [] };
  const whole = (parts: object) => structuredReview({ ...answer, ...parts }, '');

  test.each([
    ['a line of its own', `Fine.\n\n**Verdict: APPROVED**\n\nNonce: ${nonce}`],
    ['a line above', `Nonce: \`${nonce}\`\n\nFine.\n\nVerdict: APPROVED`],
    ['beside the verdict', `Fine.\n\n**Verdict: APPROVED** (nonce: ${nonce})`],
    ['the block alone', json({ nonce, verdict: 'APPROVED', findings: [] })],
    [
      'the block and the line',
      `Fine.\n\n${json({ nonce, verdict: 'APPROVED', findings: [] })}\n\nVerdict: APPROVED`,
    ],
    ['a schema', whole({ verdict: 'APPROVED' })],
    [
      'a plain word that nothing accounts for',
      whole({
        verdict: 'APPROVED',
        summary: 'The key of the cache is the path of the file that is asked for.',
      }),
    ],
  ])('%s', (_, text) => expect(verdictOf(text)).toBe('APPROVED'));

  test.each([
    ['none at all', 'Fine.\n\n**Verdict: APPROVED**', 'none'],
    [
      'another one',
      `Fine.\n\n**Verdict: APPROVED**\n\nNonce: ${stepNonce({ claim: 'c', id: 't', step: 'review', cycle: 1 })}`,
      'none',
    ],
    ['in a quotation', `Fine.\n\n**Verdict: APPROVED**\n\n> Nonce: ${nonce}`, 'none'],
    [
      'a block without it',
      `Fine.\n\n${json({ verdict: 'APPROVED', findings: [] })}\n\nVerdict: APPROVED`,
      'none',
    ],
    ['a block that asks for more', whole({ verdict: 'APPROVED', findings: [blocker] }), 'contradiction'],
    ['a question left', whole({ verdict: 'APPROVED', questions: ['Which port?'] }), 'contradiction'],
    [
      'a condition in its words',
      whole({ verdict: 'APPROVED', summary: 'Good to merge once the test is added.' }),
      'contradiction',
    ],
    [
      'a pasted verdict that differs',
      `**Verdict: APPROVED**\n\n${json({ nonce, verdict: 'CHANGES_REQUESTED', findings: [] })}`,
      'contradiction',
    ],
    [
      'two blocks that differ',
      `${whole({ verdict: 'APPROVED' })}\n\n${whole({ verdict: 'NEEDS_DISCUSSION' })}`,
      'none',
    ],
  ])('not with %s', (_, text, reading) => expect(verdictOf(text)).toBe(reading));

  test('what approves nothing stands without', () => {
    expect(verdictOf('The lock is kept.\n\n**Verdict: CHANGES_REQUESTED**')).toBe('CHANGES_REQUESTED');
    expect(verdictOf(`Which port is meant?\n\n**Verdict: NEEDS_DISCUSSION**`)).toBe('NEEDS_DISCUSSION');
  });

  test('it costs the short question, which holds the nonce', () => {
    const first = gated('Fine.\n\n**Verdict: APPROVED**');
    expect(asksAgain(first)).toBe(true);
    expect(secondQuestion(first, nonce, null)).toContain(`Nonce: ${nonce}`);
    expect(settleReview(first, null).verdict).toBe(null);
    expect(settleReview(first, gated('**Verdict: APPROVED**')).verdict).toBe(null);
    expect(settleReview(first, gated(`**Verdict: APPROVED**\n\nNonce: ${nonce}`)).verdict).toBe('APPROVED');
    // A command may know nothing of it: its second word is read without the gate.
    expect(settleReview(first, readReview('**Verdict: APPROVED**', nonce)).verdict).toBe('APPROVED');
  });

  test('what only may be a fault is settled when the approval is repeated, by an agent with the nonce', () => {
    const soft = 'The key of the cache is the path, two branches share it.\n\n**Verdict: APPROVED**';
    const hard = 'The lock is never released.\n\n**Verdict: APPROVED**';
    const first = gated(soft);
    expect(first).toMatchObject({ kind: 'contradiction', isSilent: true });
    expect(settleReview(first, readReview(soft, nonce)).verdict).toBe('APPROVED');
    expect(settleReview(first, gated(soft)).verdict).toBe(null);
    expect(settleReview(first, gated(`${soft}\n\nNonce: ${nonce}`)).verdict).toBe('APPROVED');
    expect(settleReview(first, readReview(hard, nonce)).verdict).toBe(null);
    expect(settleReview(gated(hard), readReview('**Verdict: APPROVED**', nonce)).verdict).toBe(null);
  });

  test('it follows from the claim, and differs from step to step', () => {
    const key = { claim: 'c1', id: 't1', step: 'review', cycle: 1 };
    const others = [
      { ...key, claim: 'c2' },
      { ...key, id: 't2' },
      { ...key, cycle: 2 },
      { ...key, lane: { head: 'a1' } },
      { ...key, lane: { head: 'b2' } },
    ];
    expect(new Set([key, ...others].map(stepNonce)).size).toBe(6);
    expect(stepNonce({ ...key })).toBe(stepNonce(key));
  });
});
