/** `gza doctor` on a laptop: what a run here needs, without a remote and without spending anything. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { executable, openSandbox } from './cli.ts';

test('the machine: programs, logins, checks, remote, disk', async () => {
  await using box = openSandbox();
  const doctor = async (env = {}) => box.gza(['doctor'], { env: { PATH: process.env['PATH'], ...env } });
  const bare = await doctor();
  expect([bare.code, bare.stdout]).toEqual([1, expect.stringContaining('The agent claude is not installed')]);
  expect(bare.stdout).toMatch(/ok {5} {2}git version .* is there\.\n/);
  expect(bare.stdout).toMatch(/Node\.js v\d+.* is there\./);
  expect(bare.stdout).toMatch(/[\d.]+ GB are free/);
  expect(bare.stdout).toContain('There is no remote');
  expect(bare.stdout).toContain('Nothing checks what agents leave.');
  executable(box.dir, 'claude', '#!/bin/sh\n[ "$1" = --version ] && echo 1.2.3 && exit 0\ntouch spent\n');
  const path = { PATH: box.env['PATH'] };
  expect((await doctor(path)).stdout).toContain('claude is there (1.2.3), and has neither a key nor a login');
  box.write('gza.yaml', 'verify: npm test\n');
  const fine = await doctor({ ...path, ANTHROPIC_API_KEY: 'sk-1' });
  expect([fine.code, fine.stdout]).toEqual([
    0,
    expect.stringContaining('(1.2.3), with ANTHROPIC_API_KEY, which the model proxy holds.'),
  ]);
  const login = await doctor({ ...path, CLAUDE_CODE_OAUTH_TOKEN: 'sk-1' });
  expect(login.stdout).toContain('which is not proxied: CLAUDE_CODE_OAUTH_TOKEN is a login.');
  expect(fine.stdout).toContain('Work is checked with: npm test');
  expect(fine.stdout).not.toContain('sk-1');
  expect(box.git('status', '--porcelain')).toBe('?? gza.yaml');
});

test('outside of a repository, or where gza.yaml is broken, the machine is looked at all the same', async () => {
  await using box = openSandbox();
  const env = { PATH: process.env['PATH'] };
  box.write('gza.yaml', 'agent: [\n');
  const broken = await box.gza(['doctor'], { env });
  expect([broken.code, broken.stdout]).toEqual([1, expect.stringContaining('GB are free')]);
  expect(broken.stdout).toContain('gza.yaml');
  rmSync(join(box.repo, '.git'), { recursive: true });
  const outside = await box.gza(['doctor'], { env });
  expect([outside.code, outside.stderr]).toEqual([1, '']);
  expect(outside.stdout).toMatch(/ok {5} {2}git version/);
  expect(outside.stdout).toMatch(/problem {2}gza works in a git repository: [^]*git init/);
});
