import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { PorcelainError, porcelain } from '../../src/git/porcelain.ts';

let dir = '';
const before = { ...process.env };

function openScratch(): string {
  dir = mkdtempSync(join(tmpdir(), 'gza-porcelain-'));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  git('-c', 'user.name=Ann', '-c', 'user.email=a@b.c', 'commit', '-q', '--allow-empty', '-m', 'First');
  return dir;
}

afterEach(() => {
  process.env = { ...before };
  rmSync(dir, { recursive: true, force: true });
});

test('no hook runs, and neither an editor nor a pager is taken from the environment', async () => {
  openScratch();
  const trace = join(dir, 'ran');
  for (const name of ['GIT_EDITOR', 'EDITOR', 'GIT_SEQUENCE_EDITOR', 'PAGER', 'GIT_EXTERNAL_DIFF'])
    process.env[name] = `touch ${trace}; false`;
  const hook = join(dir, '.git/hooks/pre-commit');
  writeFileSync(hook, `#!/bin/sh\ntouch ${trace}\nexit 1\n`, { mode: 0o755 });
  writeFileSync(join(dir, 'a.txt'), 'a\n');
  const identity = { GIT_AUTHOR_NAME: 'Ann', GIT_AUTHOR_EMAIL: 'a@b.c' };
  const env = { ...identity, GIT_COMMITTER_NAME: 'Ann', GIT_COMMITTER_EMAIL: 'a@b.c' };
  const log = await porcelain(
    dir,
    async (git) => {
      await git.add('a.txt');
      await git.commit('Second');
      return git.log();
    },
    { env },
  );
  expect(log.all.map(({ message, author_name }) => [message, author_name])).toEqual([
    ['Second', 'Ann'],
    ['First', 'Ann'],
  ]);
  expect(() => execFileSync('ls', [trace], { stdio: 'pipe' })).toThrow('ran');
});

test("a person's own way to the host holds, as GIT_SSH_COMMAND and configuration in the environment", async () => {
  openScratch();
  process.env['GIT_SSH_COMMAND'] = `sh -c 'echo "asked $1" >&2; exit 9' --`;
  process.env['GIT_ASKPASS'] = 'true';
  process.env['GIT_CONFIG_COUNT'] = '1';
  process.env['GIT_CONFIG_KEY_0'] = 'url.ssh://there/.insteadOf';
  process.env['GIT_CONFIG_VALUE_0'] = 'short:';
  const asked = porcelain(dir, (git) => git.listRemote(['--', 'short:repo']));
  await expect(asked).rejects.toThrow('asked there');
});

test('a failure has its code and all that git said; one without words is a failure too', async () => {
  openScratch();
  const failed = await porcelain(dir, (git) => git.fetch(['--', 'nowhere', 'main'])).catch((error) => error);
  expect(failed).toBeInstanceOf(PorcelainError);
  expect(failed).toMatchObject({ code: 'world', result: { code: 128 } });
  expect(failed.message).toMatch(/^git fetch failed \(exit 128\): .*'nowhere' does not appear/);
  writeFileSync(join(dir, 'a.txt'), 'a\n');
  const silent = porcelain(dir, async (git) => {
    await git.add('a.txt');
    await git.diff(['--cached', '--quiet']);
  });
  await expect(silent).rejects.toMatchObject({ result: { code: 1, stderr: '' } });
});

test('what takes too long is ended, and what it started does not hold the answer back', async () => {
  openScratch();
  process.env['GIT_SSH_COMMAND'] = "sh -c 'sleep 30' --";
  const started = Date.now();
  const slow = porcelain(dir, (git) => git.listRemote(['--', 'ssh://there/repo']), { timeoutMs: 300 });
  await expect(slow).rejects.toMatchObject({
    message: expect.stringContaining('took longer than 0.3 s'),
    result: { code: -1 },
  });
  expect(Date.now() - started).toBeLessThan(15_000);
});

test('nothing that looks like an option reaches git as one', async () => {
  openScratch();
  const pushed = porcelain(dir, (git, names) => git.push(['--no-verify', names('--exec=touch x', 'main')]));
  await expect(pushed).rejects.toThrow("strange pathname '--exec=touch x'");
});
