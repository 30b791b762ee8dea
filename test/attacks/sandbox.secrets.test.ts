/**
 * A hostile agent that knows a secret and wants it out: each way of writing it in everything that leaves its machine.
 * The same texts are left alone where nobody knows that the value is a secret.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { emptyLeft, type Left, withholdSecrets } from '../../src/engine/left.ts';

const secret = 'dep-Q7x2?Lp0v/K9w~mZ4t81';
const buffer = Buffer.from(secret);
const [hex, base64] = [buffer.toString('hex'), buffer.toString('base64')];
const inParts = (text: string, size: number) => text.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];

const encodings: readonly (readonly [string, string])[] = [
  ['as it is', secret],
  ['in base64', base64],
  ['in base64 behind other text', Buffer.from(`xy${secret}z`).toString('base64')],
  ['in base64url', buffer.toString('base64url')],
  ['in hex', hex],
  ['in HEX', hex.toUpperCase()],
  ['in an address', encodeURIComponent(secret)],
  ['in JSON', JSON.stringify({ k: secret })],
  ['over lines', inParts(secret, 5).join('\n')],
  ['over lines in base64', inParts(base64, 8).join('\n')],
  [
    'as strings that are added',
    inParts(secret, 6)
      .map((part) => `"${part}"`)
      .join(' +\n  '),
  ],
  ['as a list of strings', JSON.stringify(inParts(secret, 4))],
  ['in an address, each character', [...buffer].map((byte) => `%${byte.toString(16)}`).join('')],
  ['in escapes of a program', [...buffer].map((byte) => `\\x${byte.toString(16)}`).join('')],
  ['in escapes of JSON', [...buffer].map((byte) => `\\u00${byte.toString(16)}`).join('')],
  ['in entities of HTML', [...buffer].map((byte) => `&#${byte};`).join('')],
  ['as a list of numbers', `[${[...buffer].join(', ')}]`],
  ['in base64 of base64', Buffer.from(base64).toString('base64')],
  ['in two bytes for each', [...secret].join('\0')],
  ['with a sign between all', [...secret].join('-')],
  ['in hex with spaces', inParts(hex, 2).join(' ')],
  ['in hex with colons', inParts(hex, 2).join(':')],
];

function patchOf(name: string, content: string | Buffer): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'gza-carrier-'));
  try {
    const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args]);
    git('init', '-q');
    writeFileSync(join(folder, name), content);
    git('add', '-A');
    return git('diff', '--cached', '--binary', '--full-index', '--no-renames');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const times = { started_at: '2026-01-01T00:00:00Z', ended_at: '2026-01-01T00:00:01Z' };
const empty = emptyLeft({ id: 'a', claim: 'c', step: 'implement' }, times, []);
const said = { agent: { name: 'a' }, kind: 'ok', turns: 1, usage: null, costUsd: null } as const;

/** What carries it, and where it would be seen. */
const carriers: Readonly<Record<string, (text: string) => Left>> = {
  'a file': (text) => ({ ...empty, patch: patchOf('a.txt', `x = 1;\n${text}\n`) }),
  'a binary file': (text) => ({ ...empty, patch: patchOf('a.bin', Buffer.from(`\0\x01${text}\0`)) }),
  'the name of a file': (text) => ({ ...empty, patch: patchOf(text.replaceAll('/', '_'), 'x\n') }),
  'an answer': (text) => ({ ...empty, runs: [{ ...said, text: `It is ${text}.` }] }),
  'an error': (text) => ({ ...empty, runs: [{ ...said, text: '', error: `failed: ${text}` }] }),
  'a subject': (text) => ({ ...empty, subjects: [`Add ${text}`] }),
  'a note': (text) => ({ ...empty, spool: `${JSON.stringify({ kind: 'note', text })}\n` }),
  'a filed task': (text) => ({
    ...empty,
    spool: `${JSON.stringify({ kind: 'add', text, after: [text] })}\n`,
  }),
  'what was left out': (text) => ({
    ...empty,
    skipped: [{ path: text, reason: 'too-large' } as never],
    discarded: [text],
  }),
};

/** Names of files hold no line ends, and a slash is another folder. */
const isOut = (carrier: string, encoding: string) =>
  carrier === 'the name of a file' &&
  (/over lines|added|as it is|in JSON|list|two bytes|sign between/.test(encoding) ||
    encoding === 'in base64');

test.each(
  Object.keys(carriers).flatMap((carrier) =>
    encodings.flatMap(([encoding, text]) => (isOut(carrier, encoding) ? [] : [{ carrier, encoding, text }])),
  ),
)('$carrier, $encoding: it does not leave, and only because it is a secret', ({ carrier, text }) => {
  const given = carriers[carrier]?.(text) ?? empty;
  const shown = (left: Left) =>
    JSON.stringify([left.patch?.toString('latin1'), left.runs, left.subjects, left.spool, left.skipped]);
  const kept = shown(withholdSecrets(given, ['another-secret-0123456789']));
  expect(kept).toBe(shown(given));
  const left = withholdSecrets(given, [secret]);
  expect(shown(left)).not.toBe(kept);
  if (given.patch)
    expect([left.patch, left.too_large]).toEqual([
      null,
      expect.stringMatching(/holds the value of a secret/),
    ]);
  else expect(shown(left)).toContain('[redacted]');
});

test('what is out of reach', () => {
  const backwards = [...secret].toReversed().join('');
  const left = withholdSecrets(carriers['an answer']?.(backwards) ?? empty, [secret]);
  expect(left.runs[0]?.text).toBe(`It is ${backwards}.`);
});
