/** Text that someone wrote to keep gza busy: small units, repeated. */
// biome-ignore format: one in a line would be pages
const units = [
  'a', '0', ' ', '\t', '\n', '\r\n', '\r', ' \n', '\n\n ', 'a\n', '\u200B', '\u{1F600}', '\u00E9',
  '\u001B[', '\u001B]', '\u0000', 'eyJ', 'eyJaaaaaaaaaaaa.', 'a.', 'a-', 'a_', 'a/', 'a:', 'a@', '@a',
  'a,', 'a b ', 'Aa1', '0x', '1.', '1) ', '#1 ', '# ', '#', 'GH-1 ', '- [ ] ', '- [ ] a\n', '- ', '* ',
  '+ ', '> ', '>', '**', '*', '_', '__a', '~~~', '~~~\n', '```', '```\n', '`', '` ', '``` a\n', '|',
  '| a ', '---\n', '===\n', '[', ']', '[a](', '[a', '](', '![', '(', ')', '()', '{', '}', '{}', '{"a":',
  '[{', '{{', '{{a}}', '{{#a}}', '<', '</', '<a ', '<a>', '<pre>', '<q>\n', '<!--', '-->', '<!-- a',
  '<!-- gza:begin -->\n', '<!-- gza:end -->\n', '&', '&#', '&lt;', '\\', '\\"', '"', "'", '""', '$', '%',
  '^', '=', 'key=', 'token=', 'password: ', 'secret', '://', 'a://', 'https://', 'https://a:',
  'https://a/', '-----BEGIN ', '-----BEGIN A PRIVATE KEY-----\n', '-----END ', 'sk-', 'ghp_', 'AKIA',
  'xoxb-', '/gza ', '/gza approve\n', 'gza ', 'fixes ', 'fixes #1\n', 'Task: x\n', 'Task 1: a\n',
  'Signed-off-by: a\n', 'a-a', 'a-b: c\n', '## Task 1: a\n', 'Files: a.ts\n', 'Depends on: ', 'Verdict: ',
  'APPROVED ', '**Verdict**: APPROVED\n', 'Finding: a\n', '- **a**: b (c:1)\n', 'system:\n',
  'diff --git a/a b/a\n', '@@ -1 +1 @@\n', '+a\n', 'GIT binary patch\n', 'not ok 1 - a\n', 'ok 1\n',
  '    at a (b:1:2)\n', 'FAIL ', '--- FAIL: a\n', '<testcase ', '<testcase name="a">\n', '<failure',
  'test a ... FAILED\n', '____ a ____\n', '  1) a\n', '● a\n', '✖ a\n', '× a\n', 'tasks:\n', '- a\n',
  'a: ', 'a: b\n', '? ', '&a ', '*a ', '[[', '- - ', '|\n ', '"a', "'a", '!a ', ': ', ', ', '; ',
];

export interface Shape {
  readonly name: string;
  /** About so many characters. */
  readonly make: (length: number) => string;
}

/** What a line begins with before something in it is repeated. */
// biome-ignore format: one in a line would be pages
const openers = [
  '# a', '- ', '- a', '- [ ] a', '1. a', '> ', '/gza ', '/gza improve', 'Task: ', 'Signed-off-by: ',
  'Files:', 'Depends on:', '### Task 1:', '## Phase 1: a', 'T1: ', 'ok 1 -', 'not ok 1', 'FAIL ',
  'FAIL a [ ', 'E   ', "thread 'a", 'FAILED ', '    at ', '-----BEGIN ', 'eyJaaaaaaaaaa.eyJ', 'token="',
  'https://a:', 'Verdict: ', '**', '`', '<!-- ', '<pre ', 'model', 'quota', 'blocked: ', 'git@a:b/',
  'https://a/b', '{{', 'a: "', 'a: ', 'gza:a', 'Merge ', '--- ', '~~~', 'tasks: [',
];
// biome-ignore format: one in a line would be pages
const runs = [
  ' ', '\t', '\u2028', '#', '*', '_', '-', '.', '/', ':', '=', '!', 'a', 'a ', '1.', '. ', '~', '`', '(',
  '[', '<', ' /', "' ",
];

const fill = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length));

/** What comes last makes a pattern that wants the end begin once more. */
const shape = (opener: string, unit: string, end: string): Shape => ({
  name: `${JSON.stringify(opener)}, then ${JSON.stringify(unit)} again and again${end === '' ? '' : ', then no more'}`,
  make: (length) => opener + fill(unit, length) + end,
});

/** For the soak: everything with everything. */
export const allShapes: readonly Shape[] = [
  ...units.flatMap((unit) => [shape('', unit, ''), shape('a ', unit, '\u0001!')]),
  ...openers.flatMap((opener) => runs.map((unit) => shape(opener, unit, '\u2028!'))),
];

/** Those that found something, and what is like them. */
export const shapes: readonly Shape[] = [
  ...[
    '\n',
    '\r\n',
    ' ',
    '\t',
    'a',
    'eyJ',
    'eyJaaaaaaaaaaaa.',
    'a/',
    '[',
    '[a](',
    '**',
    '`',
    '- [ ] a\n',
    '<!--',
  ].map((unit) => shape('a', unit, '\u0001!')),
  ...[
    '## Task 1: a\n',
    '# a\n',
    'Files: a.ts\n',
    '/gza approve\n',
    '://',
    '{}',
    '"',
    '* ',
    '- a\n',
    '- - ',
    '> ',
    '[a]: b\n',
    '\u200B',
    '\u{1F600}',
    '-----BEGIN ',
    '~~~\n',
    'diff --git a/a b/a\n',
    'not ok 1 - a\n',
    '<testcase name="a">\n',
  ].map((unit) => shape('', unit, '')),
  ...[
    ['# a', ' '],
    [`${'> '.repeat(30)}a\n`, 'b\n'],
    ['- ', ' '],
    ['/gza ', ' '],
    ['### Task 1:', ' '],
    ['Depends on:', '('],
    ['~~~', '~'],
    ['model', 'a'],
    ["thread 'a", "' "],
    ['git@a:b/', '/'],
    ['{{', ' '],
    ['Signed-off-by: ', 'a'],
  ].map(([opener = '', unit = '']) => shape(opener, unit, '\u2028!')),
];
