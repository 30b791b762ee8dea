/** What a person does to the work itself: holds everything back, or mends a branch by hand. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

const task = (more = '') => `tasks:\n  - { id: a, type: implement, title: Task a, prompt: Do it.${more} }\n`;

test('pause --all ends what runs and starts nothing, also of what is filed later, until resume --all', async () => {
  await using shop = openWorkshop({
    tasks: task(),
    agents: { x: 'echo half > a.txt; touch "$D/at"; wait_for "$D/go"; echo done' },
  });
  const work = shop.start('work', '--all');
  for (let n = 0; n < 400 && !existsSync(join(shop.dir, 'at')); n += 1) await sleep(25);
  expect(await shop.says('pause --all')).toBe('everything is paused; gza resume --all goes on\n');
  expect((await work.ended).stdout).toContain('everything is paused by Ann');
  expect(shop.strays()).toEqual([]);
  const later = await shop.add('Filed later');
  expect(await shop.says('ready')).toContain(`(${later} waits: everything is paused by Ann)`);
  expect((await shop.work('--all')).stdout).toContain('everything is paused by Ann');
  expect((await shop.gza(['run', '--dry-run'])).stdout).toBe('Nothing is ready.\n');
  expect(shop.runs()).toHaveLength(1);
  await shop.says('resume --all');
  expect(await shop.says('ready')).toContain(`${later}: Filed later`);
  expect((await shop.gza(['pause'])).stderr).toContain('<id> is missing');
});

test('verify checks what a person put on the branch, and completes it without an agent', async () => {
  await using shop = openWorkshop({
    tasks: task(', max_attempts: 1, baseline: skip'),
    config: 'verify: grep -q right a.txt\n',
    agents: { x: 'echo wrong > a.txt; echo done' },
  });
  expect((await shop.gza(['verify', 'a'])).stderr).toContain('a has no branch to check');
  expect((await shop.work('a')).code).toBe(1);
  const failed = await shop.gza(['verify', 'a']);
  expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining('exit code 1')]);
  shop.git('switch', '-q', 'gza/a');
  shop.write('a.txt', 'right\n');
  const fix = shop.commit('Mend it by hand', 'a.txt');
  const { code, stdout } = await shop.gza(['verify', 'a']);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/Checking\.\.\.\n  Checks passed\n✓ Task #a completed/),
  ]);
  expect(shop.git('rev-parse', 'gza/a')).toBe(fix);
  expect(shop.record('a')).toMatchObject({ closed_as: 'done' });
  expect(shop.runs()).toHaveLength(1);
});

test('what was to be reviewed waits for its review when its branch was verified', async () => {
  await using shop = openWorkshop({
    tasks: task(', auto_review: true, max_attempts: 1, baseline: skip'),
    config: 'verify: grep -q right a.txt\n',
    agents: { x: 'case $GZA_STEP in review) verdict APPROVED ;; *) echo wrong > a.txt ;; esac; echo done' },
  });
  expect((await shop.work('a')).code).toBe(1);
  shop.git('switch', '-q', 'gza/a');
  shop.write('a.txt', 'right\n');
  shop.commit('Mend it by hand', 'a.txt');
  shop.git('switch', '-q', 'main');
  expect((await shop.gza(['verify', 'a'])).stdout).toContain('Checks passed');
  expect(shop.runs()).toHaveLength(1);
  expect((await shop.work('a')).stdout).toContain('✓ Task #a completed (APPROVED after 1 cycle)');
  expect(shop.runs().at(-1)).toBe('x a review 1');
});

test('log of one task has its steps with findings and commits; --transcript and --follow what its agents printed', async () => {
  await using shop = openWorkshop({
    tasks: task(', auto_review: true'),
    agents: {
      x: `case $GZA_STEP.$GZA_CYCLE in
  review.1) verdict CHANGES_REQUESTED "it lacks a test" ;;
  review.*) verdict APPROVED ;;
  *) echo $GZA_STEP >> a.txt; echo "I wrote a.txt"; touch "$D/at"; wait_for "$D/go"; echo done ;;
esac`,
    },
  });
  expect(await shop.says('log a --transcript')).toBe('No agent of a left a log on this machine.\n');
  const work = shop.start('work', 'a');
  for (let n = 0; n < 400 && !existsSync(join(shop.dir, 'at')); n += 1) await sleep(25);
  const followed = shop.start('log', 'a', '--follow');
  await sleep(1_000);
  shop.write('../go', '');
  expect((await followed.ended).stdout).toMatch(/^== .*-implement\.log\n[^]*I wrote a\.txt\n[^]*done/);
  await work.ended;
  const steps = (await shop.says('log a')).split('\n');
  expect(steps[0]).toBe('a: Task a (completed)');
  expect(
    steps.slice(1, 5).map((line) => line.replace(/^ {2}\d\d\/\d\d \d\d:\d\d /, '').replace(/, \d+ s$/, '')),
  ).toEqual([
    'implement by x: ok',
    'review 1 by x: CHANGES_REQUESTED, 1 finding',
    'improve 1 by x: ok',
    'review 2 by x: APPROVED',
  ]);
  expect(steps[5]).toMatch(/^ {2}[0-9a-f]{7} Address review feedback \(cycle 1\): I wrote a\.txt$/);
  const transcript = await shop.says('log a --transcript');
  expect(transcript.match(/^I wrote a\.txt$/gm)).toHaveLength(2);
  expect((await shop.gza(['log', '--follow'])).stderr).toContain('are of one task');
});
