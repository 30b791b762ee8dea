import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Git, openGit } from '../../src/git/git.ts';
import { type Github, startGithub } from './github.ts';
import type { Permissions, Settings } from './state.ts';

let github: Github;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fake-clone-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await github?.close();
});

async function clone(
  permissions: Permissions = { contents: 'write' },
  settings: Partial<Settings> = {},
): Promise<Git> {
  github = await startGithub({ settings });
  const git = openGit(folder, { isolated: true });
  const cloned = await git.run(['clone', '--quiet', github.urlFor(github.token({ permissions })), '.']);
  expect(cloned.stderr).toBe('');
  await git.text(['config', 'user.name', 'a']);
  await git.text(['config', 'user.email', 'a@example.com']);
  return git;
}

async function commit(git: Git, path: string, text = path): Promise<string> {
  await git.text(['checkout', '--quiet', '-B', 'work']);
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  await git.text(['add', '-A']);
  await git.text(['commit', '--quiet', '-m', `Add ${path}`]);
  return git.text(['rev-parse', 'HEAD']);
}

const push = (git: Git, ...args: string[]) => git.run(['push', '--porcelain', 'origin', ...args]);

test('a push moves refs of any namespace in one atomic step and tells workflows of branches alone', async () => {
  const git = await clone();
  const sha = await commit(git, 'a.txt');
  github.state.events.length = 0;
  const done = await push(git, '--atomic', 'work:refs/heads/gza/t1', 'work:refs/tasks/gza/t1');
  expect(done.code).toBe(0);
  const refs = await github.data.refs();
  expect([refs.get('refs/heads/gza/t1'), refs.get('refs/tasks/gza/t1')]).toEqual([sha, sha]);
  expect(github.state.events.map((one) => [one.name, one.ref])).toEqual([['push', 'refs/heads/gza/t1']]);
  expect(github.counts().pushes).toBe(1);
});

test('a server that says nothing holds git for as long as it may wait, and no longer', async () => {
  const git = await clone();
  github.faults.add({ effect: { kind: 'hang' } });
  const { code, stderr } = await git.run(['ls-remote', 'origin'], { timeoutMs: 300 });
  expect({ code, stderr }).toEqual({ code: -1, stderr: expect.stringContaining('took longer than 0.3 s') });
});

test('who may only read cannot push, who has no token cannot even read', async () => {
  const git = await clone({ contents: 'read' });
  await commit(git, 'a.txt');
  const refused = await push(git, 'work');
  expect(refused.stderr).toContain('Permission to olive/demo.git denied to github-actions[bot]');
  const bare = await git.run(['ls-remote', github.gitUrl]);
  expect([bare.code, bare.stderr]).toEqual([128, expect.stringContaining('could not read Username')]);
});

test('a protected branch is refused in GitHub’s words, at the place where clients read them', async () => {
  const git = await clone({ contents: 'write' }, { protectedBranches: ['main'] });
  await commit(git, 'a.txt');
  const refused = await push(git, 'work:main', 'work:other');
  expect(refused.stderr).toContain(
    'remote: error: GH006: Protected branch update failed for refs/heads/main.',
  );
  expect(refused.stdout.toString()).toContain('[remote rejected] (protected branch hook declined)');
  expect((await github.data.refs()).has('refs/heads/other')).toBe(true);
  const atomic = await push(git, '--atomic', 'work:main', 'work:third');
  expect(atomic.code).toBe(1);
  expect((await github.data.refs()).has('refs/heads/third')).toBe(false);
});

test('a job’s token cannot bring workflow files, an App with the permission can', async () => {
  const git = await clone();
  await commit(git, '.github/workflows/ci.yml', 'on: push');
  const refused = await push(git, 'work');
  expect(refused.stdout.toString()).toContain(
    '[remote rejected] (refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission)',
  );
  const app = github.token({
    kind: 'app',
    login: 'gza[bot]',
    permissions: { contents: 'write', workflows: 'write' },
  });
  expect((await git.run(['push', '--quiet', github.urlFor(app), 'work'])).code).toBe(0);
});

test('a branch made from a main that has workflow files already may be pushed', async () => {
  const git = await clone();
  await github.commit({ branch: 'main', files: { '.github/workflows/ci.yml': 'on: workflow_dispatch' } });
  await git.text(['pull', '--quiet', 'origin', 'main']);
  await commit(git, 'a.txt');
  expect((await push(git, 'work')).code).toBe(0);
});

test('hidden refs, rules and the push policy refuse as GitHub does', async () => {
  const git = await clone({ contents: 'write' }, { pushRules: ['refs/heads/frozen/*'], refsPerPushMax: 2 });
  await commit(git, 'a.txt');
  expect((await push(git, 'work:refs/pull/1/head')).stdout.toString()).toContain(
    'deny updating a hidden ref',
  );
  const ruled = await push(git, 'work:refs/heads/frozen/a');
  expect(ruled.stderr + ruled.stdout.toString()).toContain('GH013');
  expect(ruled.stdout.toString()).toContain('(push declined due to repository rule violations)');
  const many = await push(git, 'work:a', 'work:b', 'work:c');
  expect([many.code === 0, (await github.data.refs()).has('refs/heads/a')]).toEqual([false, false]);
});

test('a lease that is stale loses, and of many writers of one ref one wins each round', async () => {
  const git = await clone();
  const sha = await commit(git, 'a.txt');
  expect((await push(git, `--force-with-lease=refs/tasks/x:`, 'work:refs/tasks/x')).code).toBe(0);
  await commit(git, 'b.txt');
  const stale = await push(git, `--force-with-lease=refs/tasks/x:`, 'work:refs/tasks/x');
  expect(stale.stdout.toString()).toContain('stale info');
  const round = await Promise.all(
    [1, 2, 3].map(() => push(git, `--force-with-lease=refs/tasks/x:${sha}`, 'work:refs/tasks/x')),
  );
  expect(round.some((one) => one.code === 0)).toBe(true);
});

test('between a look and a push another may come first; an answer may be lost after the push', async () => {
  const git = await clone();
  const sha = await commit(git, 'a.txt');
  github.faults.add({
    match: { operation: 'git/push' },
    effect: {
      kind: 'run',
      phase: 'before',
      run: async () => void (await github.data.git.text(['update-ref', 'refs/tasks/x', 'refs/heads/main'])),
    },
  });
  expect((await push(git, 'work:refs/tasks/x')).code).toBe(1);
  github.faults.add({ match: { operation: 'git/push' }, effect: { kind: 'drop-after' } });
  const lost = await push(git, 'work:refs/tasks/y');
  expect([lost.code === 0, (await github.data.refs()).get('refs/tasks/y')]).toEqual([false, sha]);
});

test('pull requests follow pushes: new heads, merges by push, branches that went', async () => {
  const git = await clone({ contents: 'write', pull_requests: 'write' });
  await commit(git, 'a.txt');
  await push(git, 'work');
  await github.as('walter').request('POST', '/pulls', { title: 't', head: 'work', base: 'main' });
  const head = await commit(git, 'b.txt');
  await push(git, 'work');
  expect(github.state.issues[0]?.pull?.head.sha).toBe(head);
  expect((await github.data.refs()).get('refs/pull/1/head')).toBe(head);
  await push(git, 'work:main');
  expect(github.state.issues[0]).toMatchObject({ state: 'closed', pull: { merged: true } });
  await commit(git, 'c.txt');
  await push(git, 'work:second');
  await github.as('walter').request('POST', '/pulls', { title: 't', head: 'second', base: 'main' });
  await push(git, ':second');
  expect(github.state.issues[1]).toMatchObject({ state: 'closed', pull: { merged: false } });
});
