/** Branches that will conflict are named before anybody merges them. */
import { expect, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

const task = (id: string) => `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it. }\n`;

test('what will conflict is said by work, unmerged and show, with branches and files; once one is merged it is said of the base', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${['a', 'b', 'c'].map(task).join('')}`,
    agents: {
      x: 'case $GZA_TASK in c) echo c > c.txt ;; *) echo "$GZA_TASK" > seed.txt ;; esac; echo done',
    },
  });
  const both = 'gza/a and gza/b conflict in seed.txt';
  expect((await shop.work('--all')).stdout).toContain(`Ahead: ${both}\n`);
  expect(await shop.says('unmerged')).toContain(`Conflicts ahead:\n  ${both}`);
  expect(await shop.says('show a')).toContain('conflicts ahead: with gza/b in seed.txt');
  expect(await shop.says('show c')).not.toContain('conflicts ahead');
  const marks = () =>
    shop
      .git('log', '--format=%s', 'refs/tasks/main')
      .split('\n')
      .filter((one) => one === 'Mark clashes');
  await shop.work('--all');
  expect(marks()).toHaveLength(1);

  shop.git('merge', '-q', '--squash', 'gza/a');
  shop.git('commit', '-q', '-m', 'Squashed a');
  await shop.work('--all');
  expect(await shop.says('unmerged')).toContain('Conflicts ahead:\n  gza/b and main conflict in seed.txt');
  shop.git('switch', '-q', 'gza/b');
  shop.git('merge', '-q', '-X', 'ours', '-m', 'Solved', 'main');
  shop.git('switch', '-q', 'main');
  await shop.work('--all');
  expect(await shop.says('unmerged')).not.toContain('Conflicts ahead');
  expect(await shop.says('fsck')).not.toMatch(/problem/i);
});
