import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { GuardPolicy } from '../../src/core/guard/guard-patch.ts';
import { guardPolicy } from '../../src/core/guard/guard-patch.ts';
import { gzaIdentity } from '../../src/git/git.ts';
import type { ImportResult } from '../../src/workspace/patch/import-patch.ts';
import { importPatch } from '../../src/workspace/patch/import-patch.ts';

import type { ScratchRepo } from './scratch-repo.ts';
import { commitFiles, git, now, removeScratchDirs, scratchDir, scratchRepo } from './scratch-repo.ts';

let repo: ScratchRepo;
let other: string;

beforeAll(async () => {
  repo = await scratchRepo({
    'a.txt': 'one\ntwo\nthree\n',
    'src/b.txt': 'b\n',
    'data.bin': Buffer.from([0, 1, 2, 3, 4, 5, 6, 7]),
    'tasks/one.yml': 'tasks: []\n',
  });
  other = scratchDir();
  git('/', 'clone', '-q', repo.dir, other);
});
afterAll(removeScratchDirs);

interface Entry {
  readonly path: string;
  readonly text?: string | Buffer;
  readonly mode?: string;
  readonly oid?: string;
}

/** A patch as another machine would send it, with whatever git itself lets into an index. */
function patchOf(...entries: readonly Entry[]): Buffer {
  git(other, 'read-tree', repo.head);
  for (const { path: file, text = '', mode = '100644', oid } of entries) {
    const hash =
      oid ??
      execFileSync('git', ['hash-object', '-w', '--stdin'], {
        cwd: other,
        input: text,
        encoding: 'utf8',
      }).trim();
    git(
      other,
      '-c',
      'core.protectNTFS=false',
      'update-index',
      '--add',
      '--replace',
      '--cacheinfo',
      `${mode},${hash},${file}`,
    );
  }
  const args = [
    '-c',
    'core.protectNTFS=false',
    'diff-index',
    '--cached',
    '-p',
    '--binary',
    '--full-index',
    '--no-renames',
    repo.head,
  ];
  return execFileSync('git', args, { cwd: other });
}

function importIt(
  patch: Buffer | string,
  policy: GuardPolicy = guardPolicy,
  onto = repo.head,
): Promise<ImportResult> {
  const bytes = typeof patch === 'string' ? Buffer.from(patch, 'latin1') : patch;
  return importPatch(repo.workspace.repository, {
    patch: bytes,
    onto,
    policy,
    message: 'Try\n',
    author: gzaIdentity,
    date: now(),
  });
}

async function refusal(patch: Buffer | string): Promise<string> {
  const result = await importIt(patch);
  if (result.kind === 'committed' && result.waits.length > 0)
    return `waits: ${result.waits.map(({ rule }) => rule).join(' ')}`;
  if (result.kind !== 'refused') return result.kind;
  return `${result.kind}: ${result.reasons.map(({ rule }) => rule).join(' ')}`;
}

const edit = (text: string) => ({ path: 'a.txt', text });

test('a patch from another machine becomes the same commit every time, and moves no ref', async () => {
  const refs = git(repo.dir, 'for-each-ref');
  const patch = patchOf(edit('one\nTWO\nthree\n'), { path: 'new.txt', text: 'n' });
  const [one, two] = [await importIt(patch), await importIt(patch)];
  expect(one).toEqual(two);
  if (one.kind !== 'committed') throw new Error(JSON.stringify(one));
  expect(git(repo.dir, 'show', '-s', '--format=%T %P', one.commit)).toBe(`${one.tree} ${repo.head}`);
  expect(git(repo.dir, 'for-each-ref')).toBe(refs);
  expect(git(repo.dir, 'status', '--porcelain')).toBe('');
});

test.each<[string, Entry, string]>([
  ['a symbolic link', { path: 'link', text: '/etc/passwd', mode: '120000' }, 'refused: symlink'],
  [
    'a file turned into a link',
    { path: 'a.txt', text: '/etc', mode: '120000' },
    'refused: symlink duplicate',
  ],
  ['a submodule', { path: 'sub', mode: '160000', oid: '1'.repeat(40) }, 'refused: submodule'],
  ['.gitmodules', { path: 'x/.GitModules', text: '[submodule "x"]\n' }, 'refused: git-modules'],
  [
    'a workflow in other letters',
    { path: '.GitHub/Workflows/ci.yml', text: 'on: push\n' },
    'refused: workflow',
  ],
  ['a task file', { path: 'tasks/one.yml', text: 'tasks: [{}]\n' }, 'refused: tasks'],
  ['the configuration', { path: 'gza.yaml', text: 'a: 1\n' }, 'refused: config'],
  ['a prompt', { path: '.gza/prompts/review.md', text: 'approve\n' }, 'refused: config'],
  ['code owners', { path: '.github/CODEOWNERS', text: '* @eve\n' }, 'refused: owners'],
  ['instructions', { path: 'deep/in/CLAUDE.md', text: 'obey\n' }, 'refused: instructions'],
  ['agent settings', { path: '.claude/settings.json', text: '{}\n' }, 'refused: instructions'],
  ['a hook', { path: '.husky/pre-commit', text: 'x\n', mode: '100755' }, 'refused: hooks'],
  ['git attributes', { path: 'src/.gitattributes', text: '*.js eol=lf\n' }, 'waits: attributes'],
  ['a direction mark in a name', { path: 'a\u202etxt.js', text: 'x\n' }, 'refused: unsafe-path'],
  ['a line break in a name', { path: 'a\nb', text: 'x\n' }, 'refused: unsafe-path'],
  ['an escape sequence in a name', { path: 'a\u001b[2Jb', text: 'x\n' }, 'refused: unsafe-path'],
  ['the short name of .git', { path: 'GIT~1/config', text: 'x\n' }, 'refused: unsafe-path'],
  ['a Windows device', { path: 'aux.txt', text: 'x\n' }, 'refused: unportable-name'],
  ['a file in other letters', { path: 'A.TXT', text: 'x\n' }, 'refused: duplicate'],
  ['a folder in other letters', { path: 'SRC/c.txt', text: 'x\n' }, 'refused: duplicate'],
  ['a key', { path: 'k.txt', text: `x\nkey = "AKIA${'ABCDEFGH'.repeat(2)}"\n` }, 'refused: secret'],
  ['a key in a binary file', { path: 'k.bin', text: `\0ghp_${'a1B2'.repeat(9)}\0` }, 'refused: secret'],
  ['a binary file', { path: 'k.bin', text: Buffer.from([0, 1, 2]) }, 'waits: binary'],
])('%s does not get in', async (_name, entry, expected) => {
  expect(await refusal(patchOf(edit('one\n'), entry))).toBe(expected);
});

test('two names that one machine cannot tell apart do not get in together', async () => {
  const pair = [
    { path: 'caf\u00e9', text: '1' },
    { path: 'cafe\u0301', text: '2' },
  ] as const;
  expect(await refusal(patchOf(...pair))).toBe('refused: duplicate');
});

test('names that git would never write are refused before git sees them', async () => {
  const patch = patchOf({ path: 'xgit/config', text: 'x\n' }).toString('latin1');
  for (const name of ['.git/config', '../etc/x', '/etc/xxxxx', 'a/.GIT./x', 'a//confi', 'c:/config']) {
    expect(await refusal(patch.replaceAll('xgit/config', name))).toMatch(/^refused: unsafe-path/);
  }
});

test('what does not belong into a patch makes all of it unreadable', async () => {
  const patch = patchOf(edit('one\ntwo\nthree\nfour\n'), { path: 'new.txt', text: 'n\n' }).toString('latin1');
  const broken: Record<string, string> = {
    'text before': `hello\n${patch}`,
    'text after': `${patch}-- \n2.39\n`,
    'a rename': patch.replace(/^index /m, 'rename from a.txt\nrename to z.txt\nindex '),
    'a copy of a mode': patch.replace(/^index /m, 'old mode 100644\nindex '),
    'short object ids': patch.replace(/index [0-9a-f]{40}/, 'index 1234567'),
    'a cut end': patch.slice(0, -1),
    'a name that is no text': patch.replaceAll('new.txt', '\xff\xfe.txt'),
    'an add that is none': patch.replace('0'.repeat(40), '1'.repeat(40)),
  };
  for (const [what, text] of Object.entries(broken)) {
    expect([what, (await importIt(text)).kind]).toEqual([what, 'unreadable']);
  }
});

test('what git reads otherwise than gza becomes no commit', async () => {
  const patch = patchOf(edit('one\ntwo\nthree\nfour\n')).toString('latin1');
  const other = '--- /dev/null\n+++ b/evil.txt\n@@ -0,0 +1 @@\n+evil\n';
  const odd: Record<string, string> = {
    'a second name': patch.replace('+++ b/a.txt', '+++ b/c.txt'),
    'a hunk that is too short': patch.replace('+four\n', ''),
    'a file without a header of its own': `${patch}${other}`,
    'no content': patch.slice(0, patch.indexOf('--- a/a.txt')),
  };
  for (const [what, text] of Object.entries(odd)) {
    expect([what, (await importIt(text)).kind]).toEqual([what, 'conflict']);
  }
  // What goes beyond a hunk git passes over: the file is what its object id says.
  const longer = await importIt(patch.replace('+four\n', '+four\n+five\n'));
  if (longer.kind !== 'committed') throw new Error(JSON.stringify(longer));
  expect(git(repo.dir, 'show', `${longer.commit}:a.txt`)).toBe('one\ntwo\nthree\nfour');
});

test('a patch for another start, or one that lies about its result, is a conflict and no commit', async () => {
  const elsewhere = commitFiles(repo.dir, { 'a.txt': 'zero\none\ntwo\nthree\n' });
  git(repo.dir, 'reset', '-q', '--hard', repo.head);
  const patch = patchOf(edit('one\ntwo\nTHREE\n'));
  expect((await importIt(patch, guardPolicy, elsewhere)).kind).toBe('conflict');
  const lie = patch.toString('latin1').replace('+THREE', '+three!');
  expect((await importIt(lie)).kind).toBe('conflict');
});

test('what the task may not touch is left out and named, the rest is committed', async () => {
  const policy = { ...guardPolicy, allow: ['src/**'] };
  const patch = patchOf(edit('x\n'), { path: 'src/new.txt', text: 'n\n' });
  const result = await importIt(patch, policy);
  if (result.kind !== 'committed') throw new Error(JSON.stringify(result));
  expect(result.dropped).toMatchObject([{ path: 'a.txt', rule: 'outside-allowance' }]);
  expect(git(repo.dir, 'diff-tree', '-r', '--name-only', repo.head, result.commit)).toBe('src/new.txt');
  const onlyOutside = await importIt(patchOf(edit('x\n')), policy);
  expect(onlyOutside).toMatchObject({ kind: 'empty', dropped: [{ path: 'a.txt' }] });
  const permitted = await importIt(patchOf({ path: 'tasks/one.yml', text: 'x\n' }), {
    ...guardPolicy,
    permit: ['tasks/one.yml'],
  });
  expect(permitted.kind).toBe('committed');
});

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';

function base85(data: Buffer): string {
  let text = '';
  for (let at = 0; at < data.length; at += 52) {
    const part = data.subarray(at, at + 52);
    text += String.fromCharCode(part.length > 26 ? 96 + part.length - 26 : 64 + part.length);
    for (let i = 0; i < part.length; i += 4) {
      let value = Buffer.concat([part.subarray(i, i + 4), Buffer.alloc(4)]).readUInt32BE(0);
      let digits = '';
      for (let d = 0; d < 5; d += 1, value = Math.floor(value / 85))
        digits = (alphabet[value % 85] ?? '') + digits;
      text += digits;
    }
    text += '\n';
  }
  return text;
}

function binaryPatch(hunk: string): string {
  const oid = git(repo.dir, 'rev-parse', `${repo.head}:data.bin`);
  return `diff --git a/data.bin b/data.bin\nindex ${oid}..${'1'.repeat(40)} 100644\nGIT binary patch\n${hunk}\n`;
}

test('a binary change that is larger than it says, or than the limit, never reaches git', async () => {
  const zeros = deflateSync(Buffer.alloc(3 << 20));
  // A delta of a few bytes: source of 8 bytes, result of 3 GiB, copied from the source.
  const delta = deflateSync(Buffer.from([8, 0x80, 0x80, 0x80, 0x80, 0x0c, 0x90, 8]));
  const hunks: Record<string, string> = {
    'declared too small': `literal 10\n${base85(zeros)}`,
    'declared too large': `literal ${(3 << 20) + 1}\n${base85(zeros)}`,
    'over the ratio': `literal 3000000000\n${base85(zeros)}`,
    'no zlib': `literal 4\n${base85(Buffer.from('abcd'))}`,
    'a delta bomb': `delta 8\n${base85(delta)}`,
    'no base85': 'literal 4\nnot base85 at all\n',
  };
  for (const [what, hunk] of Object.entries(hunks)) {
    expect([what, (await importIt(binaryPatch(hunk))).kind]).toEqual([what, 'refused']);
  }
  const binary: GuardPolicy = { ...guardPolicy, actions: { binary: 'accept' } };
  const another = await importIt(binaryPatch(`literal ${3 << 20}\n${base85(zeros)}`), binary);
  expect(another.kind).toBe('conflict');
  // Each honest by itself; together too much.
  const oid = createHash('sha1')
    .update(`blob ${3 << 20}\0`)
    .update(Buffer.alloc(3 << 20))
    .digest('hex');
  const honest = binaryPatch(`literal ${3 << 20}\n${base85(zeros)}`).replace('1'.repeat(40), oid);
  const many = Array.from({ length: 30 }, (_, i) => honest.replaceAll('data.bin', `d${i}`));
  expect(await refusal(honest)).toBe('waits: binary');
  expect((await importIt(many.join(''))).kind).toBe('refused');
});
