import { expect, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

const plain = (id: string, more = '') =>
  `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do ${id}.${more} }\n`;

test('what does not hold goes back with the error and another strategy, and fails at max_attempts', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${plain('wrong')}${plain('late')}${plain('absent', ', files_to_create: [made.txt]')}${plain('lies')}${plain('ralph', ', loop: until-verified')}${plain('asks')}`,
    config: 'parallel_workers: 2\nverify: test ! -e bad-$(ls | grep -c never).txt && ! grep -q WRONG *.txt\n',
    agents: {
      a: `n=$(grep -c "^a $GZA_TASK " "$D/runs")
case $GZA_TASK in
  wrong) echo "WRONG $n" > wrong.txt; echo done ;;
  late) if [ $n = 1 ]; then echo WRONG > late.txt; else echo right > late.txt; fi; echo done ;;
  absent) echo x > other$n.txt; [ $n = 3 ] && echo y > made.txt; echo done ;;
  lies) echo 'All done, all tests pass!' ;;
  ralph) echo $n > ralph.txt; [ $n = 2 ] && echo '<promise>DONE</promise>'; echo ok ;;
  asks) git tasks note asks 'blocked: which database?'; echo 'cannot go on' ;;
esac`,
    },
  });
  const { stdout, code } = await shop.work('--all');
  expect(code).toBe(1);
  expect(stdout).toContain('✗ Task #wrong failed: 3 attempts failed');
  expect(stdout).toContain(
    '✗ Task #lies failed: 3 attempts failed; the last: the agent said it was done but changed no file',
  );
  for (const id of ['late', 'absent', 'ralph']) expect(stdout).toContain(`✓ Task #${id} completed`);
  const count = (id: string) => shop.runs().filter((run) => run.startsWith(`a ${id} `)).length;
  expect(['wrong', 'late', 'absent', 'lies', 'ralph', 'asks'].map(count)).toEqual([3, 2, 3, 3, 2, 1]);
  // No prompt is sent twice.
  const prompts = shop.prompts('wrong', 'implement');
  expect(new Set(prompts).size).toBe(3);
  expect(prompts.filter((text) => text.includes('What to do differently'))).toHaveLength(2);
  expect(prompts.filter((text) => text.includes('Take another approach'))).toHaveLength(1);
  expect(shop.record('ralph').steps?.map(({ outcome }) => outcome)).toEqual(['failed', 'ok']);
  const waiting = await shop.json<{ id: string; reason: string; detail: string }[]>('escalations');
  expect(waiting.map(({ id, reason }) => `${id} ${reason}`).sort()).toEqual([
    'asks agent-blocked',
    'lies failed',
    'wrong failed',
  ]);
  expect(waiting.find(({ id }) => id === 'asks')?.detail).toContain('which database?');

  // The failed phase again: from the branch as it was left.
  shop.agent('a', `echo right > $GZA_TASK.txt; echo done`);
  expect((await shop.work('wrong')).code).toBe(3);
  await shop.says('retry wrong');
  expect((await shop.work('wrong')).stdout).toContain('✓ Task #wrong completed');
  await shop.says(['note', 'asks', 'the main one']);
  const resumed = await shop.gza(['resume', 'asks']);
  expect(resumed.stdout).toContain('✓ Task #asks completed');
  expect(shop.prompts('asks', 'implement').some((text) => text.includes('the main one'))).toBe(true);
});

test('a step that is cut short is a slice: it goes on from what it left, and then it is a person’s', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${plain('slow', ', timeout_minutes: 0.02')}${plain('idle', ', timeout_minutes: 0.02, max_attempts: 1')}`,
    config: 'parallel_workers: 2\n',
    agents: { a: `[ $GZA_TASK = slow ] && echo part >> slow.txt; sleep 30` },
  });
  const { stdout } = await shop.work('--all');
  expect(stdout).toContain('implement was cut short');
  expect(shop.record('slow').steps?.map(({ outcome }) => outcome)).toEqual(['slice', 'slice', 'slice']);
  expect(shop.git('show', 'gza/slow:slow.txt')).toBe('part\npart\npart');
  expect(stdout).toContain('✗ Task #idle failed');
  const waiting = await shop.json<{ id: string; reason: string }[]>('escalations');
  expect(waiting.map(({ id, reason }) => `${id} ${reason}`).sort()).toEqual([
    'idle failed',
    'slow slices-spent',
  ]);
  expect(shop.prompts('slow', 'implement').some((text) => text.includes('cut short'))).toBe(true);
  expect(shop.strays()).toEqual([]);
});

test('a configuration with a mistake is told by every verb, and starts no agent', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${plain('one')}`,
    config: 'verify: [npm test]\nbudgett: 3\n',
    agents: { a: 'echo x > made.txt' },
  });
  const { code, stderr } = await shop.work('--all');
  expect(code).toBe(2);
  expect(stderr).toContain('no agent starts under it');
  expect(stderr).toContain('verify has a wrong value');
  expect(shop.runs()).toEqual([]);
});
