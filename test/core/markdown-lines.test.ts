import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { proseLines, readMarkdown, refuseTooLong } from '../../src/core/markdown/markdown-lines.ts';

const standings = (text: string): string =>
  readMarkdown(text)
    .lines.map((line) => line.standing[0])
    .join('');

test.each([
  ['a paragraph', 'one\ntwo\n\nthree', 'pppp'],
  ['a fence and what is around it', 'a\n```\nb\n```\nc', 'phhhp'],
  ['a quote, and the line that continues it', '> a\nb\n\nc', 'hdpp'],
  ['a heading ends a quote', '> a\n# b', 'hp'],
  ['a list item ends a quote', '> a\n- b', 'hp'],
  ['an empty quote has nothing to continue', '>\nb', 'hp'],
  ['indented code after a blank line', 'a\n\n    b\nc', 'pphp'],
  ['an indented line of a paragraph', 'a\n    b', 'pd'],
  ['a paragraph of a list item', '- a\n\n  b\n\n      code', 'pppph'],
  ['a rule is no list item', '- - -\n    code', 'ph'],
  ['a comment over lines', 'a\n<!-- b\nc\n--> d\ne', 'pphdp'],
  ['a fence that is never closed', 'a\n```\nb', 'pdd'],
  ['nothing after the first fence is certain when the last is open', 'a\n```\nb\n```\nc\n```\nd', 'pdddddd'],
  ['a fence that may be nested', '```md\n```ts\na\n```\nb', 'hhhhd'],
  ['a nested fence, by which the outer one stays open', '```md\n```ts\na\n```\nb\n```\nc', 'ddddddd'],
  ['a diff without a fence', 'a\n@@ -1 +1 @@\n-b\n+c\n d\ne', 'pddddp'],
  ['HTML code', '<pre>\na\n\nb\n</pre>\nc', 'dhhhdp'],
])('%s', (_, text, expected) => {
  expect(standings(text)).toBe(expected);
});

test('what is nested more deeply than is read, and what an HTML block leaves open, is in doubt', () => {
  expect(standings(`${'> - '.repeat(12)}a\n\n${'- '.repeat(12)}b\nc`)).toBe('hpdd');
  expect(standings('<div>\n<!-- a\n\nb')).toBe('dddd');
});

test('headings of both kinds are found, those in lists and quotes are not', () => {
  const text = '# a <!-- b --> #\n\nc\nd\n---\n- # e\n> # f\n### `<!--` g';
  expect(
    readMarkdown(text).lines.flatMap(({ number, heading }) => (heading ? { number, ...heading } : [])),
  ).toEqual([
    { number: 1, level: 1, text: 'a' },
    { number: 3, level: 2, text: 'c d' },
    { number: 8, level: 3, text: '`<!--` g' },
  ]);
});

test('of a text that is too long the end is read, and it is said', () => {
  const { lines, charsCut } = readMarkdown(`${'a\n'.repeat(150_000)}b`);
  expect([charsCut, lines.at(-1)]).toEqual([100_001, { number: 150_001, text: 'b', standing: 'prose' }]);
  expect(() => refuseTooLong('plan.md', 'a'.repeat(200_001))).toThrow('plan.md is too long to read');
});

test('HTML comments are taken out of a line, those in inline code are not', () => {
  expect(proseLines('a <!-- b --> c\n`<!-- d -->`').map((line) => line.text)).toEqual([
    'a   c',
    '`<!-- d -->`',
  ]);
});

test('fenced blocks are handed out with their language and place, those in quotes and comments are not', () => {
  const text = 'a\n~~~json\n{}\n~~~\n> ```\n> b\n> ```\n<!--\n```\nc\n```\n-->\n```';
  expect(readMarkdown(text).blocks).toEqual([
    { info: 'json', line: 2, text: '{}' },
    { info: '', line: 13, text: '' },
  ]);
});

test('every line is handed out once, in order, whatever the text', () => {
  const piece = fc.constantFrom(
    'a',
    '`',
    '```',
    '~~~',
    '\n',
    '\r\n',
    '> ',
    '- ',
    '    ',
    '<!--',
    '-->',
    '<pre>',
    '#',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      const { lines } = readMarkdown(text);
      expect(lines.map((line) => line.number)).toEqual(text.split(/\r\n|\r|\n/).map((_, index) => index + 1));
    }),
  );
});
