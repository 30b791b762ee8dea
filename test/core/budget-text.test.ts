import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fence } from '../../src/core/markdown/neutralise.ts';
import { fitSections, type Section } from '../../src/core/prompt/build-prompt.ts';

const section = (name: string, parts: Partial<Section> = {}): Section => ({
  name,
  text: 'text',
  keep: 'start',
  where: `\`cat ${name}\``,
  wrap: fence,
  ...parts,
});

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}`).join('\n');

test('what does not fit is cut at a line from its less useful end, and says so outside of the fence', () => {
  const sections = [
    section('plan', { text: numbered(40) }),
    section('log', { text: numbered(40), keep: 'end' }),
  ];
  const { texts, cut } = fitSections(
    sections.map((one) => ({ ...one, charsMax: 100 })),
    1000,
  );
  expect(cut).toEqual(['plan', 'log']);
  expect(texts.get('plan')).toMatchInlineSnapshot(`
"\`\`\`text
line 1
line 2
line 3
line 4
line 5
\`\`\`
[Cut after 5 lines. Read the rest: \`cat plan\`.]"
`);
  expect(texts.get('log')).toMatchInlineSnapshot(`
"\`\`\`text
line 37
line 38
line 39
line 40
\`\`\`
[Only the last 4 lines. Read the rest: \`cat log\`.]"
`);
});

test('the first in order of use is served first, the last is at least named', () => {
  const sections = [
    section('task', { isRequired: true, text: 'x'.repeat(300) }),
    section('plan', { text: numbered(12) }),
    section('notes', { text: numbered(50) }),
  ];
  const { texts } = fitSections(sections, 460);
  expect(texts.get('plan')).toBe(fence(numbered(12)));
  expect(texts.get('notes')).toBe('[Left out for length. Read it: `cat notes`.]');
});

test('a short form stands for a text that does not fit, whole if it can', () => {
  const sections = [section('diff', { text: numbered(5000), short: 'a.ts (+5000 -0)' })];
  expect(fitSections(sections, 200).texts.get('diff')).toBe(
    `${fence('a.ts (+5000 -0)')}\n[Too long to show. Read it: \`cat diff\`.]`,
  );
});

const anySection = fc.record({
  text: fc.array(fc.string({ maxLength: 40 }), { maxLength: 30 }).map((lines) => lines.join('\n')),
  isRequired: fc.boolean(),
  keep: fc.constantFrom('start' as const, 'end' as const),
  short: fc.option(fc.string({ maxLength: 60 }), { nil: undefined }),
  charsMax: fc.option(fc.integer({ min: 0, max: 500 }), { nil: undefined }),
});

test('never over the limit unless what is required alone is; whole when there is room; the same each time', () => {
  const any = fc.array(anySection, { maxLength: 8 }).map((all) =>
    all.map(({ short, charsMax, ...one }, index) =>
      section(`s${index}`, {
        ...one,
        ...(short === undefined ? {} : { short }),
        ...(charsMax === undefined ? {} : { charsMax }),
      }),
    ),
  );
  fc.assert(
    fc.property(any, fc.integer({ min: 0, max: 3000 }), (sections, charsMax) => {
      const { texts, cut } = fitSections(sections, charsMax);
      const chars = (all: readonly Section[]) =>
        all.reduce((sum, one) => sum + (texts.get(one.name)?.length ?? 0), 0);
      const required = sections.filter((one) => one.isRequired);
      expect(chars(sections)).toBeLessThanOrEqual(Math.max(charsMax, chars(required)));
      for (const one of sections) {
        const isWhole = texts.get(one.name) === (one.text === '' ? undefined : one.wrap(one.text));
        expect(isWhole || cut.includes(one.name)).toBe(true);
        if (one.isRequired) expect(isWhole).toBe(true);
      }
      expect(fitSections(sections, charsMax)).toEqual({ texts, cut });
      const free = sections.map((one) => ({ ...one, charsMax: Number.MAX_SAFE_INTEGER }));
      expect(fitSections(free, 1_000_000).cut).toEqual([]);
    }),
  );
});
