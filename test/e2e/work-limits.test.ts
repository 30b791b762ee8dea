import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { fakeClaude, key } from './fake-claude.ts';
import { openWorkshop } from './workshop.ts';

const task = (id: string, more = '') =>
  `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it.${more} }\n`;

test('budgets are reserved by the claim, and a task that they hold back says so', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a', ', group: g')}${task('b', ', group: g')}${task('c', ', auto_review: true, budget: 3')}`,
    config: 'parallel_workers: 2\nbudget: { day: 5, task: 3 }\n',
  });
  fakeClaude(shop, `echo x > $GZA_TASK.txt; ok`);
  const { stdout } = await shop.gza(['work', 'a', 'b'], key);
  // Two at once would reserve $6 of $5.
  expect(stdout).not.toMatch(/ {2}[ab]: Implementing/);
  expect(stdout).toContain('✓ Task #a completed');
  expect(stdout).toContain('$4.00');
  // By task, group and day, in the same units.
  const used = { cost_usd: 4, input_tokens: 20, output_tokens: 10 };
  const summary = await shop.json<{ groups: unknown[]; days: unknown[] }>('summary');
  expect(summary).toMatchObject({ ...used, groups: [{ group: 'g', ...used }], days: [used] });
  expect(await shop.json('show a')).toMatchObject({ cost_usd: 2, input_tokens: 10, output_tokens: 5 });
  const rest = await shop.gza(['work', '--all'], key);
  expect(rest.stdout).toMatch(/waits: .*of the budget is left, it may need \$3\.00/);
  expect(shop.runs().every((run) => run.includes('--max-budget-usd 3'))).toBe(true);
  expect(JSON.parse((await shop.gza(['show', 'a', '--json'])).stdout)).toMatchObject({ status: 'completed' });
});

test('the budget of a run ends with the run, and a task over its own budget is a person’s', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a')}${task('b')}${task('dear', ', auto_review: true, budget: 1')}`,
    config: 'budget: { run: 2 }\n',
  });
  fakeClaude(shop, `echo x > $GZA_TASK.txt; ok`);
  const first = await shop.gza(['work', 'a', 'b'], key);
  expect(first.stdout).toContain('✓ Task #a completed');
  expect(first.stdout).toMatch(/b waits: \$0\.00 of the budget is left/);
  const next = await shop.gza(['work', 'b'], key);
  expect(next.stdout).toContain('✓ Task #b completed');
  const dear = await shop.gza(['work', 'dear'], key);
  expect(dear.stdout).toMatch(/dear waits for a person[^]*it cost \$2\.00 of its \$1\.00/);
  expect(shop.runs()).toHaveLength(3);
});

test('a usage limit holds an agent back until its time; the next agent takes over the same branch', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a', ', agents: [claude, b]')}${task('alone', ', agents: [claude]')}`,
    agents: { b: `[ -e part.txt ] && echo whole > $GZA_TASK.txt; echo done` },
  });
  fakeClaude(shop, `echo part > part.txt; limited`);
  const { stdout } = await shop.gza(['work', '--all', '--no-wait'], key);
  expect(stdout).toMatch(/More can start from \d{4}-\S+ on: gza work --all goes on then\./);
  expect(stdout).toContain('implement reached a limit');
  expect(stdout).toContain('✓ Task #a completed');
  expect(shop.git('show', 'gza/a:a.txt')).toBe('whole');
  expect(shop.record('a')['attempts']).toBeUndefined();
  expect(stdout).toMatch(/alone waits: claude met the usage limit until \d{4}-/);
  expect(shop.runs().map((run) => run.split(' ').slice(0, 2).join(' '))).toEqual(['claude a', 'b a']);
});

test('gza work --all waits for a limit that ends soon, and says until when; one that is too far ends the run', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a')}${task('b')}`,
    config: 'limit_wait_minutes: 1\n',
  });
  const rejected = (seconds: number) =>
    `echo '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":'$(( $(date +%s) + ${seconds} ))'}}'; limited`;
  fakeClaude(
    shop,
    `echo x > $GZA_TASK.txt
if [ $GZA_TASK = b ]; then ${rejected(3600)}; elif [ ! -e "$D/again" ]; then touch "$D/again"; ${rejected(4)}; else ok; fi`,
  );
  const { stdout, code } = await shop.gza(['work', '--all'], key);
  expect(code).toBe(0);
  expect(stdout.match(/Nothing can start before \d{4}-\S+: waiting \d s\. Ctrl-C ends/g)).toHaveLength(1);
  expect(stdout).toContain('✓ Task #a completed');
  expect(stdout).toContain('b waits: claude met the usage limit until ');
  const { next_at } = JSON.parse((await shop.gza(['work', '--all', '--json'], key)).stdout) as {
    next_at: string;
  };
  expect(Date.parse(next_at)).toBeGreaterThan(Date.now() + 3_000_000);
  expect(shop.runs()).toHaveLength(3);
});

test('an agent that cannot run is no task’s fault; resume goes on in the session, retry in a fresh one', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a', ', timeout_minutes: 0.03, max_slices: 0')}${task('b')}`,
  });
  fakeClaude(
    shop,
    `echo x >> $GZA_TASK.txt; [ $GZA_TASK = a ] && [ ! -e "$D/go" ] && { ok; exec sleep 60; }; ok`,
  );
  const none = await shop.work('--all');
  expect(none.code).toBe(1);
  expect(none.stdout).not.toContain('Running task #b');
  expect(none.stdout).toMatch(/a, b were not started: claude cannot run: .*(key|ANTHROPIC)/i);
  expect(await shop.json('escalations')).toEqual([]);
  expect(shop.runs()).toEqual([]);

  const cut = await shop.gza(['work', 'a'], key);
  expect(cut.stdout).toContain('implement was cut short');
  shop.write('../go', '');
  const resumed = await shop.gza(['resume', 'a'], key);
  expect(resumed.stdout).toContain('✓ Task #a completed');
  expect(shop.runs().map((run) => run.includes('--resume session-1'))).toEqual([false, true]);
  expect(readFileSync(join(shop.dir, 'runs'), 'utf8')).not.toContain('sk-test');
});
