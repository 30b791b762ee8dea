/** What a job checks out by itself, from a remote that is a folder. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { processPorts } from '../../src/cli/main.ts';
import { openRepository } from '../../src/git/repository.ts';
import type { JobContext } from '../../src/github/jobs/job-context.ts';
import { checkOut, historyOf } from '../../src/github/jobs/open-job.ts';
import { mergeBase } from '../../src/workspace/patch/lane-diff.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const temporary = () => {
  folders.push(mkdtempSync(join(tmpdir(), 'gza-checkout-')));
  return folders.at(-1) ?? '';
};
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.invalid', ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

/** `far` left main 60 commits ago, `near` just now. */
function remote() {
  const server = temporary();
  const folder = join(server, 'olive/demo');
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'config', 'uploadpack.allowFilter', 'true');
  const commit = (name: string) => {
    writeFileSync(join(folder, name), `${name}\n`);
    git(folder, 'add', name);
    git(folder, 'commit', '-q', '-m', name);
    return git(folder, 'rev-parse', 'HEAD');
  };
  for (let count = 0; count < 10; count += 1) commit(`before-${count}`);
  const far = git(folder, 'rev-parse', 'HEAD');
  git(folder, 'checkout', '-q', '-b', 'far');
  commit('far');
  git(folder, 'update-ref', 'refs/tasks/far', 'HEAD');
  git(folder, 'checkout', '-q', 'main');
  for (let count = 0; count < 60; count += 1) commit(`main-${count}`);
  const near = git(folder, 'rev-parse', 'HEAD');
  git(folder, 'checkout', '-q', '-b', 'near');
  commit('near');
  git(folder, 'checkout', '-q', 'main');
  return { server: `file://${server}`, far, near };
}

function job(server: string, base: string, workspace: string | null = null) {
  const cwd = temporary();
  const env = { ...process.env, GITHUB_WORKSPACE: workspace ?? cwd };
  const ports = { ...processPorts(), cwd, env };
  const run = { id: 1, attempt: 1, url: `${server}/olive/demo/actions/runs/1`, workflow: 'gza.yml' };
  return { cwd, ci: { ports, run, repository: 'olive/demo', input: () => base } as unknown as JobContext };
}

test('a job checks out the newest commits of each branch with the ledgers, over what was there, and no credential stays', async () => {
  const { server, near } = remote();
  const { cwd, ci } = job(server, near);
  writeFileSync(join(cwd, 'left-by-an-agent'), 'x');
  expect(await checkOut(ci)).toBe(true);
  expect(git(cwd, 'status', '--porcelain', '--ignored')).toBe('');
  expect(git(cwd, 'rev-parse', 'HEAD')).toBe(near);
  expect(git(cwd, 'rev-list', '--count', 'origin/main')).toBe('50');
  expect(git(cwd, 'for-each-ref', '--format=%(refname)')).toBe(
    ['refs/gza/origin/tasks/far', ...['far', 'main', 'near'].map((one) => `refs/remotes/origin/${one}`)].join(
      '\n',
    ),
  );
  expect(git(cwd, 'config', '--local', '--list')).not.toMatch(/extraheader|include/i);
});

test('where a lane parted is known from that, or all commits are fetched, without their files', async () => {
  const { server, far, near } = remote();
  const { cwd, ci } = job(server, 'main');
  await checkOut(ci);
  const repository = await openRepository(cwd);
  const rangeOf = (name: string) => ({
    base: 'refs/remotes/origin/main',
    head: `refs/remotes/origin/${name}`,
  });
  await historyOf(repository, [rangeOf('near')]);
  expect(git(cwd, 'rev-list', '--count', 'origin/main')).toBe('50');
  expect(await mergeBase(repository, rangeOf('near'))).toBe(near);
  expect(await mergeBase(repository, rangeOf('far'))).not.toBe(far);
  await historyOf(repository, [rangeOf('far')]);
  expect(await mergeBase(repository, rangeOf('far'))).toBe(far);
  expect(git(cwd, 'rev-list', '--count', 'origin/main')).toBe('70');
});

test('no folder but a job’s own is emptied', async () => {
  const { server } = remote();
  const { cwd, ci } = job(server, 'main', '/somewhere/else');
  writeFileSync(join(cwd, 'precious'), 'x');
  await expect(checkOut(ci)).rejects.toThrow('the input base empties the folder of a job');
  expect(git(cwd, 'hash-object', 'precious')).toMatch(/^[0-9a-f]{40}$/);
});
