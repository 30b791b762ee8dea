import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

const task = (id: string, more = '') =>
  `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it., auto_review: true${more} }\n`;

test('what people do to a branch is seen: their commits, its deletion, and that they have it checked out', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('mine')}${task('gone')}${task('out')}`,
    agents: {
      a: `case $GZA_STEP in
  review) [ -e "$D/go" ] && verdict APPROVED || exit 1 ;;
  *) echo $GZA_TASK > $GZA_TASK.txt; echo done ;;
esac`,
    },
  });
  // All three stop after implement: their reviews fail.
  await shop.work('--all');
  shop.write('../go', '');
  for (const id of ['mine', 'gone', 'out']) await shop.says(`retry ${id}`);
  const tree = join(shop.dir, 'person');
  shop.git('worktree', 'add', '-q', tree, 'gza/mine');
  shop.git('-C', tree, 'commit', '-q', '--allow-empty', '-m', 'My own touch');
  shop.git('worktree', 'remove', tree);
  shop.git('branch', '-D', '-q', 'gza/gone');
  shop.git('checkout', '-q', 'gza/out');
  const { stdout } = await shop.work('--all');
  expect(stdout).not.toContain('#mine');
  expect(await shop.says('why mine')).toContain('a person pushed commits of their own');
  expect(stdout).toMatch(/out was not started: out works on gza\/out, which is checked out in/);
  const waiting = await shop.json<{ id: string; reason: string }[]>('escalations');
  expect(waiting.map(({ id, reason }) => `${id} ${reason}`)).toEqual(['gone branch-gone']);

  // Naming it hands it back; the deleted one is done anew.
  shop.git('checkout', '-q', 'main');
  expect((await shop.work('mine', 'out')).stdout).toContain(
    '✓ Task #mine completed (APPROVED after 1 cycle)',
  );
  expect(shop.git('log', '--format=%s', 'main..gza/mine')).toContain('My own touch');
  await shop.says('retry gone --from-start');
  expect((await shop.work('gone')).stdout).toContain('✓ Task #gone completed');
  expect(shop.git('show', 'gza/gone:gone.txt')).toBe('gone');
  expect(readdirSync(shop.state('homes'))).toEqual([]);
  expect(existsSync(join(shop.repo, '.gza/reviews/gone-review-1.md'))).toBe(true);
});
