import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import { buildSync } from 'esbuild';
import { readTips, rememberTips } from '../../src/ledger/store/refs.ts';
import { cleanUp, folder } from './fixture.ts';

afterEach(cleanUp);

const source = fileURLToPath(new URL('../../src/ledger/store/refs.ts', import.meta.url));
const oidOf = (n: number) => n.toString(16).padStart(40, '0');

/** Moves ledgers of its own to and fro, and ends each at a value that tells who wrote it. */
const writer = `
const { rememberTips } = await import(process.argv[1]);
const [dir, name] = process.argv.slice(2);
const oidOf = (n) => n.toString(16).padStart(40, '0');
for (let n = 0; n <= 400; n++) {
  const move = (branch, to) => rememberTips(dir, [{ ref: 'refs/gza/local/' + branch, to, from: null }]);
  move(name, oidOf(n));
  move(name + '-gone', n === 400 ? null : oidOf(n));
}`;

test('processes that append at once lose none of their last words, and the file stays small', async () => {
  const dir = folder();
  const names = ['a', 'b', 'c', 'd'];
  const run = promisify(execFile);
  const bundle = join(dir, 'tips.mjs');
  buildSync({ entryPoints: [source], outfile: bundle, bundle: true, platform: 'node', format: 'esm' });
  const args = ['--input-type=module', '-e', writer, bundle];
  await Promise.all(names.map((name) => run(process.execPath, [...args, dir, name])));
  expect(new Map([...readTips(dir)].map(([name, { oid }]) => [name, oid]))).toEqual(
    new Map(names.map((name) => [name, oidOf(400)])),
  );
  expect(readFileSync(join(dir, 'gza/tips')).length).toBeLessThan(20_000);
});

test('a line that comes late does not undo a newer one', () => {
  const dir = folder();
  rememberTips(dir, [{ ref: 'refs/gza/local/main', to: oidOf(1), from: null }]);
  const path = join(dir, 'gza/tips');
  const line = (second: number, oid: string, branch: string) =>
    `2099-01-02T03:04:0${second}.000Z ${oid} ${branch} .\n`;
  const lines = [
    line(3, oidOf(3), 'main'),
    line(2, oidOf(2), 'main'),
    line(3, '-', 'gone'),
    line(2, oidOf(2), 'gone'),
  ];
  writeFileSync(path, lines.join(''), { flag: 'a' });
  expect([...readTips(dir)]).toEqual([['main', { oid: oidOf(3), at: '2099-01-02T03:04:03.000Z' }]]);
});

test('a line that was cut anywhere harms only itself', () => {
  const dir = folder();
  const move = (branch: string, n: number) =>
    rememberTips(dir, [{ ref: `refs/gza/local/${branch}`, to: oidOf(n), from: null }]);
  move('main', 1);
  const path = join(dir, 'gza/tips');
  const [before, whole] = [readFileSync(path, 'utf8'), `2026-01-02T03:04:05.678Z ${oidOf(2)} feature .\n`];
  for (let end = 0; end < whole.length - 2; end++) {
    writeFileSync(path, before + whole.slice(0, end));
    move('other', 3);
    expect([...readTips(dir).keys()]).toEqual(['main', 'other']);
  }
});
