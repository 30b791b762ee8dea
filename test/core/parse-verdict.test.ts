import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseVerdict } from '../../src/core/review/parse-verdict.ts';
import { verdicts } from '../../src/core/review/verdict.ts';
import { verdictTable } from './verdict-table.ts';

const readingOf = (text: string): string => {
  const reading = parseVerdict(text);
  return reading.kind === 'verdict' ? reading.verdict : reading.kind;
};

test('the table holds at least 150 reviews, no two the same', () => {
  expect(new Set(verdictTable.map(({ text }) => text)).size).toBe(verdictTable.length);
  expect(verdictTable.length).toBeGreaterThanOrEqual(150);
});

describe.each(['APPROVED', 'CHANGES_REQUESTED', 'NEEDS_DISCUSSION', 'none', 'contradiction'] as const)(
  'a review is read as %s',
  (kind) => {
    test.each(verdictTable.filter(({ expected }) => expected === kind))('$name', ({ text, expected }) => {
      expect(readingOf(text)).toBe(expected);
    });
  },
);

test('the reading tells the line of the verdict, and the lines of a contradiction', () => {
  expect(parseVerdict('a\r\n\r\n**Verdict: APPROVED**')).toEqual({
    kind: 'verdict',
    verdict: 'APPROVED',
    line: 3,
  });
  expect(parseVerdict('Verdict: APPROVED\n\nVerdict: NEEDS_DISCUSSION')).toEqual({
    kind: 'contradiction',
    verdicts: ['APPROVED', 'NEEDS_DISCUSSION'],
    lines: [1, 3],
  });
  expect(parseVerdict('Verdict: APPROVED\n\nVerdict: rejected')).toEqual({
    kind: 'contradiction',
    verdicts: ['APPROVED'],
    lines: [1, 3],
  });
});

const verdictLine = fc
  .tuple(
    fc.constantFrom('**Verdict: $**', 'Verdict: $', '## Verdict: $', '## Verdict\n\n$'),
    fc.constantFrom(...verdicts),
  )
  .map(([form, verdict]) => form.replace('$', verdict));
const word = fc.stringMatching(/^[a-z ,.]{0,12}$/);
/** Text that someone else wrote, with verdicts and with what might break out of where it is quoted. */
const foreign = fc
  .array(
    fc.oneof(verdictLine, word, fc.constantFrom('', '> x', '# x', '- x', '`x', '<!-- x', '@@ -1 +1 @@')),
    {
      maxLength: 6,
    },
  )
  .map((lines) => lines.join('\n'));

const wraps: readonly ((text: string) => string)[] = [
  (text) => `\`\`\`\n${text}\n\`\`\``,
  (text) => `~~~~md\n${text}\n~~~~`,
  (text) => text.replace(/^/gm, '> '),
  (text) => `<!--\n${text}\n-->`,
  (text) => `<pre>\n${text.replaceAll('<!--', '')}\n</pre>`,
  (text) => `Output\n\n${text.replace(/^/gm, '     ')}`,
];
const quoted = fc.tuple(foreign, fc.constantFrom(...wraps)).map(([text, wrap]) => wrap(text));

test('what stands in code, a quote or a comment never changes the reading', () => {
  const plain = fc.constantFrom(...verdictTable.map(({ text }) => text)).filter((text) => !isOpenEnded(text));
  fc.assert(
    fc.property(plain, quoted, fc.boolean(), (text, other, isFirst) => {
      const both = isFirst ? `${other}\n\n${text}` : `${text}\n\n${other}`;
      expect(readingOf(both)).toBe(readingOf(text));
    }),
    { numRuns: 1000 },
  );
});

/** Texts whose last construct would swallow, or be completed by, what is appended or put in front, or is one only at the end. */
function isOpenEnded(text: string): boolean {
  return /```|~~~|<!--|<pre>|^\t|^\uFEFF|Verdict:?\**:?\**$|^\*\*APPROVED\*\*$|fine\. Verdict: APPROVED$/m.test(
    text,
  );
}

test('nothing that is quoted, closed or not, turns any review into an approval', () => {
  const rejected = verdictTable
    .filter(({ expected }) => expected !== 'APPROVED')
    .map(({ text }) => text)
    .filter((text) => !isOpenEnded(text));
  const opened = fc.tuple(foreign, fc.constantFrom('```\n', '~~~\n', '<!--\n', '<pre>\n', '```diff\n'));
  fc.assert(
    fc.property(fc.constantFrom(...rejected), opened, (text, [other, open]) => {
      expect(readingOf(`${text}\n\n${open}${other}`)).not.toBe('APPROVED');
    }),
    { numRuns: 1000 },
  );
});

test('no noise around a denial makes it an approval', () => {
  const noise = fc.constantFrom(
    'not',
    'once fixed',
    'if',
    'unless',
    'CHANGES_REQUESTED',
    '?',
    'until',
    'with nits',
  );
  fc.assert(
    fc.property(noise, fc.boolean(), fc.constantFrom(' ', ' - ', ': ', ', ', ' ('), (extra, isFirst, gap) => {
      const value = isFirst ? `${extra}${gap}APPROVED` : `APPROVED${gap}${extra}`;
      expect(readingOf(`**Verdict: ${value}**`)).not.toBe('APPROVED');
    }),
  );
});

test('a text that is too long is read from its end, says so, and cannot approve', () => {
  const long = 'All is well.\n'.repeat(100_000);
  expect(parseVerdict(`${long}\n**Verdict: CHANGES_REQUESTED**`)).toEqual({
    kind: 'verdict',
    verdict: 'CHANGES_REQUESTED',
    line: 100_002,
    isCut: true,
  });
  expect(parseVerdict(`${long}\n**Verdict: APPROVED**`)).toEqual({ kind: 'none', isCut: true });
});

test.each([
  '`',
  '```a\n',
  '<!--',
  '> ',
  '- ',
  '*',
  '\\`',
  '<pre>',
  '`` ` ```\n',
  'Verdict:\n',
  '\u200B',
  '1. ',
])('a million characters of %j are read to the end', (piece) => {
  expect(readingOf(piece.repeat(Math.floor(1_000_000 / piece.length)))).toBe('none');
});
