import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { keepChanges, parsePatch, unquotePath } from '../../src/core/guard/parse-patch.ts';
import { findCollisions, globProblem, matchGlob, whyUnsafePath } from '../../src/core/guard/paths.ts';
import { findSecrets, namedSecret } from '../../src/core/guard/secrets.ts';

const [A, B, Z] = ['a'.repeat(40), 'b'.repeat(40), '0'.repeat(40)];

const patch = `diff --git a/del.txt b/del.txt
deleted file mode 100644
index ${A}..${Z}
--- a/del.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-diff --git a/x b/x
--- a/x
diff --git "a/n\\303\\274 \\"q\\".txt" "b/n\\303\\274 \\"q\\".txt"
new file mode 100755
index ${Z}..${B}
--- /dev/null
+++ "b/n\\303\\274 \\"q\\".txt"\t
@@ -0,0 +1 @@
+one
\\ No newline at end of file
diff --git a/mod e.txt b/mod e.txt
old mode 100644
new mode 100755
index ${A}..${B}
--- a/mod e.txt\t
+++ b/mod e.txt\t
@@ -10,3 +10,4 @@ function x() {
 ctx
-old
+new
+@@ -1 +1 @@
 ctx
diff --git a/exec b/exec
old mode 100644
new mode 100755
diff --git a/empty b/empty
new file mode 100644
index ${Z}..e69de29bb2d1d6434b8b29ae775ad8c2e48c5391
diff --git a/bin b/bin
index ${A}..${B} 100644
GIT binary patch
literal 5
EcmZQzWMT#Y

literal 0
HcmV?d00001

`;

test('a patch is read whole: each file once, lines counted in the new file, nothing taken for a header', () => {
  const parsed = parsePatch(patch);
  if (parsed.kind !== 'parsed') throw new Error(`${parsed.line}: ${parsed.why}`);
  expect(parsed.changes.map(({ path, kind, oldMode, newMode }) => [path, kind, oldMode, newMode])).toEqual([
    ['del.txt', 'delete', '100644', null],
    ['nü "q".txt', 'add', null, '100755'],
    ['mod e.txt', 'modify', '100644', '100755'],
    ['exec', 'mode', '100644', '100755'],
    ['empty', 'add', null, '100644'],
    ['bin', 'modify', '100644', '100644'],
  ]);
  expect(parsed.changes[2]?.addedLines).toEqual([
    { line: 11, text: 'new' },
    { line: 12, text: '@@ -1 +1 @@' },
  ]);
  expect(parsed.changes[5]?.binary?.forward).toMatchObject({ method: 'literal', declaredBytes: 5 });
  expect(keepChanges(patch, parsed.changes)).toBe(patch);
});

test('a damaged patch is unreadable or still covers every byte, and never throws', () => {
  const damage = fc.tuple(
    fc.nat(patch.length),
    fc.nat(4),
    fc.constantFrom('', '\n', '+', 'index ', '@@ -1 +1 @@\n', '\xff', '0'),
  );
  fc.assert(
    fc.property(fc.array(damage, { minLength: 1, maxLength: 3 }), (damages) => {
      let text = patch;
      for (const [at, cut, insert] of damages) text = text.slice(0, at) + insert + text.slice(at + cut);
      const parsed = parsePatch(text);
      if (parsed.kind === 'parsed') expect(keepChanges(text, parsed.changes)).toBe(text);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['a line without a mark', '@@ -1 +1 @@\nx\n-a\n+b\n'],
  ['what only git would take for a binary change', '@@ -1 +1 @@\n-a\n+b\nGIT binary patch\nliteral 9\n'],
  ['an empty line', '@@ -1 +1 @@\n-a\n+b\n\n'],
])('a hunk with %s is unreadable', (_what, hunk) => {
  const head = `diff --git a/x b/x\nindex ${A}..${B} 100644\n--- a/x\n+++ b/x\n`;
  expect(parsePatch(`${head}@@ -1 +1 @@\n-a\n+b\n`).kind).toBe('parsed');
  expect(parsePatch(head + hunk).kind).toBe('unreadable');
});

test('a patch has a limit on bytes and files', () => {
  const limits = { patchBytesMax: patch.length, filesMax: 6, fileBytesMax: 1, inflatedBytesMax: 1 };
  expect(parsePatch(patch, limits).kind).toBe('parsed');
  expect(parsePatch(patch, { ...limits, filesMax: 5 })).toMatchObject({
    kind: 'unreadable',
    why: 'more than 5 files',
  });
  expect(parsePatch(patch, { ...limits, patchBytesMax: patch.length - 1 }).kind).toBe('unreadable');
});

test.each([
  ['plain', 'plain'],
  ['"a\\tb\\n\\\\\\""', 'a\tb\n\\"'],
  ['"\\342\\200\\256"', '\u202e'],
  ['"open', null],
  ['"a\\"', null],
  ['"a"b"', null],
  ['a"b', null],
  ['"\\999"', null],
  ['\xff', null],
  ['"\\300\\257"', null],
])('the quoted path %j is read strictly', (quoted, path) => {
  expect(unquotePath(quoted)).toBe(path);
});

test.each([
  ['**', 'a/b', true],
  ['tasks/**', 'tasks/a/b.yml', true],
  ['tasks/**', 'tasks', false],
  ['tasks/', 'tasks/x', true],
  ['**/CLAUDE.md', 'CLAUDE.md', true],
  ['**/CLAUDE.md', 'a/b/CLAUDE.md', true],
  ['**/CLAUDE.md', 'a/xCLAUDE.md', false],
  ['a/**/b', 'a/b', true],
  ['a/**/b', 'a/x/y/b', true],
  ['a/**/b', 'a/xb', false],
  ['*.ts', 'a.ts', true],
  ['*.ts', 'src/a.ts', false],
  ['src/*/x?.{ts,js}', 'src/core/x1.js', true],
  ['src/*/x?.{ts,js}', 'src/core/x.js', false],
  ['{a,b{c,d}}/e', 'bd/e', true],
  ['[a].ts', '[a].ts', true],
  ['a.b', 'aXb', false],
  ['', 'a', null],
  ['{a', 'a', null],
  ['a}', 'a', null],
  ['/a', 'a', null],
  ['{a,b}'.repeat(7), 'a', null],
])('the glob %s against %s is %s', (pattern, path, expected) => {
  if (expected === null) expect(globProblem(pattern)).not.toBeNull();
  else expect(matchGlob(pattern, path)).toBe(expected);
});

test('a glob made to explode is matched', () => {
  const pattern = '**/*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b';
  expect(matchGlob(pattern, 'a'.repeat(5000))).toBe(false);
  expect(matchGlob('**/'.repeat(200) + pattern, 'aaaa/'.repeat(1000))).toBe(false);
});

const secrets: [string, string][] = [
  [`aws = AKIA${'Q'.repeat(16)}`, 'AWS access key'],
  [`ghp_${'a1B2c3D4e'.repeat(4)}`, 'GitHub token'],
  [`"github_pat_${'A1b2_'.repeat(16)}"`, 'GitHub token'],
  ['-----BEGIN OPENSSH PRIVATE KEY-----', 'private key'],
  [`xoxb-${'1234567890-'.repeat(3)}abc`, 'Slack token'],
  [`k=sk-ant-api03-${'aB3-'.repeat(20)}`, 'Anthropic key'],
  [`OPENAI=sk-proj-${'aB3x'.repeat(12)}`, 'OpenAI key'],
  [`AIza${'aB3-x'.repeat(7)}`, 'Google API key'],
  [`//registry.npmjs.org/:_authToken=npm_${'aB3x'.repeat(9)}`, 'npm token'],
  [
    `Bearer eyJ${'hbGciOiJI'.repeat(3)}.eyJ${'zdWIiOiIx'.repeat(3)}.${'SflKxwRJSM'.repeat(4)}`,
    'JSON web token',
  ],
  [`hf_${'aB3x'.repeat(9)}`, 'Hugging Face token'],
  [`gsk_${'aB3x'.repeat(13)}`, 'Groq key'],
  [`key: xai-${'aB3x'.repeat(20)}`, 'xAI key'],
  [`VAULT=hvs.${'aB3x_-'.repeat(15)}`, 'Vault token'],
  [`AccountName=a;AccountKey=${'aB3/'.repeat(21)}xy==;`, 'Azure storage key'],
  [`${'aB3x'.repeat(13)}JQQJ99${'AB3'.repeat(8)}AA`, 'Azure key'],
  [`"aB~8Q~${'aB3x_'.repeat(6)}abcd"`, 'Azure client secret'],
  [`dapi${'0a1b'.repeat(8)}`, 'Databricks token'],
  [`sk-or-v1-${'0a1b'.repeat(16)}`, 'OpenRouter key'],
  [`GOCSPX-${'aB3x'.repeat(7)}`, 'Google OAuth secret'],
  [`dckr_pat_${'aB3'.repeat(9)}`, 'Docker token'],
  [`123456789:AA${'aB3'.repeat(11)}`, 'Telegram token'],
  [`nvapi-${'aB3x_'.repeat(13)}`, 'NVIDIA key'],
  ['postgres://admin:hunter22hunter@db.internal/x', 'password in a URL'],
  ['  password: "q8Zr!x2Lp0vK9w"', 'secret value'],
  ['DB_PASSWORD=q8Zrx2Lp0vK9wTn4sYb7', 'secret value'],
  ['const apiKey = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b";', 'secret value'],
];

test.each(secrets)('%s is a secret', (text, kind) => {
  const found = findSecrets(`first line\n${text}\nlast line`);
  expect(found).toEqual([{ line: 2, kind }]);
  const article = /^([AO]|npm|NVIDIA|xAI)/.test(kind) ? 'an' : 'a';
  expect(found.map(namedSecret)).toEqual([`${article} ${kind}`]);
});

test.each([
  'password: ${{ secrets.DB_PASSWORD }}',
  'const token = await getInstallationToken(client);',
  'token: process.env.GITHUB_TOKEN,',
  'password = "correct-horse-battery-staple"',
  'apiKey: "your-api-key-here-123-EXAMPLE"',
  'secretName: my-service-credentials',
  'https://user@example.com/path',
  'postgres://user:$PASSWORD@localhost/db',
  'sha512-AbCdEf0123456789AbCdEf0123456789AbCdEf0123456789==',
  '"integrity": "sha512-q8Zrx2Lp0vK9wTn4sYb7q8Zrx2Lp0vK9wTn4sYb7=="',
  'sk-learn-compatible-estimators-are-fine-to-use-here',
  'commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b',
  'const tokenPattern = /^[A-Za-z0-9]{20,}$/;',
])('%s is no secret', (text) => {
  expect(findSecrets(text)).toEqual([]);
});

test('a secret deep in one endless line is found', () => {
  for (const at of [10, 19_990, 35_990, 70_000]) {
    expect(findSecrets(`${'x '.repeat(at / 2)}ghp_${'a1B2'.repeat(9)} ${'x '.repeat(4000)}`)).toHaveLength(1);
  }
});

test('a path is unsafe when some machine reads it as something else', () => {
  const unsafe = [
    '',
    '/a',
    'a//b',
    './a',
    'a/../b',
    '.git/x',
    'a/.GIT/x',
    '.git. /x',
    'git~1/x',
    '.git::$INDEX_ALLOCATION/x',
    'C:/x',
    'a\\b',
    'a\u200bb',
    'a\tb',
    '.g\u200cit/x',
    'x'.repeat(2000),
    `${'x'.repeat(300)}/a`,
  ];
  for (const path of unsafe) expect([path, whyUnsafePath(path)]).not.toEqual([path, null]);
  for (const path of [
    'a',
    '.github/x',
    'src/.gitignore',
    'git/x',
    'ü/日本.txt',
    'a b',
    '-x',
    '👩\u200d💻.md',
  ]) {
    expect([path, whyUnsafePath(path)]).toEqual([path, null]);
  }
});

test('a collision is told only of what was changed', () => {
  const all = ['Makefile', 'makefile', 'src/a', 'README.md'];
  expect(findCollisions([], all)).toEqual([]);
  expect(findCollisions(['SRC/b'], [...all, 'SRC/b'])).toEqual([{ path: 'SRC/b', with: 'src' }]);
  expect(findCollisions(['readme.md'], [...all, 'readme.md'])).toEqual([
    { path: 'readme.md', with: 'README.md' },
  ]);
  expect(findCollisions(['readme.MD/x'], [...all, 'readme.MD/x'])).toEqual([
    { path: 'readme.MD/x', with: 'README.md' },
  ]);
  expect(findCollisions(['ſ', 's'], ['ſ', 's'])).toEqual([{ path: 's', with: 'ſ' }]);
});
