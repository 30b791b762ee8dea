/** What leaves an agent's machine holds no secret that this machine has or recognises. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { emptyLeft, type Left, withholdSecrets } from '../../src/engine/left.ts';

const secret = 'p?w>d~éw0rd-Zß9-0123';
const job = { id: 'a', claim: 'c', step: 'implement' } as const;
const times = { started_at: '2026-01-01T00:00:00Z', ended_at: '2026-01-01T00:00:01Z' };
const empty = emptyLeft(job, times, []);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gza-withhold-'));
  execFileSync('git', ['init', '-q', folder]);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function leftWith(files: Readonly<Record<string, string | Buffer>>): Left {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args]);
  git('add', '-A');
  return { ...empty, patch: git('diff', '--cached', '--binary', '--full-index', '--no-renames') };
}

const spelled: [string, string | Buffer][] = [
  ['as it is', `const x = 1;\nconst key = ${secret};\n`],
  ['in JSON', `{"key":${JSON.stringify(secret)}}\n`],
  ['in an address', `https://example.com/?k=${encodeURIComponent(secret)}\n`],
  ...['', 'a', 'ab'].map((before): [string, string] => [
    `in base64 behind ${before.length} bytes`,
    `${Buffer.from(`${before}${secret} more`).toString('base64')}\n`,
  ]),
  ['in base64url', `${Buffer.from(secret).toString('base64url')}\n`],
  ['in hex', `${Buffer.from(secret).toString('hex')}\n`],
  ['in a binary file', Buffer.concat([Buffer.from([0, 1, 2, 0]), Buffer.from(secret), Buffer.alloc(300)])],
  ['by its form', `token = "hf_${'aB3x'.repeat(9)}"\n`],
];

test.each(spelled)(
  'a file that holds a secret %s stays, and the rest is kept with the reason',
  (_, content) => {
    const left = withholdSecrets(leftWith({ 'src/bad.bin': content, 'src/good.ts': 'export {};\n' }), [
      secret,
    ]);
    expect(left.too_large).toMatch(/^src\/bad\.bin: .*holds (?:the value of a secret|what looks like)/);
    expect(left.patch?.toString()).toContain('src/good.ts');
    expect(left.patch?.toString()).not.toContain('src/bad.bin');
    expect(JSON.stringify(left)).not.toContain(secret);
  },
);

test('the line is named, and a name that is the secret is not', () => {
  const named = withholdSecrets(leftWith({ 'a.txt': `1\n2\n${secret}\n` }), [secret]);
  expect([named.patch, named.too_large]).toEqual([
    null,
    'a.txt: line 3 holds the value of a secret that this machine has',
  ]);
  const inName = withholdSecrets(leftWith({ [`docs/${secret.replace('?', '?')}.md`]: 'x\n' }), [secret]);
  expect(inName.too_large).toContain('the name of a file holds the value of a secret');
  expect(inName.too_large).not.toContain('w0rd');
});

test('what holds none is as it was, and a patch that cannot be read is looked through as a text', () => {
  const left = leftWith({ 'a.txt': 'anything\n', 'b.bin': Buffer.from([0, 1, 2]) });
  expect(withholdSecrets(left, [secret, 'short'])).toEqual(left);
  const odd = { ...empty, patch: Buffer.from(`no patch at all ${Buffer.from(secret).toString('hex')}\n`) };
  expect(withholdSecrets(odd, [secret])).toMatchObject({
    patch: null,
    too_large: 'the patch holds a secret',
  });
  const harmless = { ...empty, patch: Buffer.from('no patch at all\n') };
  expect(withholdSecrets(harmless, [secret])).toEqual(harmless);
});

test('no text of it shows one: answers, errors, subjects, names, notes, filed tasks', () => {
  const hex = Buffer.from(secret).toString('hex');
  const line = JSON.stringify({ kind: 'add', title: `use ${hex}`, prompt: `the key is ${secret}` });
  const left: Left = {
    ...empty,
    runs: [
      { agent: { name: 'a' }, kind: 'ok', text: secret, error: hex, turns: 1, usage: null, costUsd: null },
    ],
    subjects: [`Add ${secret}`],
    discarded: [`tmp/${hex}`],
    skipped: [{ path: `big/${secret}`, why: 'ignored' }],
    spool: `${line}\n`,
    broken: `it broke on ${secret}`,
  };
  const clean = JSON.stringify(withholdSecrets(left, [secret]));
  expect(clean).not.toContain(hex);
  expect(clean).not.toContain('w0rd');
  expect(clean.split('[redacted]').length - 1).toBe(8);
});
