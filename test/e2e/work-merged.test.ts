import { expect, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

const task = (id: string, more = '') =>
  `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it.${more} }\n`;

test('after a squash merge a lane comes home, and what was built on it is put on the base before its next step', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('low')}${task('high', ', depends_on: low')}`,
    agents: { x: 'echo "$GZA_STEP" >> $GZA_TASK.txt; echo more >> low.txt; echo done' },
  });
  expect((await shop.work('--all')).code).toBe(0);
  const squash = () => {
    shop.git('merge', '-q', '--squash', 'gza/low');
    shop.git('commit', '-q', '-m', 'Squashed');
  };
  squash();
  shop.commit('Elsewhere');
  const before = shop.git('rev-parse', 'gza/high');
  const { stdout, code } = await shop.gza(['improve', 'high', 'say more']);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('gza/high stands on main now: gza/low was merged'),
  });
  expect(shop.record('low')['merged_at']).toBeDefined();
  expect(shop.git('for-each-ref', 'refs/tasks/gza/low')).toBe('');
  expect(shop.git('log', '--format=%s', 'main..gza/high').split('\n')).toHaveLength(2);
  expect(shop.git('merge-base', 'main', 'gza/high')).toBe(shop.git('rev-parse', 'main'));
  expect(shop.git('diff', '--stat', `${before}..gza/high`, '--', 'high.txt')).toBe('');
  expect(await shop.says('fsck')).not.toMatch(/problem/i);
});

test('a conflict on the way to the base leaves the branch as it is, and a person is asked', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('low')}${task('high', ', depends_on: low')}`,
    agents: { x: 'echo "$GZA_TASK" >> seed.txt; echo done' },
  });
  expect((await shop.work('--all')).code).toBe(0);
  shop.git('merge', '-q', '--squash', 'gza/low');
  shop.git('commit', '-q', '-m', 'Squashed');
  shop.write('seed.txt', 'changed by hand\n');
  shop.commit('By hand', 'seed.txt');
  const before = shop.git('rev-parse', 'gza/high');
  const { stdout } = await shop.gza(['improve', 'high', 'say more']);
  expect(stdout).toContain('cannot be put on top of main: conflicts in seed.txt. By hand: git rebase --onto');
  expect(shop.git('rev-parse', 'gza/high')).toBe(before);
  expect(shop.runs().filter((run) => run.includes('improve'))).toEqual([]);
  const [waiting] = await shop.json<{ id: string; reason: string; detail: string }[]>('escalations');
  expect(waiting?.reason).toBe('rebase-conflict');

  // As the line says, with the conflict solved in favour of the branch.
  const rebase = /git (rebase .*)/.exec(waiting?.detail ?? '')?.[1]?.split(' ') ?? [];
  shop.git('-c', 'core.editor=true', ...rebase, '-X', 'theirs');
  shop.git('checkout', '-q', 'main');
  const resumed = await shop.gza(['resume', waiting?.id ?? '']);
  expect({ code: resumed.code, stdout: resumed.stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('completed'),
  });
  expect(shop.git('log', '--format=%s', 'main..gza/high').split('\n')).toHaveLength(2);
});
