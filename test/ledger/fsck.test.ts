import { chmodSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { claimTask } from '../../src/ledger/claim.ts';
import { cleanLedgers, foldPlan } from '../../src/ledger/fold.ts';
import { fsckLedgers } from '../../src/ledger/fsck.ts';
import {
  add,
  at,
  claimOf,
  cleanUp,
  commit,
  git,
  ids,
  ledgerOf,
  note,
  replaceTree,
  repository,
  task,
  write,
} from './fixture.ts';

afterEach(cleanUp);

const fold = { branch: 'lane', how: 'ended', at } as const;

test('a tree written by hand is told apart from its history, and built again from it', async () => {
  const dir = repository();
  const ledger = await ledgerOf(dir);
  await write(ledger, 'lane', add('task-1'), add('task-2'));
  await write(ledger, 'lane', note('task-1', 'kept'));
  expect((await fsckLedgers(ledger)).findings).toEqual([]);
  const meta = git(dir, 'show', 'refs/tasks/lane:ledger.json');
  const forged = JSON.stringify({ ...task('task-1'), closed_at: at, closed_as: 'done' });
  const made = replaceTree(dir, 'refs/tasks/lane', { 'ledger.json': meta, 'tasks.jsonl': `${forged}\n` });
  // As an older gza took it over, which did not look.
  git(dir, 'update-ref', 'refs/gza/local/lane', made);
  const found = await fsckLedgers(ledger);
  expect(found.findings.map((one) => [one.kind, one.detail.replace(/^[0-9a-f]{12}/, 'commit')])).toEqual([
    ['history', 'commit: its message does not end in an event'],
    ['state', 'task-1 differs from what the events say'],
    ['state', 'task-2 is missing from the tree'],
  ]);
  expect((await fsckLedgers(ledger, { repair: true })).repaired).toEqual(['lane']);
  expect((await fsckLedgers(ledger)).findings).toEqual([]);
  expect((await (await ledger.view()).task('task-1'))?.record).toEqual(task('task-1', { notes: ['kept'] }));
});

test('a ledger whose tree cannot be read at all is skipped loudly, and repaired', async () => {
  const dir = repository();
  const ledger = await ledgerOf(dir);
  await write(ledger, 'main', add('task-1'));
  await write(ledger, 'lane', add('task-2'));
  const made = replaceTree(dir, 'refs/tasks/main', { 'ledger.json': '{"v":1', x: 'garbage' });
  git(dir, 'update-ref', 'refs/gza/local/main', made);
  expect(await ids(ledger)).toEqual(['task-2']);
  await expect(write(ledger, 'main', add('task-3'))).rejects.toMatchObject({ code: 'world' });
  expect((await fsckLedgers(ledger, { repair: true })).repaired).toEqual(['main']);
  expect(await ids(ledger)).toEqual(['task-1', 'task-2']);
  replaceTree(dir, 'refs/tasks/main', { 'ledger.json': '{"v":2}' });
  const view = await ledger.view();
  await view.rows();
  expect(view.problems[0]?.detail).toContain('newer gza');
});

test('what git cannot read of a ledger holds back that ledger alone, and is never taken for empty', async () => {
  const dir = repository();
  const file = (oid: string) => join(dir, '.git/objects', oid.slice(0, 2), oid.slice(2));
  const tip = () => git(dir, 'rev-parse', 'refs/tasks/lane');
  const shard = () => git(dir, 'rev-parse', 'refs/tasks/lane:tasks.jsonl');
  const first = await ledgerOf(dir);
  await write(first, 'main', add('task-1'));
  await write(first, 'lane', add('task-2'));
  const kinds: [where: () => string, what: RegExp, repairs: boolean][] = [
    [() => file(tip()), /missing or damaged/, false],
    [() => file(shard()), /missing or damaged/, true],
    [() => join(dir, '.git/refs/tasks/lane'), /file of refs\/tasks\/lane is damaged/, false],
  ];
  for (const [where, what, repairs] of kinds) {
    const path = where();
    const [before, whole] = [tip(), readFileSync(path)];
    chmodSync(path, 0o644);
    truncateSync(path, 5);
    rmSync(join(dir, '.git/gza/cache'), { recursive: true, force: true });
    // Nothing to fall back on.
    git(dir, 'update-ref', '-d', 'refs/gza/local/lane');
    const ledger = await ledgerOf(dir, { writeMs: 500 });
    expect(await ids(ledger)).toEqual(['task-1']);
    const view = await ledger.view();
    await view.rows();
    expect([[...view.unread], view.problems[0]?.detail]).toEqual([['lane'], expect.stringMatching(what)]);
    await expect(write(ledger, 'lane', note('task-2', 'x'))).rejects.toMatchObject({
      code: 'world',
      message: expect.stringMatching(/^nothing was recorded: the ledger of lane cannot be (read|written): /),
      hint: expect.stringContaining('gza fsck'),
    });
    // Without a commit there is nothing to fold.
    const folded = await ledger.write((seen) => foldPlan(seen, fold)).catch(({ code }) => code);
    expect(folded).toEqual(view.tip('lane') === null ? { kind: 'nothing' } : 'world');
    expect((await write(ledger, 'main', note('task-1', 'x'))).kind).toBe('written');
    const found = await fsckLedgers(ledger, { repair: true });
    expect([found.findings.map(({ branch }) => branch), found.repaired]).toEqual([
      ['lane'],
      repairs ? ['lane'] : [],
    ]);
    if (!repairs) writeFileSync(path, whole);
    if (!repairs) expect(tip()).toBe(before);
    expect(await ids(await ledgerOf(dir))).toEqual(['task-1', 'task-2']);
  }
});

test('ledgers of deleted branches come home, those of living, claimed and current ones stay', async () => {
  const dir = repository();
  commit(dir);
  git(dir, 'branch', 'alive');
  const ledger = await ledgerOf(dir);
  await write(ledger, 'main', add('task-1'));
  await write(ledger, 'alive', add('task-2'));
  await write(ledger, 'gone', add('task-3', { notes: ['kept'] }));
  await write(ledger, 'gza/task-1', add('task-4'));
  await claimTask(ledger, { claim: claimOf('task-1', 'ann'), at });
  expect((await cleanLedgers(ledger, at)).folded).toEqual(['gone']);
  const view = await ledger.view();
  expect(view.branches).toEqual(['main', 'alive', 'gza/task-1']);
  expect(await view.task('task-3')).toMatchObject({
    branch: 'main',
    record: { notes: ['kept'], lane: { branch: 'gone' } },
  });
  expect((await fsckLedgers(ledger)).findings).toEqual([]);
});

test('a ledger that is damaged and loses its ref too is not let go, nor one that is packed', async () => {
  const dir = repository();
  await write(await ledgerOf(dir), 'main', add('task-1'));
  const oid = git(dir, 'rev-parse', 'refs/tasks/main:ledger.json');
  const path = join(dir, '.git/objects', oid.slice(0, 2), oid.slice(2));
  const whole = readFileSync(path);
  const unread = async () => {
    rmSync(join(dir, '.git/gza'), { recursive: true, force: true });
    const ledger = await ledgerOf(dir);
    await expect(write(ledger, 'main', add('task-2'))).rejects.toMatchObject({ code: 'world' });
    const view = await ledger.view();
    await view.rows();
    return [...view.unread];
  };
  chmodSync(path, 0o644);
  truncateSync(path, 5);
  git(dir, 'update-ref', '-d', 'refs/tasks/main');
  expect(await unread()).toEqual(['main']);
  writeFileSync(path, whole);
  expect(await ids(await ledgerOf(dir))).toEqual(['task-1']);

  // What git only warns of, since a link among the refs has it asked.
  git(dir, 'symbolic-ref', 'refs/tasks/link', 'refs/heads/main');
  const files = ['refs/tasks/main', 'refs/gza/local/main'].map((ref) => join(dir, '.git', ref));
  const values = files.map((file) => readFileSync(file));
  for (const file of files) truncateSync(file, 0);
  expect(await unread()).toContain('main');
  for (const [n, file] of files.entries()) writeFileSync(file, values[n] as Buffer);
  git(dir, 'symbolic-ref', '--delete', 'refs/tasks/link');

  git(dir, 'pack-refs', '--all');
  const packed = join(dir, '.git/packed-refs');
  writeFileSync(
    packed,
    readFileSync(packed, 'utf8').replaceAll(/^[0-9a-f]{4}(?=\S+ refs\/(?:tasks|gza))/gm, 'torn'),
  );
  await expect((await ledgerOf(dir)).view()).rejects.toMatchObject({ code: 'world' });
});
