import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { guardPolicy } from '../../src/core/guard/guard-patch.ts';
import { makingName, thisProcess, writeRecord } from '../../src/workspace/clone-folder.ts';
import type { SharedClone } from '../../src/workspace/shared-clone.ts';
import { discardClone, removeClone } from '../../src/workspace/workspace.ts';
import type { ScratchRepo } from './scratch-repo.ts';
import { commitStep, git, removeScratchDirs, scratchRepo, writeFiles } from './scratch-repo.ts';

afterAll(removeScratchDirs);

function clone({ workspace, head }: ScratchRepo, name: string, purpose?: 'review'): Promise<SharedClone> {
  const base = { branch: 'main', commit: head };
  return workspace.createClone({
    name,
    branch: `gza/${name}`,
    start: head,
    base,
    ...(purpose ? { purpose } : {}),
  });
}

/** As if the process that made it had died. */
async function orphan(made: SharedClone, owner: Partial<SharedClone['record']['owner']> = {}): Promise<void> {
  const { pid } = spawnSync('true');
  await writeRecord(made.dir, { ...made.record, owner: { ...made.record.owner, pid, ...owner } });
}

async function saved(made: SharedClone): Promise<SharedClone> {
  const done = await commitStep(made, {
    purpose: { kind: 'wip', reason: 'the run was killed' },
    title: 'Add a thing',
    taskId: 'task-0001',
    policy: guardPolicy,
  });
  if (done.kind !== 'committed') throw new Error(done.kind);
  return done.clone;
}

test('clones of dead processes whose work was saved go; those of the living, and unsaved work, stay', async () => {
  const repo = await scratchRepo();
  const [alive, dead, clean, stubborn, reused, review] = [
    await clone(repo, 'alive'),
    await clone(repo, 'dead'),
    await clone(repo, 'clean'),
    await clone(repo, 'stubborn'),
    await clone(repo, 'reused'),
    await clone(repo, 'review', 'review'),
  ];
  for (const one of [alive, dead, stubborn, reused, review])
    writeFiles(one.treeDir, { 'left.txt': 'left\n' });
  writeFiles(stubborn.treeDir, { 'gza.yaml': 'x: 1\n' });
  for (const one of [clean, stubborn, review]) await orphan(one);
  await orphan(await saved(dead));
  // The number went to a living process that started at another time.
  await orphan(await saved(reused), { pid: process.pid, since: '1' });
  // A removal and makings that were cut short, and makings that go on.
  const owner = await thisProcess();
  const [dying, living] = [makingName({ ...owner, since: '1' }), makingName(owner)].map((name) => `${name}x`);
  for (const name of ['.gza-old-x', '.gza-new-x', '.gza-new-y', dying ?? '', living ?? ''])
    mkdirSync(path.join(repo.workRoot, name));
  utimesSync(path.join(repo.workRoot, '.gza-new-x'), 1, 1);
  // No record: not gza's.
  mkdirSync(path.join(repo.workRoot, 'foreign'));
  await repo.workspace.sweep();
  const isLinux = process.platform === 'linux';
  expect(git(repo.dir, 'log', '-1', '--format=%s', 'gza/dead')).toBe('WIP: Add a thing');
  expect(git(repo.dir, 'show', 'gza/dead:left.txt')).toBe('left');
  const left = readdirSync(repo.workRoot).sort();
  expect(left).toEqual([
    living,
    '.gza-new-y',
    'alive',
    'foreign',
    ...(isLinux ? [] : ['reused']),
    'stubborn',
  ]);
});

test('a clone of another repository is not found, whatever it is called', async () => {
  const repo = await scratchRepo();
  const made = await clone(repo, 'left');
  await writeRecord(made.dir, { ...made.record, repository: '/elsewhere/.git' });
  expect(await repo.workspace.findClone('left')).toBeNull();
  await repo.workspace.sweep();
  expect(existsSync(made.treeDir)).toBe(true);
});

test('a clone that holds unsaved work is never removed, also when only odd files are left in it', async () => {
  const repo = await scratchRepo();
  const made = await clone(repo, 'one');
  await expect(clone(repo, 'one')).rejects.toThrow('is there already');
  writeFiles(made.treeDir, { 'large.txt': 'x'.repeat(6 << 20) });
  expect(await removeClone(made)).toEqual({ kind: 'unsaved', paths: ['large.txt'] });
  const found = await repo.workspace.findClone('one');
  expect(found?.record).toEqual(made.record);
  expect(existsSync(made.treeDir)).toBe(true);
});

test('what a review changed is thrown away and named, also behind closed folders', async () => {
  const repo = await scratchRepo();
  const made = await clone(repo, 'review', 'review');
  writeFiles(made.treeDir, { 'a.txt': 'approved\n', 'closed/x.txt': 'x\n' });
  chmodSync(path.join(made.treeDir, 'closed'), 0o500);
  expect(await discardClone(made)).toEqual({ kind: 'removed', discarded: ['a.txt', 'closed/x.txt'] });
  expect(git(repo.dir, 'status', '--porcelain')).toBe('');
  expect(readdirSync(repo.workRoot)).toEqual([]);
});

test('a clone that cannot be made leaves nothing behind', async () => {
  const repo = await scratchRepo();
  const options = {
    name: 'x',
    branch: 'gza/x',
    start: 'f'.repeat(40),
    base: { branch: 'main', commit: 'f'.repeat(40) },
  };
  await expect(repo.workspace.createClone(options)).rejects.toThrow('read-tree');
  expect(readdirSync(repo.workRoot)).toEqual([]);
  await expect(repo.workspace.createClone({ ...options, name: '../x' })).rejects.toThrow(
    'cannot name a folder',
  );
  await expect(repo.workspace.createClone({ ...options, branch: 'a..b' })).rejects.toThrow(
    'cannot be a branch',
  );
});
