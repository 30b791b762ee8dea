import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { openRepository, readWriteSettings } from '../../src/git/repository.ts';
import { moveRefFiles, type RefMove } from '../../src/ledger/store/refs.ts';
import { noCache } from '../../src/system/cache.ts';
import { buildDriver } from './driver-process.ts';
import { cleanUp, commit, folder, git, ids, ledgerOf, repository } from './fixture.ts';

const { startWith, remove } = buildDriver();
afterAll(remove);
afterEach(cleanUp);

const ref = 'refs/tasks/main';
const mirror = 'refs/gza/local/main';

/** A ledger and its mirror at one commit, and another commit to move them to. */
async function twoRefs() {
  const dir = repository();
  commit(dir);
  const from = git(dir, 'rev-parse', 'HEAD');
  commit(dir, 'another');
  const to = git(dir, 'rev-parse', 'HEAD');
  for (const name of [ref, mirror]) git(dir, 'update-ref', name, from);
  const moves: RefMove[] = [ref, mirror].map((name) => ({ ref: name, from, to }));
  return { dir, from, to, moves, path: (name: string) => join(dir, '.git', name) };
}

function locksIn(dir: string): string[] {
  const refs = join(dir, '.git', 'refs');
  return readdirSync(refs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lock'));
}

test('a ledger and its mirror move as git would move them', async () => {
  const { dir, to, moves } = await twoRefs();
  expect(moveRefFiles(await openRepository(dir), moves)).toBe('moved');
  expect(git(dir, 'rev-parse', ref, mirror)).toBe(`${to}\n${to}`);
  expect(git(dir, 'fsck', '--strict')).toBe('');
  expect(locksIn(dir)).toEqual([]);
});

test('another value is a loss, and nothing is left behind', async () => {
  const { dir, from, to, moves } = await twoRefs();
  git(dir, 'update-ref', mirror, to);
  expect(moveRefFiles(await openRepository(dir), moves)).toBe('lost');
  expect(git(dir, 'rev-parse', ref, mirror)).toBe(`${from}\n${to}`);
  expect(locksIn(dir)).toEqual([]);
});

type Refs = Awaited<ReturnType<typeof twoRefs>>;

/** May answer other moves. */
type Prepare = (refs: Refs) => unknown;

test.each<[string, Prepare]>([
  ['a packed ref', ({ dir }) => void git(dir, 'pack-refs', '--all')],
  ['a ref that links to another', ({ dir }) => void git(dir, 'symbolic-ref', mirror, 'refs/heads/main')],
  ['a file that is a link', ({ path }) => (unlinkSync(path(mirror)), symlinkSync(path(ref), path(mirror)))],
  ['a ref that is no value', ({ path }) => writeFileSync(path(mirror), 'torn')],
  ['a held lock', ({ path }) => writeFileSync(`${path(mirror)}.lock`, '')],
  [
    'a reflog',
    ({ path }) => {
      mkdirSync(dirname(path(`logs/${mirror}`)), { recursive: true });
      writeFileSync(path(`logs/${mirror}`), '');
    },
  ],
  ['a commit that is gone', ({ moves }) => moves.map((move) => ({ ...move, to: '1'.repeat(40) }))],
  ['a ref to create', ({ moves }) => moves.map((move) => ({ ...move, from: null }))],
  ['a ref to delete', ({ moves }) => moves.map((move) => ({ ...move, to: null }))],
  ['two ledgers', ({ moves: [move] }) => [move as RefMove, { ...(move as RefMove), ref: 'refs/tasks/b' }]],
  ['a branch', ({ from, to }) => [{ ref: 'refs/heads/main', from: to, to: from }]],
])('%s is left to git, and nothing changes', async (_name, prepare: Prepare) => {
  const refs = await twoRefs();
  const prepared = prepare(refs);
  const moves = Array.isArray(prepared) ? (prepared as RefMove[]) : refs.moves;
  const before = [git(refs.dir, 'for-each-ref'), locksIn(refs.dir)];
  expect(moveRefFiles(await openRepository(refs.dir), moves)).toBeNull();
  expect([git(refs.dir, 'for-each-ref'), locksIn(refs.dir)]).toEqual(before);
});

test.each<[string, boolean]>([
  ['', true],
  ['[core]\n\tlogAllRefUpdates = true\n', true],
  ['[core]\n\tlogAllRefUpdates = always\n', false],
  ['[core]\n\tfsync = all\n', false],
])('settings that ask for more than a rename are seen: %j', async (config, plain) => {
  const dir = repository();
  writeFileSync(join(dir, '.git', 'config'), `[user]\n\tname = A\n\temail = a@b\n${config}`, { flag: 'a' });
  const settings = await readWriteSettings(await openRepository(dir), noCache, { HOME: folder() });
  expect(settings.plainRefs).toBe(plain);
});

test('writers beside a git that packs the refs lose nothing', async () => {
  const dir = repository();
  git(dir, 'config', 'user.name', 'A');
  git(dir, 'config', 'user.email', 'a@example.com');
  const env = { ...process.env, HOME: folder(), GIT_CONFIG_NOSYSTEM: '1' };
  const writers = ['a', 'b', 'c', 'd'].map((name) => startWith({ env }, 'add-some', dir, name).ended);
  const done = Promise.all(writers);
  const race = { on: true };
  void done.finally(() => (race.on = false));
  while (race.on) {
    execFileSync('git', ['pack-refs', '--all'], { cwd: dir, stdio: 'ignore' });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect((await done).map(({ code, err }) => [code, err])).toEqual(writers.map(() => [0, '']));
  expect(await ids(await ledgerOf(dir))).toHaveLength(80);
  expect(git(dir, 'fsck', '--strict', '--no-dangling')).toBe('');
  expect(existsSync(join(dir, '.git', 'packed-refs.lock'))).toBe(false);
});
