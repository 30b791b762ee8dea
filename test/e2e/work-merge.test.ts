/** `gza merge --here`: branches into the base, in order, and never what somebody put on top. */
import { expect, jest, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

jest.setTimeout(300_000);

const tasks = `defaults: { type: implement }
tasks:
  - { id: low, title: Low, prompt: Do it. }
  - { id: top, title: Top, prompt: Do it., depends_on: low }
  - { id: side, title: Side, prompt: Do it. }
`;
const script = 'echo $GZA_TASK > $GZA_TASK.txt; [ $GZA_TASK = side ] && echo mine > low.txt; true';

test('what a task stands on is merged first, it ends at a conflict, and leaves alone what a person pushed', async () => {
  await using shop = openWorkshop({ tasks, agents: { coder: script } });
  await shop.work('--all');
  const nothing = await shop.gza(['merge', 'top']);
  expect([nothing.code, nothing.stdout]).toEqual([3, expect.stringContaining('gza merge --here')]);
  const merged = await shop.gza(['merge', 'top', 'side', '--here', '--json']);
  expect(merged.code).toBe(3);
  expect(JSON.parse(merged.stdout)).toEqual([
    { branch: 'gza/low', merged: true, why: null },
    { branch: 'gza/top', merged: true, why: null },
    { branch: 'gza/side', merged: false, why: 'it conflicts in low.txt; nothing was changed' },
  ]);
  expect(shop.git('status', '--porcelain', '--untracked-files=no')).toBe('');
  expect(shop.git('ls-tree', '--name-only', 'main')).toMatch(/low\.txt[^]*top\.txt/);

  shop.git('switch', '-q', 'gza/side');
  shop.write('mine.txt', 'mine\n');
  shop.commit('Mine', 'mine.txt');
  shop.git('switch', '-q', 'main');
  const again = await shop.gza(['merge', 'side', '--here']);
  expect([again.code, again.stdout]).toEqual([3, expect.stringContaining('a person pushed commits to it')]);
  // The next look folds what was merged.
  await shop.work('--all');
  expect(shop.record('top')).toMatchObject({ merged_at: expect.anything() });
});

test('auto_merge is judged by gza why', async () => {
  await using shop = openWorkshop({
    tasks: 'tasks:\n  - { id: a, type: implement, title: A, prompt: Do it. }\n',
    config: 'auto_merge: {}\n',
    agents: { coder: script },
  });
  await shop.work('--all');
  expect(await shop.says('why a')).toContain('merging: it has no pull request yet');
  expect(await shop.json('why a')).toMatchObject({ merging: 'it has no pull request yet' });
});
