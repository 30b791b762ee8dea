import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openSandbox } from './cli.ts';

test('the demo runs the whole loop and shows each part of it', async () => {
  await using sandbox = openSandbox({ empty: true });
  const dir = join(sandbox.dir, 'kept');
  const { code, stdout } = await sandbox.gza(['demo', '--keep', dir], { cwd: sandbox.dir });
  expect(code).toBe(0);
  for (const part of [
    'Plan written',
    '[1/3] Implementing...',
    'Review: CHANGES_REQUESTED - An empty or missing name',
    '[2/3] Improving...',
    '✓ Task #greet completed (APPROVED after 2 cycles)',
    '✓ Task #shout completed (APPROVED after 1 cycle)',
    'completed  APPROVED (2 cycles)',
    'graph LR',
    '**Verdict: CHANGES_REQUESTED**',
    '- [x] greet: Greet somebody by name (',
    `cd ${dir}`,
  ]) {
    expect(stdout).toContain(part);
  }
  expect(existsSync(join(dir, '.gza/reviews/greet-review-2.md'))).toBe(true);
});

test('the demo overwrites nothing, and prints JSON', async () => {
  await using sandbox = openSandbox({ empty: true });
  const full = join(sandbox.dir, 'full');
  mkdirSync(full);
  writeFileSync(join(full, 'mine.txt'), 'mine');
  const refused = await sandbox.gza(['demo', '--keep', full], { cwd: sandbox.dir });
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('is not empty, and the demo overwrites nothing');
  const { code, stdout } = await sandbox.gza(['demo', '--json'], { cwd: sandbox.dir });
  expect(code).toBe(0);
  const json = JSON.parse(stdout) as {
    dir: string;
    tasks: { id: string; status: string; verdict: string | null }[];
  };
  expect(json.tasks.map(({ id, status, verdict }) => [id, status, verdict])).toEqual([
    ['plan', 'completed', null],
    ['greet', 'completed', 'APPROVED'],
    ['shout', 'completed', 'APPROVED'],
  ]);
});
