import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { laneStart } from '../../src/core/policy/decide.ts';
import { gzaIdentity } from '../../src/git/git.ts';
import { readBranch } from '../../src/git/refs.ts';
import { openRepository } from '../../src/git/repository.ts';
import { integrateLane, rebaseLane } from '../../src/workspace/branch/rebase-lane.ts';
import { diffId, laneDiff } from '../../src/workspace/patch/lane-diff.ts';
import { commitFiles, git, removeScratchDirs, scratchDir, scratchRepo } from './scratch-repo.ts';

afterAll(removeScratchDirs);

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\n`).join('');

test('a lane continues its branch, stacks on one unmerged predecessor, and joins several', () => {
  const facts = { branch: 'gza/b', hasBranch: false, isSameBranch: false, predecessors: [] };
  const before = (branch: string, state: 'merged' | 'unmerged' | 'gone') => ({ branch, state });
  expect(laneStart(facts)).toEqual({ kind: 'base', branch: 'gza/b' });
  expect(laneStart({ ...facts, hasBranch: true })).toEqual({ kind: 'continue', branch: 'gza/b' });
  expect(laneStart({ ...facts, predecessors: [before('a', 'unmerged'), before('c', 'merged')] })).toEqual({
    kind: 'stack',
    branch: 'gza/b',
    on: 'a',
  });
  expect(laneStart({ ...facts, predecessors: [before('a', 'merged')] })).toEqual({
    kind: 'base',
    branch: 'gza/b',
  });
  expect(laneStart({ ...facts, predecessors: [before('a', 'unmerged'), before('c', 'unmerged')] })).toEqual({
    kind: 'join',
    branch: 'gza/b',
    on: ['a', 'c'],
    withBase: false,
  });
  // What was merged after the other began is not below it.
  const since = (at: string) => [
    { ...before('a', 'merged'), at: '2026-01-02' },
    { ...before('c', 'unmerged'), at },
  ];
  const joined = { kind: 'join', branch: 'gza/b', on: ['c'], withBase: true };
  expect(laneStart({ ...facts, predecessors: since('2026-01-01') })).toEqual(joined);
  expect(laneStart({ ...facts, predecessors: since('2026-01-03') })).toMatchObject({
    kind: 'stack',
    on: 'c',
  });
  expect(laneStart({ ...facts, isSameBranch: true, predecessors: [before('a', 'unmerged')] })).toEqual({
    kind: 'continue',
    branch: 'a',
  });
  expect(laneStart({ ...facts, isSameBranch: true, predecessors: [before('a', 'merged')] })).toMatchObject({
    kind: 'base',
    note: 'a is merged; the work goes on from the base branch',
  });
});

test('the id of a diff survives a clean rebase, and tells indentation and binary content apart', async () => {
  const repo = await scratchRepo({ 'a.py': lines(1, 30), 'b.txt': 'b\n' });
  const { repository } = repo.workspace;
  git(repo.dir, 'checkout', '-q', '-b', 'lane');
  const lane = commitFiles(repo.dir, { 'a.py': `${lines(1, 30)}if x:\n  y\n`, 'x.bin': Buffer.from([0, 1]) });
  const id = await diffId(repository, { base: 'main', head: lane });
  expect(id).toMatch(/^[0-9a-f]{40}$/);
  git(repo.dir, 'checkout', '-q', 'main');
  const main = commitFiles(repo.dir, { 'a.py': `0\n${lines(1, 30)}`, 'c.txt': 'c\n' });
  // Also with settings that change what people see.
  git(repo.dir, 'config', 'diff.noprefix', 'true');
  git(repo.dir, 'config', 'diff.algorithm', 'patience');
  const rebased = await rebaseLane(repository, {
    onto: main,
    forkPoint: repo.head,
    head: lane,
    committer: gzaIdentity,
  });
  if (rebased.kind !== 'rebased') throw new Error(rebased.kind);
  expect(await diffId(repository, { base: 'main', head: rebased.commit })).toBe(id);
  git(repo.dir, 'checkout', '-q', lane);
  const indented = commitFiles(repo.dir, { 'a.py': `${lines(1, 30)}if x:\n    y\n` });
  expect(await diffId(repository, { base: repo.head, head: indented })).not.toBe(id);
  git(repo.dir, 'checkout', '-q', lane);
  const binary = commitFiles(repo.dir, { 'x.bin': Buffer.from([0, 2]) });
  expect(await diffId(repository, { base: repo.head, head: binary })).not.toBe(id);
  expect(await diffId(repository, { base: 'main', head: main })).toBe('');
});

test('the diff of a lane has numbers for every file, and a text that is cut at a line', async () => {
  const repo = await scratchRepo({ 'a.txt': 'a\n' });
  const head = commitFiles(repo.dir, {
    'a.txt': 'b\n',
    'big.txt': lines(1, 100_000),
    'x.bin': Buffer.from([0]),
    'ü b.txt': 'x\n',
  });
  const range = { base: repo.head, head };
  const diff = await laneDiff(repo.workspace.repository, range, 1000);
  expect(diff.files).toEqual([
    { path: 'a.txt', added: 1, removed: 1 },
    { path: 'big.txt', added: 100_000, removed: 0 },
    { path: 'x.bin', added: null, removed: null },
    { path: 'ü b.txt', added: 1, removed: 0 },
  ]);
  expect(diff.isCut).toBe(true);
  expect(diff.text.length).toBeLessThanOrEqual(1000);
  expect(diff.text.endsWith('\n')).toBe(true);
  const whole = await laneDiff(repo.workspace.repository, { base: head, head }, 1000);
  expect(whole).toEqual({ files: [], text: '', isCut: false });
});

test('after a squash merge of its parent a lane is rebased from its fork point, without what was merged', async () => {
  const repo = await scratchRepo({ 'a.txt': lines(1, 10) });
  const { repository } = repo.workspace;
  git(repo.dir, 'checkout', '-q', '-b', 'parent');
  const forkPoint = commitFiles(repo.dir, { 'a.txt': `${lines(1, 10)}parent\n` }, 'Parent');
  git(repo.dir, 'checkout', '-q', '-b', 'child');
  const head = commitFiles(
    repo.dir,
    { 'a.txt': `${lines(1, 10)}parent\nchild\n` },
    'Child\n\nTask: task-0002',
  );
  git(repo.dir, 'checkout', '-q', 'main');
  const onto = commitFiles(repo.dir, { 'a.txt': `${lines(1, 10)}parent\n` }, 'Squashed parent');
  const refs = git(repo.dir, 'for-each-ref');
  const options = { onto, forkPoint, head, committer: gzaIdentity };
  const rebased = await rebaseLane(repository, options);
  if (rebased.kind !== 'rebased') throw new Error(rebased.kind);
  expect(
    git(
      repo.dir,
      'log',
      '--format=%s|%an|%cn|%(trailers:key=Task,valueonly,separator=)',
      `${onto}..${rebased.commit}`,
    ),
  ).toBe('Child|Ann|gza|task-0002');
  expect(await rebaseLane(repository, { ...options, head: forkPoint, forkPoint: repo.head })).toEqual({
    kind: 'empty',
  });
  const other = commitFiles(repo.dir, { 'a.txt': `${lines(1, 10)}parent\nother\n` });
  expect(await rebaseLane(repository, { ...options, onto: other })).toEqual({
    kind: 'conflict',
    paths: ['a.txt'],
  });
  git(repo.dir, 'update-ref', 'refs/heads/main', onto);
  expect(git(repo.dir, 'for-each-ref')).toBe(refs);
});

test('integrating moves the current branch forward, or leaves everything as it was and says how to go on', async () => {
  const repo = await scratchRepo({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const { repository } = repo.workspace;
  git(repo.dir, 'checkout', '-q', '-b', 'gza/x');
  const head = commitFiles(repo.dir, { 'a.txt': 'lane\n' }, 'Lane');
  git(repo.dir, 'checkout', '-q', 'main');
  const main = commitFiles(repo.dir, { 'c.txt': 'c\n' }, 'Other');
  const options = { treeDir: repo.dir, branch: 'gza/x', forkPoint: repo.head, head, committer: gzaIdentity };

  writeFileSync(path.join(repo.dir, 'a.txt'), 'mine, unsaved\n');
  const blocked = await integrateLane(repository, options);
  expect(blocked).toMatchObject({ kind: 'in-the-way', hint: expect.stringContaining('git merge --ff-only') });
  expect(readFileSync(path.join(repo.dir, 'a.txt'), 'utf8')).toBe('mine, unsaved\n');
  expect(git(repo.dir, 'rev-parse', 'HEAD')).toBe(main);

  git(repo.dir, 'checkout', '-q', 'a.txt');
  writeFileSync(path.join(repo.dir, 'b.txt'), 'unsaved, not in the way\n');
  expect(await integrateLane(repository, options)).toMatchObject({ kind: 'integrated' });
  expect(git(repo.dir, 'log', '--format=%s')).toBe('Lane\nOther\nFirst');
  expect(git(repo.dir, 'status', '--porcelain')).toBe(' M b.txt');
  expect(await integrateLane(repository, options)).toEqual({ kind: 'empty' });

  git(repo.dir, 'checkout', '-q', 'b.txt');
  const changed = commitFiles(repo.dir, { 'a.txt': 'changed by hand\n' });
  expect(await integrateLane(repository, options)).toMatchObject({ kind: 'conflict', paths: ['a.txt'] });
  expect(git(repo.dir, 'rev-parse', 'HEAD')).toBe(changed);
  expect(git(repo.dir, 'status', '--porcelain')).toBe('');
});

test('a branch is where it is, with the folder that has it checked out', async () => {
  const repo = await scratchRepo();
  const { repository } = repo.workspace;
  expect(await readBranch(repository, 'gza/x')).toBeNull();
  git(repo.dir, 'branch', 'gza/x');
  expect(await readBranch(repository, 'gza/x')).toEqual({ oid: repo.head, folder: '' });
  expect(await readBranch(repository, 'main')).toEqual({ oid: repo.head, folder: repo.dir });
  const bare = path.join(scratchDir(), 'bare');
  git('/', 'clone', '-q', '--bare', repo.dir, bare);
  expect(await readBranch(await openRepository(bare), 'main')).toEqual({ oid: repo.head, folder: '' });
});
