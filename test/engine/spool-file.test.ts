import { execFileSync } from 'node:child_process';
import { appendFile, link, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { spoolBytesMax } from '../../src/core/spool/spool.ts';
import { readSpoolLine } from '../../src/core/spool/spool-line.ts';
import { appendSpool, readSpool, spoolPath } from '../../src/engine/perform/spool-file.ts';

let folder = '';
let path = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gza-spool-'));
  path = join(folder, 'spool.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const note = (text: string) => ({ kind: 'note', id: 'task-a3f8', text }) as const;

test('lines appended at once are all there, each whole', async () => {
  const texts = Array.from({ length: 40 }, (_, n) => `${n} ${'x'.repeat(5000)}`);
  await Promise.all(texts.map((text) => appendSpool(path, note(text))));
  const { text, isCut } = await readSpool(path);
  const read = text.trimEnd().split('\n').map(readSpoolLine);
  expect(isCut).toBe(false);
  expect(read).toHaveLength(40);
  expect(new Set(read.map((line) => (line.kind === 'note' ? line.text : line)))).toEqual(new Set(texts));
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('a line torn by a full disk does not take the next with it', async () => {
  await appendFile(path, '{"kind":"no');
  await appendSpool(path, note('after'));
  const { text } = await readSpool(path);
  expect(text).toBe('{"kind":"no\n{"kind":"note","id":"task-a3f8","text":"after"}\n');
});

test('a spool that nobody wrote to is empty, one that is too long is read up to its bound', async () => {
  expect(await readSpool(path)).toEqual({ text: '', isCut: false });
  await writeFile(path, 'x'.repeat(spoolBytesMax + 5000));
  const { text, isCut } = await readSpool(path);
  expect([text.length, isCut]).toEqual([spoolBytesMax, true]);
  await expect(appendSpool(path, note('more'))).rejects.toThrow('its spool is full');
});

test('links, pipes, folders and files of two names are refused, and nothing is written through them', async () => {
  const secret = join(folder, 'secret');
  await writeFile(secret, 'secret');
  await symlink(secret, path);
  await expect(readSpool(path)).rejects.toThrow('it is a link');
  await expect(appendSpool(path, note('x'))).rejects.toThrow('it is a link');
  await rm(path);
  await link(secret, path);
  await expect(readSpool(path)).rejects.toThrow('more than one name');
  await expect(appendSpool(path, note('x'))).rejects.toThrow('more than one name');
  expect((await stat(secret)).size).toBe(6);
  await rm(path);
  execFileSync('mkfifo', [path]);
  await expect(readSpool(path)).rejects.toThrow('no plain file');
  await expect(appendSpool(path, note('x'))).rejects.toThrow('no plain file');
  await rm(path);
  await mkdir(path);
  await expect(readSpool(path)).rejects.toThrow('cannot be used');
});

test('what could not be read again is not written', async () => {
  await expect(appendSpool(path, note(' '))).rejects.toThrow('text must be text of 1 to 8000 characters');
  await expect(appendSpool(path, note('é'.repeat(8001)))).rejects.toThrow('text must be');
  expect(await readSpool(path)).toEqual({ text: '', isCut: false });
});

test('GZA_SPOOL names it, as an absolute path', () => {
  expect(spoolPath({})).toBeNull();
  expect(spoolPath({ GZA_SPOOL: path })).toBe(path);
  expect(() => spoolPath({ GZA_SPOOL: 'spool' })).toThrow('absolute');
});
