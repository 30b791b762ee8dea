import { expect, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

test('what an agent files with its own commands is judged and filed when its step has ended', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:
  - { id: first, type: implement, title: The first, prompt: Do it., group: g, budget: 5 }
  - { id: second, type: implement, title: The second, prompt: Do it., depends_on: first }
`,
    agents: {
      a: `echo $GZA_TASK > $GZA_TASK.txt
if [ $GZA_TASK = second ]; then echo done; exit; fi
{
  git tasks context
  git tasks show first
  git tasks add 'Write tests for JWT auth' --after first
  part=$(git tasks add 'a part of it' --parent first); echo "$part"
  git tasks done "\${part%%:*}"
  git tasks note first 'the cache is warm'
  git tasks note second 'not mine' ; git tasks done second
  git tasks done first --note 'all of it'
  git tasks edit first --content x; echo "edit $?"
  git tasks add 'Mine' --budget 100; echo "widen $?"
} > "$D/said" 2>&1
echo done`,
    },
  });
  const { stdout, code } = await shop.work('first');
  expect(code).toBe(0);
  const said = (await import('node:fs')).readFileSync(`${shop.dir}/said`, 'utf8');
  expect(said).toContain('The first');
  expect(said).toMatch(/task-[0-9a-f]{4}: Write tests for JWT auth \(after first\)\n/);
  expect(said).toContain('first: noted');
  expect(said).toContain('first: done');
  expect(said).toContain('edit 2');
  expect(said).toContain('widen 2');
  const id = /(task-[0-9a-f]+): Write tests/.exec(said)?.[1] ?? '';
  expect(stdout).toContain('not filed');
  const filed = shop.record(id);
  expect(filed).toMatchObject({
    depends_on: ['first'],
    group: 'g',
    budget: 5,
    created_by: 'a',
    stop: { reason: 'agent-task' },
  });
  const first = shop.record('first');
  expect(first['notes']).toEqual(
    expect.arrayContaining(['the cache is warm', expect.stringContaining('[x] a part of it')]),
  );
  expect(first['believed_done_at']).toBeDefined();
  expect(shop.record('second')['notes']).toBeUndefined();
  // It waits for a person, who lets it go on.
  expect((await shop.json<{ id: string }[]>('escalations')).map((one) => one.id)).toEqual([id]);
  expect((await shop.work('--all')).stdout).not.toContain(`#${id}`);
  await shop.says(`unblock ${id}`);
  expect((await shop.work('--all')).stdout).toContain(`✓ Task #${id} completed`);
});
