/** Texts and files that are made to cost, or to act where gza writes them. */
import { execFileSync } from 'node:child_process';
import { afterEach, expect, jest, test } from '@jest/globals';
import { Lexer } from 'yaml';
import { parseConfig } from '../../src/core/config/parse-config.ts';
import { commitMessage, neutraliseText } from '../../src/core/markdown/neutralise.ts';
import { parseTaskFile } from '../../src/core/task/parse-task-file.ts';
import { judgeFiles } from './play.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

const task = 'type: implement\ntitle: A\nprompt: Do.\n';
const million = 1_000_000;
/** Nine megabytes that the library reads for many seconds, or until the memory is full. */
const bombs: Readonly<Record<string, () => string>> = {
  'values in a list': () => `${task}tags: [${'1,'.repeat(4 * million)}1]\n`,
  'tasks on a line each': () => `tasks:\n${'  - { title: A, prompt: B }\n'.repeat(330_000)}`,
  'aliases of one anchor': () => `${task}a: &a [x]\nb: [${'*a,'.repeat(3 * million)}]\n`,
  anchors: () => Array.from({ length: 300_000 }, (_, n) => `- &a${n} x`).join('\n'),
  'merge keys': () => `${task}a: &a {x: 1}\n${'<<: *a\n'.repeat(million)}`,
  brackets: () => '['.repeat(9 * million),
  braces: () => '{a: '.repeat(2 * million),
  'lists in lists': () => '- '.repeat(4 * million),
  'keys that are keys': () => '? '.repeat(4 * million),
  'keys in keys by lines': () => '? a\n'.repeat(2 * million),
  'short keys': () => Array.from({ length: 700_000 }, (_, n) => `k${n}: 1`).join('\n'),
  documents: () => '---\n'.repeat(2 * million),
  'line breaks': () => '\n'.repeat(2 * million),
  comments: () => '#\n'.repeat(4 * million),
};

test.each(Object.entries(bombs))('a file of %s is refused before any of it is read', (_name, make) => {
  const lex = jest.spyOn(Lexer.prototype, 'lex');
  const pieces = jest.spyOn(Lexer.prototype as unknown as { parseNext: () => unknown }, 'parseNext');
  const text = make();
  for (const { problems } of [parseTaskFile('tasks/a.yml', text), parseConfig({ gza: text })])
    expect(problems).toMatchObject([{ severity: 'error', message: expect.stringMatching(/the file/) }]);
  // At most its first brackets are looked at, never the whole.
  expect(pieces.mock.calls.length).toBeLessThan(1_000);
  expect(lex.mock.calls.length).toBeLessThanOrEqual(2);
  // The control: a file of the same form that a person could write is read.
  expect(parseTaskFile('tasks/a.yml', task).problems).toEqual([]);
  expect(pieces.mock.calls.length).toBeGreaterThan(1);
});

const footers: readonly string[] = [
  'BREAKING CHANGE: all of it',
  'BREAKING-CHANGE: all of it',
  'breaking change: all of it',
  'BREAKING CHANGE #all of it',
  'feat!: all of it',
  'feat(api)!: all of it',
  'Release-As: 99.0.0',
  'Task: other',
  'Signed-off-by: Ann <ann@example.com>',
  'Co-authored-by: Ann <ann@example.com>',
  'Change-Id: I0123',
  'skip-checks: true',
  'Closes: #1',
  'Gza-Step: review',
  '(cherry picked from commit 0123456789012345678901234567890123456789)',
];
const act =
  /^(?:breaking[ -]change(?::| #)|[a-z]+(?:\([^)]*\))?!:|\(cherry picked)|^[A-Z][\w-]*:(?! *$)|^skip-checks:/im;

test.each(footers)('the footer %j of an agent’s text is none in the commit', (footer) => {
  expect(footer).toMatch(act);
  const message = commitMessage({
    purpose: { kind: 'step' },
    title: 'A thing',
    taskId: 'mine',
    summary: `Did it.\n\n${footer}`,
    subjects: [footer],
  });
  const [, ...rest] = message.replace(/\n\nTask: mine\n$/, '').split('\n');
  expect(rest.filter((line) => act.test(line) && !line.startsWith('Steps'))).toEqual([]);
  const trailers = execFileSync('git', ['interpret-trailers', '--parse'], {
    input: message,
    encoding: 'utf8',
  });
  expect(trailers).toBe('Task: mine\n');
  expect(neutraliseText(neutraliseText(footer, 'commit'), 'commit')).toBe(neutraliseText(footer, 'commit'));
});

test('a patch of line breaks costs a look at each, and none for each kind of secret', () => {
  const lines = 200_000;
  const searching = jest.spyOn(RegExp.prototype, 'test');
  const judge = (after: string) => {
    searching.mockClear();
    const { verdict } = judgeFiles([{ path: 'src/a.ts', after }]);
    return { verdict, searches: searching.mock.calls.length };
  };
  const breaks = judge('\n'.repeat(lines));
  expect(breaks.searches).toBeLessThan(lines * 1.5);
  expect(judge('const a = compute(b, c);\n'.repeat(lines / 10)).searches).toBeLessThan(lines / 2);
  // The control: what is among them is found.
  const key = `ghp_${'Zq3'.repeat(12)}`;
  expect(judge(`${'\n'.repeat(1000)}${key}\n`).verdict).toBe('refused');
});
