import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { GzaError } from '../../src/core/errors.ts';
import { expandTemplate, parseTemplate } from '../../src/core/prompt/build-prompt.ts';

const names = ['task', 'plan', 'criteria'];
const file = '.gza/prompts/review.md';
const expand = (text: string, values: Record<string, string>) =>
  expandTemplate(parseTemplate({ text, file }, names), new Map(Object.entries(values)));

test('values, sections and literal braces', () => {
  const text =
    '# {{ task }}\n\n{{#plan}}\n## Plan\n\n{{plan}}\n\n{{/plan}}\nEnd{{#criteria}} ({{criteria}}){{/criteria}} $\\{{x}}';
  expect(expand(text, { task: 'T', plan: 'P', criteria: 'C' })).toBe('# T\n\n## Plan\n\nP\n\nEnd (C) ${{x}}');
  expect(expand(text.replace(/\n/g, '\r\n'), { task: 'T' })).toBe('# T\n\nEnd ${{x}}');
});

test('a value is never read as a template, whatever is in it', () => {
  const part = fc.oneof(
    fc.constantFrom('{{plan}}', '{{#plan}}', '{{/plan}}', '\\{{', '$&', '$1'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const task = parts.join('');
      expect(expand('a {{task}} b {{plan}}', { task, plan: 'P' })).toBe(`a ${task} b P`);
    }),
  );
});

test('a mistake names the file, the line and the nearest right word', () => {
  const faultOf = (text: string): string => {
    try {
      parseTemplate({ text, file }, names);
    } catch (error) {
      const { message, hint, code } = error as GzaError;
      return `${code} ${message}${hint === undefined ? '' : ` [${hint}]`}`;
    }
    return 'none';
  };
  const texts = [
    'a\n{{plna}}',
    '{{constructor}}',
    'a {{ .Values.x }}',
    '{{task',
    '{{#plan}}\nx',
    '{{/plan}}',
    '{{#plan}}\n{{#task}}\n{{/plan}}',
    'x'.repeat(100_001),
  ];
  expect(texts.map(faultOf)).toMatchInlineSnapshot(`
[
  "input .gza/prompts/review.md:2: {{plna}} is not known; did you mean {{plan}}? [Known are: task, plan, criteria]",
  "input .gza/prompts/review.md:1: {{constructor}} is not known [Known are: task, plan, criteria]",
  "input .gza/prompts/review.md:1: a name is expected between {{ and }}, such as {{task}}; write \\{{ for two braces that mean nothing",
  "input .gza/prompts/review.md:1: a name is expected between {{ and }}, such as {{task}}; write \\{{ for two braces that mean nothing",
  "input .gza/prompts/review.md:1: {{#plan}} is not closed: write {{/plan}} after it",
  "input .gza/prompts/review.md:1: {{/plan}} closes nothing",
  "input .gza/prompts/review.md:3: {{/plan}} closes no section: {{#task}} of line 2 is open",
  "input .gza/prompts/review.md has 100001 characters; 100000 is the limit",
]
`);
});

test('many braces take no long time to refuse', () => {
  expect(() => expand('\\{{'.repeat(30_000), {})).toThrow('more than 1000 tags');
  expect(() => expand('{{ '.repeat(30_000), {})).toThrow('a name is expected');
});
