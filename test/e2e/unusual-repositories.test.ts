import { chmodSync, mkdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { cliFile, openSandbox, type RunOptions, type Sandbox, start } from './cli.ts';

/** File, see, finish, look back: what must work wherever git does. */
async function firstTask(box: Sandbox, options: RunOptions = {}): Promise<string> {
  const id = (await box.says(['add', 'First'], options)).slice(0, 9);
  expect(await box.says('ready', options)).toBe(`${id}: First\n`);
  expect(await box.says(`claim ${id}`, options)).toContain(`${id}: claimed by Ann until `);
  expect(await box.says(`done ${id}`, options)).toBe(`${id}: done\n`);
  expect(await box.says('list --all', options)).toMatch(
    new RegExp(String.raw`^ {2}✓ ${id}\. task First {2}completed {2}\d\d/\d\d\n$`),
  );
  expect(await box.says('fsck', options)).toMatch(/all good\n$/);
  return id;
}

test('a repository without commits', async () => {
  await using box = openSandbox({ empty: true, init: ['-b', 'trunk'] });
  const id = await firstTask(box);
  expect(box.git('for-each-ref', '--format=%(refname)', 'refs/tasks')).toBe('refs/tasks/trunk');
  expect(await box.says('log')).toBe('No commit of this branch belongs to a task yet.\n');
  expect(await box.says('pr')).toBe(`## Tasks\n\n- [x] ${id}: First\n`);
});

test('a ledger that git cannot read holds back its own tasks, loudly, and no others', async () => {
  await using box = openSandbox();
  box.write('tasks/t.yml', 'tasks: [{ id: filed, title: Of a file }]\n');
  const id = (await box.says(['add', 'First'])).slice(0, 9);
  box.git('checkout', '-q', '-b', 'feature');
  const other = (await box.says(['add', 'Of a lane'])).slice(0, 9);
  box.git('checkout', '-q', 'main');
  const remote = join(box.dir, 'remote.git');
  box.git('init', '-q', '--bare', remote);
  box.git('push', '-q', remote, 'refs/tasks/*:refs/tasks/*');
  const damage = (ref: string) => {
    const oid = box.git('rev-parse', ref);
    const path = join(box.repo, '.git/objects', oid.slice(0, 2), oid.slice(2));
    chmodSync(path, 0o644);
    truncateSync(path, 5);
    rmSync(join(box.repo, '.git/gza/cache'), { recursive: true });
    return path;
  };
  const damaged = damage('refs/tasks/feature');
  const ready = await box.gza(['ready']);
  expect([ready.code, ready.stdout]).toEqual([0, `filed: Of a file\n${id}: First\n`]);
  expect(ready.stderr).toMatch(/^warning: the ledger of feature: .*\n.*gza fsck says what to do\n$/);
  expect((await box.gza(['note', other, 'x'])).code).toBe(2);
  expect(await box.says(`note ${id} x`)).toBe(`${id}: noted\n`);
  // What it says to do does help.
  const told = (await box.gza(['fsck'])).stdout.match(/git (fetch --refetch) <remote> (.*)/);
  rmSync(damaged);
  box.git('fetch', '-q', '--refetch', remote, told?.[2] ?? '');
  expect(await box.says('fsck')).toMatch(/all good\n$/);
  expect(await box.says(`note ${other} x`)).toBe(`${other}: noted\n`);
  damage('refs/tasks/main');
  expect((await box.gza(['list'])).stdout).toMatch(
    /filed\. task Of a file +pending \(blocked by the ledger of main, which cannot be read\)/,
  );
  const refused = await box.gza(['note', 'filed', 'x']);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('nothing was recorded')]);
  const fsck = await box.gza(['fsck', '--repair']);
  expect([fsck.code, fsck.stdout]).toEqual([1, expect.stringContaining('git fetch --refetch')]);
  // Nothing is left that could be read: that is not "no tasks".
  for (const ref of ['refs/tasks/feature', 'refs/gza/local/feature']) box.git('update-ref', '-d', ref);
  rmSync(join(box.repo, 'tasks/t.yml'));
  const nothing = await box.gza(['list']);
  expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringContaining('is not known')]);
});

test('a detached head files on the base branch', async () => {
  await using box = openSandbox();
  box.commit('More');
  box.git('checkout', '-q', '--detach', 'HEAD~1');
  await firstTask(box);
  expect(box.git('for-each-ref', '--format=%(refname)', 'refs/tasks')).toBe('refs/tasks/main');
});

test('a bare repository has tasks, but no files to begin with', async () => {
  await using box = openSandbox();
  box.write('tasks/t.yml', 'id: filed\ntitle: Of a file\n');
  box.commit('Tasks', 'tasks');
  box.git('clone', '-q', '--bare', box.repo, join(box.dir, 'bare.git'));
  const there = { cwd: join(box.dir, 'bare.git') };
  expect(await box.says('ready', there)).toBe('filed: Of a file\n');
  expect(await box.says('skip filed', there)).toBe('filed: skipped\n');
  const id = (await box.says(['add', 'First'], there)).slice(0, 9);
  expect(await box.says(`done ${id}`, there)).toBe(`${id}: done\n`);
  const init = await box.gza(['init'], there);
  expect(init.code).toBe(2);
  expect(init.stderr).toContain('run gza init in a clone');
});

test('a linked worktree on a branch of its own has a lane of its own', async () => {
  await using box = openSandbox();
  const cwd = join(box.dir, 'linked');
  box.git('worktree', 'add', '-q', '-b', 'feature', cwd);
  const id = await firstTask(box, { cwd });
  expect(await box.json(`show ${id}`)).toMatchObject({ lane: { branch: 'feature' }, branch: 'feature' });
  mkdirSync(join(cwd, 'deep', 'down'), { recursive: true });
  expect(await box.says('pr', { cwd: join(cwd, 'deep', 'down') })).toBe(`## Tasks\n\n- [x] ${id}: First\n`);
  expect(await box.says('pr')).toBe('## Tasks\n\nNo tasks.\n');
});

test('a shallow and a partial clone', async () => {
  await using box = openSandbox();
  box.write('tasks/t.yml', 'id: filed\ntitle: Of a file\n');
  box.commit('Tasks', 'tasks');
  box.commit('More');
  box.git('config', 'uploadpack.allowFilter', 'true');
  const url = `file://${box.repo}`;
  for (const [name, ...options] of [
    ['shallow', '--depth=1'],
    ['partial', '--filter=blob:none'],
  ] as const) {
    const cwd = join(box.dir, name);
    box.git('clone', '-q', ...options, url, cwd);
    expect(await box.says('skip filed', { cwd })).toBe('filed: skipped\n');
    const id = (await box.says(['add', 'First'], { cwd })).slice(0, 9);
    expect(await box.says(`claim ${id} --offline`, { cwd })).toContain('claimed by Ann');
    expect(await box.says(`done ${id}`, { cwd })).toBe(`${id}: done\n`);
    expect(await box.says('fsck', { cwd })).toMatch(/all good\n$/);
  }
});

test('a repository of SHA-256 objects', async () => {
  await using box = openSandbox({ init: ['-b', 'main', '--object-format=sha256'] });
  const id = await firstTask(box);
  const commit = box.commit('Next');
  expect(commit).toHaveLength(64);
  expect(await box.json(`show ${id}`)).toMatchObject({ closed_commit: commit });
  expect(box.git('log', '-1', '--format=%N', '--notes=tasks')).toBe(id);
});

test('nobody said who they are', async () => {
  await using box = openSandbox();
  const env = {
    GIT_AUTHOR_NAME: undefined,
    GIT_AUTHOR_EMAIL: undefined,
    GIT_COMMITTER_NAME: undefined,
    GIT_COMMITTER_EMAIL: undefined,
    USER: undefined,
  };
  const id = (await box.says(['add', 'First'], { env })).slice(0, 9);
  expect(await box.says(`claim ${id}`, { env })).toContain('claimed by someone');
  expect(await box.says(`done ${id}`, { env })).toBe(`${id}: done\n`);
});

test('a repository that cannot be written is read, and says why it cannot be written', async () => {
  await using box = openSandbox();
  const id = await box.add('First');
  await box.says(`done ${id}`);
  box.commit('Next');
  const isRoot = process.getuid?.() === 0;
  chmodSync(box.dir, 0o755);
  box.git('config', '--file', join(box.dir, 'gitconfig'), 'safe.directory', '*');
  if (!isRoot) await start(['chmod', '-R', 'a-w', box.repo], { env: box.env });
  // Another user is what read-only is for root.
  const run = (...args: string[]) =>
    start(
      [...(isRoot ? ['setpriv', '--reuid=65534', '--clear-groups'] : []), process.execPath, cliFile, ...args],
      {
        cwd: box.repo,
        env: { ...box.env, GIT_CONFIG_GLOBAL: join(box.dir, 'gitconfig') },
      },
    );
  try {
    expect(await run('list', '--all')).toMatchObject({ code: 0, stderr: '' });
    expect((await run('show', id)).stdout).toContain('status: done');
    expect((await run('log')).code).toBe(0);
    const refused = await run('add', 'Second');
    expect(refused.code).toBe(1);
    expect(refused.stdout).toBe('');
    expect(refused.stderr).toMatch(/^Error: .*(ermission denied|cannot be written|read-only)/s);
    expect(refused.stderr).not.toMatch(/this is a bug|\n\s+at /);
  } finally {
    if (!isRoot) await start(['chmod', '-R', 'u+w', box.repo], { env: box.env });
  }
});
