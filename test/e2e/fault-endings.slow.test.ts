/** Each runner × each way that an agent, or whoever runs beside it, may end a task otherwise than by doing it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { openWorkshop, type Workshop } from './workshop.ts';

const tasks =
  'tasks:\n  - { id: a, type: implement, title: Task a, prompt: Do it. }\n  - { id: b, title: Task b }\n';
const config =
  'defaults: { agents: [x], timeout_minutes: 0.05, max_attempts: 1, max_slices: 0 }\nparallel_workers: 1\n';
const does = 'echo $GZA_TASK > $GZA_TASK.txt';

const runners = {
  'git tasks run': {
    words: ({ dir }: Workshop) => ['run', '--delay', '0', '--runner', join(dir, 'bin', 'agent-x')],
    ends: 'git add -A; git commit -q -m "Do it"; git tasks done $GZA_TASK',
  },
  'gza work': { words: () => ['work', '--all'], ends: 'echo done' },
} as const;
type Runner = keyof typeof runners;

/** What the agent of task a does, and what each runner says of it; task b is done in any case. */
const endings: Readonly<Record<string, { a: string; said: Readonly<Record<Runner, [number, string]>> }>> = {
  'an agent that hangs': {
    a: 'echo half > half.txt; sleep 600',
    said: {
      'git tasks run': [0, '– Task #a skipped: agent failed 3 times'],
      'gza work': [3, 'it was cut short once; its try left work on its branch'],
    },
  },
  'a blocked note': {
    a: 'git tasks note a "blocked: no key"',
    said: {
      'git tasks run': [3, '! Task #a waits for a person: no key'],
      'gza work': [3, '! a waits for a person: Task a\n      no key'],
    },
  },
  'done without a commit': {
    a: 'git tasks done a',
    said: {
      'git tasks run': [0, '✓ Task #a completed (no commit)'],
      'gza work': [
        1,
        '✗ Task #a failed: 1 attempt failed; the last: the agent said it was done but changed no file',
      ],
    },
  },
  'an agent that fails': {
    a: 'exit 1',
    said: {
      'git tasks run': [0, '– Task #a skipped: agent failed 3 times'],
      'gza work': [1, '✗ Task #a failed: 1 attempt failed'],
    },
  },
};

const matrix = (Object.keys(runners) as Runner[]).flatMap((name) =>
  Object.entries(endings).map(([ending, { a, said }]) => ({ name, ending, a, said: said[name] })),
);

test.each(matrix)('$name: $ending holds back nothing else', async ({ name, a, said }) => {
  const { words, ends } = runners[name];
  const x = `if [ $GZA_TASK = a ]; then ${a}; exit 0; fi; ${does}; ${ends}`;
  await using shop = openWorkshop({ tasks, config, agents: { x } });
  const { stdout, code } = await shop.gza(words(shop));
  expect([code, stdout]).toEqual([said[0], expect.stringContaining(said[1])]);
  expect(stdout).toContain('✓ Task #b completed');
  expect(shop.strays()).toEqual([]);
  expect(await shop.json('agents')).toMatchObject({ claims: [] });
});

test.each(Object.entries(runners))(
  '%s: of two at once the second starts nothing, and says why',
  async (_, { words, ends }) => {
    const x = `touch "$D/at"; wait_for "$D/go"; ${does}; ${ends}`;
    await using shop = openWorkshop({ tasks, config: 'parallel_workers: 1\n', agents: { x } });
    const first = shop.start(...words(shop));
    for (let n = 0; n < 1_200 && !existsSync(join(shop.dir, 'at')); n += 1) await sleep(25);
    const second = await shop.gza(words(shop));
    expect(second.stdout).toMatch(/Another run works in this folder, on #a|b waits: one task runs already/);
    shop.write('../go', '');
    expect((await first.ended).stdout).toContain('✓ Task #b completed');
    expect(shop.runs()).toHaveLength(2);
    for (const id of ['a', 'b'])
      expect(await shop.json(`show ${id}`)).toMatchObject({ status: 'completed', notes: [] });
  },
);
