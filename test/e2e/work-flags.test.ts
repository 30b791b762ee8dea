import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

const task = (id: string, more = '') =>
  `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it.${more} }\n`;

test('--parallel n runs so many side by side, whatever the configuration says; --delay waits between tasks', async () => {
  // Each waits until another one is there, or gives up.
  const meets = `touch "$D/here.$GZA_TASK"; n=0
while [ $(ls "$D" | grep -c '^here') -lt 2 ] && [ $n -lt 30 ]; do sleep 0.1; n=$((n+1)); done
[ $(ls "$D" | grep -c '^here') -gt 1 ] && echo met >> "$D/met"; sleep 0.3; rm "$D/here.$GZA_TASK"`;
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a')}${task('b')}${task('c', ', group: slow')}${task('d', ', group: slow')}`,
    agents: {
      x: `date +%s%N > "$D/began.$GZA_TASK"; case $GZA_TASK in a|b) ${meets} ;; esac
echo x > $GZA_TASK.txt; date +%s%N > "$D/ended.$GZA_TASK"; echo done`,
    },
  });
  const { stdout, code } = await shop.work('a', 'b', '--parallel', '2');
  expect(code).toBe(0);
  expect(readFileSync(join(shop.dir, 'met'), 'utf8')).toBe('met\nmet\n');
  expect(stdout).toContain('  b: Implementing...');
  expect((await shop.work('--all', '--parallel', '0')).code).toBe(2);

  expect((await shop.work('--group', 'slow', '--delay', '2')).code).toBe(0);
  const time = (name: string) => Number(readFileSync(join(shop.dir, name), 'utf8')) / 1e9;
  const [first, second] = [time('began.c'), time('began.d')].toSorted((a, b) => a - b);
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(1.9);
});

test('gza review looks at finished work once more, and its verdict is told without reopening the loop', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a')}`,
    agents: {
      x: `case $GZA_STEP in
  review) verdict CHANGES_REQUESTED 'say more' ;;
  *) echo a > a.txt; echo done ;;
esac`,
    },
  });
  const early = await shop.gza(['review', 'a']);
  expect([early.code, early.stderr]).toEqual([3, expect.stringContaining('nothing to review')]);
  expect((await shop.work('a')).code).toBe(0);
  const head = shop.git('rev-parse', 'gza/a');
  const { stdout, code } = await shop.gza(['review', 'a']);
  expect(code).toBe(3);
  expect(stdout).toMatch(
    /Running review task #task-[0-9a-f]+\.\.\.\n {2}Review: CHANGES_REQUESTED - say more\n! Review completed/,
  );
  expect(shop.runs().map((run) => run.split(' ')[2])).toEqual(['implement', 'review']);
  expect(shop.git('rev-parse', 'gza/a')).toBe(head);
  expect(shop.record('a')['closed_as']).toBe('done');
  expect(readdirSync(join(shop.repo, '.gza/reviews'))).toHaveLength(1);
});

test('a second answer that crashes is no verdict of either kind: the review is done again, and spends no improve', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a', ', auto_review: true')}`,
    agents: {
      x: `case $GZA_STEP in
  implement) echo a > a.txt; echo done ;;
  review)
    n=$(grep -c ' review ' "$D/runs")
    case $n in
      1) echo 'It looks fine to me.' ;;
      2) verdict APPROVED; exit 1 ;;
      *) verdict APPROVED ;;
    esac ;;
esac`,
    },
  });
  const { stdout, code } = await shop.work('a');
  expect(code).toBe(0);
  expect(stdout).toContain('review failed');
  expect(stdout).toContain('✓ Task #a completed (APPROVED after 1 cycle)');
  expect(shop.runs().map((run) => run.split(' ')[2])).toEqual(['implement', 'review', 'review', 'review']);
  expect(shop.record('a').steps?.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual([
    'implement ok',
    'review failed',
    'review ok',
  ]);
});

test('build_verify looks at the whole at the end of a run: branches that each pass may not pass as one', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a')}${task('b')}${task('c', ', depends_on: a')}`,
    config: 'verify: test -e seed.txt\nbuild_verify: test ! -e a.txt || test ! -e b.txt\n',
    agents: { x: 'echo x > $GZA_TASK.txt; echo done' },
  });
  const first = await shop.work('a');
  expect({ code: first.code, stdout: first.stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/✓ The checks passed: .*\(1 branch on main\)/),
  });
  expect(JSON.parse((await shop.work('b', '--json')).stdout)).toMatchObject({ build_ok: true });
  // It stands on a, whose file is in the whole with it.
  shop.write('tasks/more.yml', `tasks:\n${task('d')}`);
  shop.agent('x', 'echo x > $GZA_TASK.txt; [ $GZA_TASK = d ] && echo x > b.txt; echo done');
  const both = await shop.work('c', 'd');
  expect(both.stdout).toMatch(/✗ The checks failed: .*\(2 branches on main\)/);
  expect(both.code).toBe(1);
  expect(shop.git('status', '--porcelain', '--', 'a.txt', 'b.txt')).toBe('');
  expect(readdirSync(shop.state('clones'))).toEqual([]);
});
