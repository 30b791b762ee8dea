import { expect, jest, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

jest.setTimeout(60_000);

const writes = 'echo work > "$GZA_TASK.txt"; echo done';
const tasks =
  'tasks:\n  - { id: one, type: implement, title: One }\n  - { id: two, type: implement, title: Two }\n';

test('no agent starts under a configuration with a mistake, and the mistake is named', async () => {
  await using shop = openWorkshop({ tasks, agents: { scribe: writes } });
  shop.write('gza.yaml', 'budget: { run: much }\nverfy: npm test\n');
  for (const args of [['work', '--all'], ['run'], ['work', '--dry-run']]) {
    const { code, stderr } = await shop.gza(args);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/gza\.yaml:1:16: budget\.run .*\n[^]*verfy .* did you mean verify\?/),
    ]);
  }
  expect(shop.runs()).toEqual([]);
});

test('a file that no task could be read from is named by whatever shows the board', async () => {
  await using shop = openWorkshop({ tasks, agents: { scribe: writes } });
  shop.write('tasks/more.yml', '- nonsense\n');
  for (const args of [
    ['ready'],
    ['ready'],
    ['next'],
    ['list'],
    ['status'],
    ['escalations'],
    ['work', '--dry-run'],
  ]) {
    const { code, stderr } = await shop.gza(args);
    expect([code, stderr]).toEqual([0, expect.stringContaining('tasks/more.yml:1: the file is not a task')]);
  }
});

test('a dry run counts what waits, not what is done', async () => {
  await using shop = openWorkshop({ tasks, agents: { scribe: writes } });
  await shop.work('one');
  const { stdout } = await shop.work('--dry-run', '--all');
  expect(stdout.trim()).toBe('would run implement: two Two (with scribe)');
});
