/** `git tasks run`: what becomes of each task, however its agent or its run ends. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { openWorkshop, type Workshop } from './workshop.ts';

const commits = 'echo $GZA_TASK > $GZA_TASK.txt; git add -A; git commit -q -m "Do it"';
const does = `${commits}; git tasks done $GZA_TASK`;

/** An agent for `--runner`; `$D` is a folder outside of the repository. */
function runner(shop: Workshop, script: string): readonly string[] {
  shop.agent('runner', script);
  return ['run', '--delay', '0', '--runner', join(shop.dir, 'bin', 'agent-runner')];
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let n = 0; n < 600 && !isTrue(); n += 1) await sleep(25);
}

const tries = ({ dir }: Workshop) =>
  existsSync(join(dir, 'runs')) ? readFileSync(join(dir, 'runs'), 'utf8').trim().split('\n').length : 0;

test('a run that was killed blocks nothing: its agent is ended, its task is free, nobody is blamed', async () => {
  await using shop = openWorkshop({});
  const id = await shop.add('Write a changelog');
  const words = runner(shop, `touch "$D/at"; wait_for "$D/go"; ${does}`);
  const first = shop.start(...words);
  await until(() => existsSync(join(shop.dir, 'at')));
  process.kill(first.pid, 'SIGKILL');
  await first.ended;
  expect((await shop.gza(['run', '--dry-run'])).stdout).toBe(`would run ${id}: Write a changelog\n`);
  runner(shop, does);
  const { stdout, code } = await shop.gza(words);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`✓ Task #${id} completed`)]);
  expect(shop.record(id)['notes']).toBeUndefined();
  expect(shop.strays()).toEqual([]);
});

test('of two runs in one folder the second says who works there; no task is run twice or blamed', async () => {
  await using shop = openWorkshop({});
  const ids = [await shop.add('First'), await shop.add('Second')];
  const words = runner(shop, `touch "$D/at"; wait_for "$D/go"; ${does}`);
  const first = shop.start(...words);
  await until(() => existsSync(join(shop.dir, 'at')));
  const second = await shop.gza(words);
  expect([second.code, second.stdout]).toEqual([
    3,
    expect.stringMatching(new RegExp(`Another run works in this folder, on #${ids[0]} since .*gza release`)),
  ]);
  writeFileSync(join(shop.dir, 'go'), '');
  expect((await first.ended).stdout).toContain('All tasks complete!');
  expect(tries(shop)).toBe(2);
  for (const id of ids) expect(shop.record(id)['notes']).toBeUndefined();
});

test('only the tasks of this branch, unless all are asked for; lists say which branch', async () => {
  await using shop = openWorkshop({});
  const here = await shop.add('On the base');
  shop.git('switch', '-q', '-c', 'feature');
  const there = await shop.add('On the branch');
  expect(await shop.says('ready')).toBe(`${here}: On the base (on main)\n${there}: On the branch\n`);
  shop.git('switch', '-q', 'main');
  expect(await shop.says('ready')).toBe(`${here}: On the base\n${there}: On the branch (on feature)\n`);
  expect(await shop.says('list')).toContain('pending (on feature)');
  const words = runner(shop, does);
  const more = '1 more ready on other branches: git tasks run --all-branches';
  expect((await shop.gza([...words, '--dry-run'])).stdout).toBe(`would run ${here}: On the base\n${more}\n`);
  expect((await shop.gza(words)).stdout).toContain(`All tasks complete!\n${more}\n`);
  expect(tries(shop)).toBe(1);
  expect((await shop.gza([...words, '--all-branches'])).stdout).toContain(`✓ Task #${there} completed`);
});

test('who is blocked or asks waits for a person after one try', async () => {
  await using shop = openWorkshop({});
  const blocked = await shop.add('Blocked');
  const asks = await shop.add('Asks');
  const last = await shop.add('Goes on');
  const words = runner(
    shop,
    `case $GZA_TASK in
${blocked}) git tasks note $GZA_TASK "blocked: no access to the database" ;;
${asks}) echo "Which of the two formats should I use?" ;;
*) ${does} ;;
esac`,
  );
  const { stdout, code } = await shop.gza(words);
  expect(code).toBe(3);
  expect(stdout).toContain(`! Task #${blocked} waits for a person: no access to the database`);
  expect(stdout).toContain(`! Task #${asks} waits for a person: Which of the two formats should I use?`);
  expect(stdout).toContain(`✓ Task #${last} completed`);
  expect(stdout).toContain('1 task done, 2 for a person, 2 open');
  expect(tries(shop)).toBe(3);
  const waiting = await shop.json<{ id: string; detail: string }[]>('escalations');
  expect(waiting.map(({ id, detail }) => [id, detail])).toEqual([
    [blocked, 'no access to the database'],
    [asks, 'Which of the two formats should I use?'],
  ]);
  runner(shop, does);
  await shop.says(`unblock ${asks}`);
  expect((await shop.gza(words)).stdout).toContain(`✓ Task #${asks} completed`);
});

test('a task is closed by its own commit, in whatever order it is made, and never by that of another', async () => {
  await using shop = openWorkshop({});
  const [none, late, named, plain] = [
    await shop.add('Nothing to change'),
    await shop.add('Done, then committed'),
    await shop.add('Named by a trailer'),
    await shop.add('Committed, then done'),
  ];
  const words = runner(
    shop,
    `case $GZA_TASK in
${none}) git tasks done $GZA_TASK ;;
${late}) git tasks done $GZA_TASK; git commit -q --allow-empty -m Late ;;
${named}) git commit -q --allow-empty -m Named --trailer "Task: $GZA_TASK"; git commit -q --allow-empty -m Second; git tasks done $GZA_TASK ;;
${plain}) git commit -q --allow-empty -m Plain; git tasks done $GZA_TASK ;;
esac`,
  );
  const { stdout } = await shop.gza(words);
  expect(stdout).toContain(`✓ Task #${none} completed (no commit)`);
  const subject = (id: string) => {
    const commit = shop.record(id)['closed_commit'] as string | undefined;
    return commit && shop.git('log', '-1', '--format=%s', commit);
  };
  await shop.says('list --all');
  expect([none, late, named, plain].map(subject)).toEqual([undefined, 'Late', 'Named', 'Plain']);
  // By hand, too: the next commit closes a task, unless it is another's.
  const [first, second] = [await shop.add('First by hand'), await shop.add('Second by hand')];
  await shop.says(`done ${first}`);
  shop.git('commit', '-q', '--allow-empty', '-m', 'Of the second', '--trailer', `Task: ${second}`);
  await shop.says(`done ${second}`);
  await shop.says('list --all');
  expect([subject(first), subject(second)]).toEqual([undefined, 'Of the second']);
  shop.commit('Of the first');
  await shop.says('list --all');
  expect(subject(first)).toBe('Of the first');
});

test('a dry run names what a run would do, in its order, up to its limit', async () => {
  await using shop = openWorkshop({});
  const a = await shop.add('First');
  const b = await shop.add('After the first', '--after', a);
  const c = await shop.add('On its own');
  const d = await shop.add('Urgent', '--after', b, '--priority', 'critical');
  const words = runner(shop, does);
  const dry = (await shop.gza([...words, '--dry-run'])).stdout;
  expect(shop.runs()).toEqual([]);
  expect((await shop.gza([...words, '--dry-run', '--max-tasks', '2'])).stdout.split('\n')).toHaveLength(3);
  const { stdout } = await shop.gza(words);
  const ran = [...stdout.matchAll(/Running task #(\S+): (.*)/g)].map(
    ([, id, title]) => `would run ${id}: ${title}`,
  );
  expect(dry.trim().split('\n')).toEqual(ran);
  expect(ran).toHaveLength(4);
  expect(new Set(shop.runs().map((line) => line.split(' ')[1]))).toEqual(new Set([a, b, c, d]));
});

test('a run that only skipped ends with 1', async () => {
  await using shop = openWorkshop({});
  await shop.add('Fails');
  const { code, stdout } = await shop.gza(runner(shop, 'exit 1'));
  expect([code, tries(shop), stdout]).toEqual([
    1,
    3,
    expect.stringContaining('0 tasks done, 1 skipped, 1 open'),
  ]);
});

test('the agent has the environment, HOME and git identity of the person, or its own with --isolate', async () => {
  await using shop = openWorkshop({});
  shop.write('../home/.gitconfig', '[user]\n  name = Ann at home\n  email = ann@home.example\n');
  const script = `printf '%s\\n' "$HOME" "$MY_KEY" > "$D/seen.$1"; ${does}`;
  shop.agent('own', script);
  const env = {
    MY_KEY: 'of-the-person',
    GIT_CONFIG_GLOBAL: undefined,
    GIT_AUTHOR_NAME: undefined,
    GIT_AUTHOR_EMAIL: undefined,
    GIT_COMMITTER_NAME: undefined,
    GIT_COMMITTER_EMAIL: undefined,
  };
  const run = async (word: string, ...more: string[]) => {
    await shop.add(`Task ${word}`);
    const command = `${join(shop.dir, 'bin', 'agent-own')} ${word}`;
    const ran = await shop.gza(['run', '--runner', command, '--once', ...more], { env });
    const author = shop.git('log', '-1', '--format=%an <%ae>');
    return [
      ran.code,
      readFileSync(join(shop.dir, `seen.${word}`), 'utf8')
        .split('\n')
        .slice(0, 2),
      author,
    ];
  };
  expect(await run('--yes')).toEqual([
    0,
    [join(shop.dir, 'home'), 'of-the-person'],
    'Ann at home <ann@home.example>',
  ]);
  expect(await run('apart', '--isolate')).toEqual([
    0,
    [expect.stringContaining('/homes/here-runner'), ''],
    'gza agent <agent@gza.invalid>',
  ]);
});

test.each([
  ['stop', 'the task waits for a person'],
  ['pause', 'the task is paused'],
])('gza %s ends the agent within seconds, without blame', async (verb, why) => {
  await using shop = openWorkshop({});
  const id = await shop.add('Long');
  const first = shop.start(...runner(shop, `echo half > half.txt; touch "$D/at"; wait_for "$D/go"; ${does}`));
  await until(() => existsSync(join(shop.dir, 'at')));
  await shop.says(`${verb} ${id}`);
  const { stdout } = await first.ended;
  expect(stdout).toContain(`${id}: ${why}, so its implement is stopped; what it did is kept`);
  expect(shop.strays()).toEqual([]);
  expect(shop.record(id)['notes']).toBeUndefined();
  expect(readFileSync(join(shop.repo, 'half.txt'), 'utf8')).toBe('half\n');
});

test('Ctrl-C once ends after the task, twice at once; neither is a failure', async () => {
  await using shop = openWorkshop({});
  const ids = [await shop.add('First'), await shop.add('Second'), await shop.add('Third')];
  const words = runner(shop, `touch "$D/at.$GZA_TASK"; wait_for "$D/go.$GZA_TASK"; ${does}`);
  const interrupted = async (at: number, times: number) => {
    const { pid, ended } = shop.start(...words);
    await until(() => existsSync(join(shop.dir, `at.${ids[at]}`)));
    for (let n = 0; n < times; n += 1) {
      process.kill(-pid, 'SIGINT');
      await sleep(200);
    }
    if (times === 1) writeFileSync(join(shop.dir, `go.${ids[at]}`), '');
    return ended;
  };
  const once = await interrupted(0, 1);
  expect([once.code, once.stdout]).toEqual([130, expect.stringContaining(`✓ Task #${ids[0]} completed`)]);
  const twice = await interrupted(1, 2);
  expect([twice.code, twice.stdout]).toEqual([130, expect.stringContaining('0 tasks done, 2 open')]);
  expect(shop.strays()).toEqual([]);
  expect(shop.record(ids[1] as string)['notes']).toBeUndefined();
  for (const id of ids) writeFileSync(join(shop.dir, `go.${id}`), '');
  expect((await shop.gza(words)).stdout).toContain('All tasks complete!');
});

test('what is assigned to the agent that runs is its own, and what is assigned to another is not', async () => {
  await using shop = openWorkshop({});
  const [own, theirs] = [await shop.add('Own'), await shop.add('Theirs')];
  await shop.says(`assign ${own} runner`);
  await shop.says(`assign ${theirs} ann`);
  const { stdout } = await shop.gza(runner(shop, does));
  expect(stdout).toContain(`✓ Task #${own} completed\n1 task done, 1 open`);
  expect(tries(shop)).toBe(1);
});

test('a runner that prints the prompt that it was sent asks nothing by that', async () => {
  await using shop = openWorkshop({});
  const id = await shop.add('Write a changelog');
  const { code, stdout } = await shop.gza(['run', '--delay', '0', '--runner', 'echo hello']);
  expect([code, stdout]).toEqual([1, expect.not.stringContaining('waits for a person')]);
  expect(shop.record(id)['notes']).toEqual([expect.stringContaining('skipped: agent failed 3 times')]);
  expect(shop.record(id)['stop']).toBeUndefined();
});
