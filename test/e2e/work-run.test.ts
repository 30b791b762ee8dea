import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openWorkshop, type Workshop } from './workshop.ts';

const task = (id: string, more = '') =>
  `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it.${more} }\n`;
const writes = 'echo $GZA_TASK > $GZA_TASK.txt; echo done';

async function until(isTrue: () => boolean): Promise<void> {
  for (let n = 0; n < 600 && !isTrue(); n += 1) await sleep(25);
}

function interrupt(pid: number): void {
  // As a terminal does: to the whole group.
  process.kill(-pid, 'SIGINT');
}

test('Ctrl-C once starts nothing new and finishes the step; twice stops now, and saves what is there', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a')}${task('b')}${task('c')}`,
    agents: {
      x: `echo $GZA_TASK >> $GZA_TASK.txt; touch "$D/at.$GZA_TASK"; wait_for "$D/go.$GZA_TASK"; echo done`,
    },
  });
  const first = shop.start('work', '--all');
  await until(() => existsSync(join(shop.dir, 'at.a')));
  interrupt(first.pid);
  await sleep(200);
  writeFileSync(join(shop.dir, 'go.a'), '');
  const one = await first.ended;
  expect(one.stdout).toContain('Stopping: nothing new is started.');
  expect(one.stdout).toContain('✓ Task #a completed');
  expect(one.stdout).toContain('Stopped as asked; gza work goes on from here.');
  expect(shop.runs()).toHaveLength(1);

  const second = shop.start('work', '--all');
  await until(() => existsSync(join(shop.dir, 'at.b')));
  interrupt(second.pid);
  await sleep(200);
  interrupt(second.pid);
  const two = await second.ended;
  expect(two.stdout).toContain('implement was stopped');
  expect(shop.git('show', 'gza/b:b.txt')).toBe('b');
  expect(shop.record('b')['attempts']).toBeUndefined();
  expect(shop.strays()).toEqual([]);
  expect(readdirSync(shop.state('clones'))).toEqual([]);

  for (const id of ['b', 'c']) writeFileSync(join(shop.dir, `go.${id}`), '');
  expect((await shop.work('--all')).code).toBe(0);
  expect(shop.git('show', 'gza/b:b.txt')).toBe('b\nb');
});

test.each([
  ['stop', 'the task waits for a person', 'gza unblock a'],
  ['pause', 'the task is paused', 'gza resume a'],
  ['release', 'its claim was released', 'gza improve a'],
])('gza %s ends what runs within seconds, and keeps what it did', async (verb, why, next) => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a')}`,
    agents: { x: `echo half >> $GZA_TASK.txt; echo at >> "$D/at"; wait_for "$D/go"; echo done` },
  });
  const times = () =>
    existsSync(join(shop.dir, 'at')) ? readFileSync(join(shop.dir, 'at'), 'utf8').length / 3 : 0;
  const work = shop.start('work', 'a');
  await until(() => times() === 1);
  await shop.says(`${verb} a`);
  // What is free again is begun again.
  if (verb === 'release') {
    await until(() => times() === 2);
    writeFileSync(join(shop.dir, 'go'), '');
  }
  const { stdout } = await work.ended;
  expect(stdout).toContain(`a: ${why}, so its implement is stopped; what it did is kept`);
  expect(shop.strays()).toEqual([]);
  expect(shop.record('a')['attempts']).toBeUndefined();
  expect(shop.git('show', 'gza/a:a.txt')).toMatch(/^half/);
  expect(await shop.says('why a')).toContain(next);
});

test('two gza work in one repository share it: no task is run twice', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  await using shop = openWorkshop({
    tasks: `tasks:\n${ids.map((id) => task(id)).join('')}`,
    config: 'parallel_workers: 4\n',
    agents: { x: `${writes}; sleep 0.3` },
  });
  const both = await Promise.all([shop.work('--all'), shop.work('--all')]);
  expect(both.map(({ code, stdout, stderr }) => (code === 0 ? '' : stdout + stderr))).toEqual(['', '']);
  expect(shop.runs().sort()).toEqual(ids.map((id) => `x ${id} implement 0`));
  for (const id of ids) expect(shop.git('rev-list', '--count', `main..gza/${id}`)).toBe('1');
  expect(await shop.says('fsck')).not.toMatch(/problem/i);
});

test('after kill -9 at any moment the next run goes on: no commit lost, no step doubled, nothing left behind', async () => {
  const ids = ['a', 'b', 'c'];
  await using shop = openWorkshop({
    tasks: `tasks:\n${ids.map((id) => task(id, ', auto_review: true, max_attempts: 10, max_slices: 10')).join('')}`,
    config: 'parallel_workers: 2\n',
    agents: {
      x: `case $GZA_STEP in
  review) verdict APPROVED ;;
  *) echo $$ >> $GZA_TASK.txt; sleep 0.2; echo done ;;
esac`,
    },
  });
  // Spread over a run, from the first look to the last record; the seed varies them from run to run.
  for (const ms of [150, 320, 480, 650, 830, 1000, 1250]) {
    // What died twice in a row rests for a minute, which is not waited for here.
    for (const id of ids) await shop.gza(['reset', id]);
    const { pid, ended } = shop.start('work', '--all');
    await sleep(ms + Math.floor(Math.random() * 120));
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It was done already.
    }
    await ended;
  }
  for (const id of ids) await shop.gza(['reset', id]);
  const last = await shop.work('--all');
  expect(last.stderr + last.stdout).toMatch(/completed|All tasks complete/);
  expect(last.code).toBe(0);
  expect(shop.strays()).toEqual([]);
  expect(readdirSync(shop.state('clones'))).toEqual([]);
  const locks = shop.git('ls-files', '--others', '--', '.git');
  expect(locks).toBe('');
  for (const id of ids) {
    const record = shop.record(id);
    expect([id, record['closed_as'], record['final_verdict']]).toEqual([id, 'done', 'APPROVED']);
    // Every commit that a step recorded is on the branch.
    for (const { head } of record.steps ?? []) {
      if (head) expect(shop.git('merge-base', '--is-ancestor', head, `gza/${id}`)).toBe('');
    }
    const good = record.steps?.filter(({ step, outcome }) => step === 'implement' && outcome === 'ok');
    expect(good).toHaveLength(1);
    // Each try that left a line left it in a commit.
    const lines = shop.git('show', `gza/${id}:${id}.txt`).split('\n');
    expect(new Set(lines).size).toBe(lines.length);
  }
  expect(shop.git('for-each-ref', 'refs/gza/lost')).toBe('');
  expect(await shop.says('fsck')).not.toMatch(/problem/i);
});

let shop: Workshop;
beforeAll(() => {
  shop = openWorkshop({
    tasks: `tasks:\n${task('a', ', group: g, files_to_modify: [seed.txt]')}${task('b', ', files_to_modify: [seed.txt]')}${task('c', ', depends_on: a')}${task('d')}`,
    config: 'parallel_workers: 3\n',
    agents: {
      x: `case $GZA_TASK in
  a) echo from-a > seed.txt ;;
  b) echo from-b > seed.txt ;;
  *) echo $GZA_TASK > $GZA_TASK.txt ;;
esac
touch "$D/in.$GZA_TASK"; [ $GZA_TASK = a ] && sleep 0.4; [ -e "$D/in.b" ] && [ $GZA_TASK = a ] && touch "$D/overlapped"
rm "$D/in.$GZA_TASK"; echo done`,
    },
  });
});
afterAll(() => shop[Symbol.asyncDispose]());

const snapshot = () =>
  [
    shop.git('for-each-ref'),
    shop.git('status', '--porcelain', '--ignored'),
    readFileSync(join(shop.repo, '.git/info/exclude'), 'utf8'),
    existsSync(join(shop.repo, '.gza')),
  ].join('\n');

test('--dry-run and prompt write nothing, and say exactly what would be done', async () => {
  const before = snapshot();
  const dry = await shop.work('--all', '--dry-run', '--prompts');
  expect(dry.stdout).toMatch(/would .*implement.*: a Task a \(with x\)/);
  expect(dry.stdout).toContain('Do it.');
  expect(dry.stdout).toMatch(/\(\d+ wait\)/);
  expect(
    (await shop.work('--dry-run')).stdout.split('\n').filter((line) => line.startsWith('would')),
  ).toHaveLength(1);
  expect(await shop.says('prompt a --step review')).toContain('Verdict');
  expect(snapshot()).toBe(before);
  expect(shop.runs()).toEqual([]);
});

test('limits of a run, tasks that overlap, and finished lanes on the current branch in order', async () => {
  const once = await shop.work('--group', 'g', '--max-tasks', '1');
  expect(once.stdout).toContain('✓ Task #a completed');
  expect(shop.runs()).toHaveLength(1);
  expect((await shop.work('--once', '--all')).stdout).toContain(
    'The limit of tasks for this run is reached.',
  );
  expect(shop.runs()).toHaveLength(2);
  shop.write('a-users-own.txt', 'uncommitted\n');
  const all = await shop.work('--all', '--integrate');
  expect(existsSync(join(shop.dir, 'overlapped'))).toBe(false);
  expect(all.stdout).toContain('✓ integrated gza/d');
  expect(readFileSync(join(shop.repo, 'd.txt'), 'utf8')).toBe('d\n');
  expect(readFileSync(join(shop.repo, 'a-users-own.txt'), 'utf8')).toBe('uncommitted\n');
});
