import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { openRepository } from '../../src/git/repository.ts';
import { fsckLedgers } from '../../src/ledger/fsck.ts';
import { syncLedgers } from '../../src/ledger/sync/sync.ts';
import { buildDriver } from './driver-process.ts';
import { add, cleanUp, commit, folder, git, ids, ledgerOf, repository, write } from './fixture.ts';

afterEach(cleanUp);

const saved = { ...process.env };
afterAll(() => {
  process.env = saved;
});

async function worksIn(dir: string, base = 'main'): Promise<void> {
  const ledger = await ledgerOf(dir);
  expect((await ledger.view()).base).toBe(base);
  expect((await write(ledger, base, add('task-1'))).kind).toBe('written');
  expect((await write(ledger, 'lane', add('task-2'))).kind).toBe('written');
  expect(await ids(await ledgerOf(dir))).toEqual(['task-1', 'task-2']);
  expect((await fsckLedgers(ledger)).findings).toEqual([]);
  expect(git(dir, 'fsck', '--strict', '--no-dangling')).toBe('');
}

test('without a commit', async () => {
  const dir = repository();
  await worksIn(dir);
  expect((await openRepository(dir)).head).toEqual({ branch: 'main', detached: false });
});

test('without a commit and on a branch of another name, which stays the base when another is checked out', async () => {
  const dir = folder();
  git(dir, 'init', '-q', '-b', 'trunk', '.');
  await worksIn(dir, 'trunk');
  commit(dir);
  git(dir, 'switch', '-q', '-c', 'feature');
  expect((await (await ledgerOf(dir)).view()).base).toBe('trunk');
});

test('with a detached head', async () => {
  const dir = repository();
  commit(dir);
  git(dir, 'checkout', '-q', '--detach');
  await worksIn(dir);
  expect((await openRepository(dir)).head).toEqual({ branch: null, detached: true });
});

test('in a shallow clone, a blob:none clone, and with a remote whose default branch is neither main nor master', async () => {
  const origin = folder();
  git(origin, 'init', '-q', '-b', 'trunk', '.');
  git(origin, 'config', 'uploadpack.allowFilter', 'true');
  commit(origin);
  commit(origin);
  for (const option of ['--depth=1', '--filter=blob:none']) {
    const dir = folder();
    git(dir, 'clone', '-q', option, `file://${origin}`, '.');
    await worksIn(dir, 'trunk');
    const ledger = await ledgerOf(dir);
    await syncLedgers(ledger, { remote: 'origin', push: true, tell: () => {} });
    git(dir, 'update-ref', '-d', 'refs/tasks/lane');
    git(dir, 'update-ref', '-d', 'refs/gza/local/lane');
    await syncLedgers(ledger, { remote: 'origin', push: true, tell: () => {} });
    expect(await ids(ledger)).toEqual(['task-1', 'task-2']);
    for (const ref of ['main', 'trunk', 'lane']) git(origin, 'update-ref', '-d', `refs/tasks/${ref}`);
  }
});

test('in a worktree and a folder of it, with the ledgers of the whole repository', async () => {
  const dir = repository();
  commit(dir);
  const tree = join(folder(), 'tree');
  git(dir, 'worktree', 'add', '-q', '-b', 'feature', tree);
  const below = join(tree, 'a', 'b');
  mkdirSync(below, { recursive: true });
  await worksIn(below);
  expect(await ids(await ledgerOf(dir))).toEqual(['task-1', 'task-2']);
  const found = await openRepository(below);
  expect(found).toMatchObject({ workTree: tree, commonDir: join(dir, '.git'), head: { branch: 'feature' } });
});

test('in a bare repository', async () => {
  const dir = repository('--bare');
  await worksIn(dir);
  expect(await openRepository(dir)).toMatchObject({ isBare: true, workTree: null, gitDir: dir });
});

test('with SHA-256', async () => {
  const dir = repository('--object-format=sha256');
  await worksIn(dir);
  expect((await openRepository(dir)).objectFormat).toBe('sha256');
});

test('after a gc that packed everything, and in a shared repository', async () => {
  const dir = repository('--shared=group');
  await worksIn(dir);
  git(dir, 'gc', '-q', '--prune=now');
  expect(await ids(await ledgerOf(dir))).toEqual(['task-1', 'task-2']);
  expect((await write(await ledgerOf(dir), 'main', add('task-3'))).kind).toBe('written');
});

test('without user.name, and with a name that would break a commit', async () => {
  const dir = repository();
  git(dir, 'config', 'user.useConfigOnly', 'true');
  await write(await ledgerOf(dir), 'main', add('task-1'));
  git(dir, 'config', 'user.name', 'A <b>\nauthor evil');
  git(dir, 'config', 'user.email', 'a@example.com');
  await write(await ledgerOf(dir), 'main', add('task-2'));
  const names = git(dir, 'log', '--format=%an <%ae>', 'refs/tasks/main').split('\n');
  expect(names[0]).toBe('A b author evil <a@example.com>');
  expect(git(dir, 'fsck', '--strict')).toBe('');
});

test('with GIT_DIR set', async () => {
  const dir = repository();
  process.env['GIT_DIR'] = join(dir, '.git');
  try {
    await write(await ledgerOf(folder()), 'main', add('task-1'));
  } finally {
    delete process.env['GIT_DIR'];
  }
  expect(await ids(await ledgerOf(dir))).toEqual(['task-1']);
});

test('on a disk that cannot be written: reading works, writing says why', async () => {
  const dir = repository();
  await write(await ledgerOf(dir), 'main', add('task-1'));
  execFileSync('rm', ['-rf', join(dir, '.git/gza')]);
  execFileSync('chmod', ['-R', 'a+rX,a-w', dir]);
  // For root nothing is read-only; so another user it is.
  const isRoot = process.getuid?.() === 0;
  const env = {
    ...process.env,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: dir,
  };
  const options = isRoot ? { uid: 65_534, env } : { env };
  const { startWith, remove } = buildDriver();
  try {
    expect(await startWith(options, 'list', dir).ended).toEqual({ code: 0, out: 'task-1\n', err: '' });
    const { code, err } = await startWith(options, 'add', dir, 'task-2').ended;
    expect(code).toBe(1);
    expect(err).toMatch(/^nothing was recorded: .* cannot be written \(no permission\)\n$/);
    if (!isRoot) return;
    execFileSync('chmod', ['-R', 'a+w', dir]);
    const dubious = await startWith({ uid: 65_534 }, 'add', dir, 'task-2').ended;
    expect(dubious).toMatchObject({ code: 1, err: expect.stringContaining('belongs to another user') });
    expect(await ids(await ledgerOf(dir))).toEqual(['task-1']);
  } finally {
    remove();
  }
});

test('outside a repository it says what to do', async () => {
  await expect(openRepository(folder())).rejects.toMatchObject({
    code: 'input',
    hint: expect.stringContaining('git init'),
  });
});
