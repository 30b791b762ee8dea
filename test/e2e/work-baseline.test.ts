/** What the project's checks say of the base itself, before anything is built on it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

const task = (id: string, more = '') =>
  `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it.${more} }\n`;

test('where the checks fail on the base nothing begins but what mends it, and all is told; then the rest does', async () => {
  const own = ', verify: "test -e two.txt"';
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('one')}${task('two', own)}${task('mend', ', baseline: skip, priority: low')}`,
    config: 'verify: echo asked >> "$D/asked"; ! grep -q broken seed.txt\n'.replace(
      '"$D/asked"',
      '/dev/null',
    ),
    agents: { x: 'echo mended > seed.txt; echo done > $GZA_TASK.txt' },
  });
  shop.write('seed.txt', 'broken\n');
  shop.commit('Break it', 'seed.txt');
  const { code, stdout } = await shop.work('--all');
  expect({ code, stdout }).toEqual({
    code: 3,
    stdout: expect.stringMatching(
      /^Nothing begins on main \([0-9a-f]{12}\), as its checks fail without any work: the verify command/m,
    ),
  });
  // One that has checks of its own is not judged by the project's.
  expect(shop.runs().map((run) => run.split(' ')[1])).toEqual(['two', 'mend']);
  expect(shop.record('one')).not.toHaveProperty('attempts');
  const why = await shop.says('why one');
  expect(why).toContain('rule: baseline-failed');
  expect(why).toContain('baseline: skip');
  expect(await shop.says('ready')).toMatch(/^\(one waits: the checks of gza.yaml fail on the base/);

  shop.git('merge', '-q', 'gza/mend');
  expect((await shop.work('--all')).stdout).toContain('✓ Task #one completed');
  expect(await shop.says('fsck')).not.toMatch(/problem/i);
});

test('what passed on a commit is not asked again, and what failed on this machine is by the next run', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('one')}${task('two')}`,
    agents: { x: 'echo done > $GZA_TASK.txt' },
  });
  const tool = join(shop.dir, 'tool');
  shop.write(
    'gza.yaml',
    `${readFileSync(join(shop.repo, 'gza.yaml'), 'utf8')}isolation: off\nverify: test -e ${tool}\n`,
  );
  shop.commit('Check', 'gza.yaml');
  expect((await shop.work('--all')).stdout).toContain('Nothing begins on main');
  expect(shop.runs()).toEqual([]);
  writeFileSync(tool, '');
  const { stdout } = await shop.work('one');
  expect(stdout).toContain('✓ Task #one completed');
  await shop.work('two');
  const log = shop.git('log', '--format=%s', 'refs/tasks/main').split('\n');
  expect(log.filter((line) => line.startsWith('Mark baseline:'))).toHaveLength(3);
});

test('a check that names a file which is not there yet is about work to come', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('one')}`,
    config: 'verify: test -f one.txt\n',
    agents: { x: 'echo done > $GZA_TASK.txt' },
  });
  expect((await shop.work('--all')).stdout).toContain('✓ Task #one completed');
});
