import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

const task = (id: string, more = '') =>
  `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it.${more} }\n`;
const own = { x: 'echo "$GZA_STEP" >> $GZA_TASK.txt; ls > "$D/saw.$GZA_TASK"; echo done' };
const three = `tasks:\n${task('low')}${task('side')}${task('top', ', depends_on: [low, side]')}`;

type Shop = ReturnType<typeof openWorkshop>;

function saw(shop: Shop, id: string): string[] {
  return readFileSync(join(shop.dir, `saw.${id}`), 'utf8').split('\n');
}

function squash(shop: Shop, branch: string) {
  shop.git('merge', '-q', '--squash', branch);
  shop.git('commit', '-q', '-m', `Squashed ${branch}`);
}

test('what waits for two starts on both, and is put on what is left as they are merged', async () => {
  await using shop = openWorkshop({ tasks: three, agents: own });
  expect((await shop.work('--all')).code).toBe(0);
  expect(saw(shop, 'top')).toEqual(expect.arrayContaining(['low.txt', 'side.txt']));
  expect(shop.record('top')['lane']).toMatchObject({
    stacked_on: 'gza/on/top',
    joins: ['gza/low', 'gza/side'],
    fork_point: shop.git('rev-parse', 'gza/on/top'),
  });

  squash(shop, 'gza/low');
  shop.commit('Elsewhere');
  const first = await shop.gza(['improve', 'top', 'say more']);
  expect(first.stdout).toContain('gza/top stands on gza/on/top now: gza/low was merged');
  expect(shop.record('top')['lane']).toMatchObject({ stacked_on: 'gza/on/top', joins: ['gza/side'] });
  expect(shop.git('merge-base', 'main', 'gza/top')).toBe(shop.git('rev-parse', 'main'));
  expect(shop.git('diff', '--name-only', 'gza/on/top...gza/top')).not.toMatch(/low|side|seed/);

  squash(shop, 'gza/side');
  const second = await shop.gza(['improve', 'top', 'say more']);
  expect(second.stdout).toContain('gza/top stands on main now: gza/side was merged');
  expect(shop.git('log', '--format=%s', 'main..gza/top').split('\n')).toHaveLength(3);
  expect(shop.record('top')['lane']).not.toHaveProperty('joins');
  await shop.work('--all');
  expect(shop.git('for-each-ref', 'refs/heads/gza/on')).toBe('');
  expect(await shop.says('fsck')).not.toMatch(/problem/i);
});

test('what was merged before the other began is below it already; else the base is joined with it', async () => {
  const after = `tasks:\n${task('low')}${task('side')}${task('late', ', depends_on: low')}${task('top', ', depends_on: [low, side]')}${task('end', ', depends_on: [low, late]')}`;
  await using shop = openWorkshop({ tasks: after, agents: own });
  await shop.work('low', 'side');
  squash(shop, 'gza/low');
  expect((await shop.work('--all')).code).toBe(0);
  expect(shop.record('top')['lane']).toMatchObject({ stacked_on: 'gza/on/top', joins: ['gza/side'] });
  expect(saw(shop, 'top')).toEqual(expect.arrayContaining(['low.txt', 'side.txt']));
  expect(shop.record('end')['lane']).toMatchObject({ stacked_on: 'gza/late' });
  expect(shop.record('end')['lane']).not.toHaveProperty('joins');
});

test('branches that do not merge are a person’s before an agent starts, with files and branches', async () => {
  await using shop = openWorkshop({
    tasks: three,
    agents: { x: 'echo "$GZA_TASK" >> seed.txt; echo done' },
  });
  const { code, stdout } = await shop.work('--all');
  const why = 'it builds on branches that do not merge: gza/side conflicts with gza/low in seed.txt';
  expect({ code, stdout }).toEqual({ code: expect.any(Number), stdout: expect.stringContaining(why) });
  expect(shop.runs().filter((run) => run.includes(' top '))).toEqual([]);
  const [waiting] = await shop.json<{ id: string; reason: string; detail: string }[]>('escalations');
  expect(waiting).toMatchObject({ id: 'top', reason: 'predecessors-conflict', detail: why });

  shop.git('checkout', '-q', 'gza/side');
  shop.git('merge', '-q', '-X', 'ours', '-m', 'Solved', 'gza/low');
  shop.git('checkout', '-q', 'main');
  await shop.gza(['unblock', 'top']);
  expect((await shop.work('--all')).stdout).toContain('✓ Task #top completed');
});

test('a dependency by file holds until its creator is merged, and work without a branch stands for what it waited for', async () => {
  const files = `tasks:
${task('maker', ', files_to_create: [maker.txt]')}${task('user', ', files_to_modify: [maker.txt]')}  - { id: look, type: explore, title: Look, prompt: Look., depends_on: maker }
${task('after', ', depends_on: look')}`;
  await using shop = openWorkshop({ tasks: files, agents: own });
  expect((await shop.work('--all')).code).toBe(0);
  for (const id of ['user', 'after']) {
    expect(shop.record(id)['lane']).toMatchObject({ stacked_on: 'gza/maker' });
    expect(saw(shop, id)).toContain('maker.txt');
  }
});

test('lanes that modify the same file stand on each other, three high at most; what stood on a dropped one goes to the base', async () => {
  const shared = ['one', 'two', 'three', 'four', 'five'].map((id) =>
    task(id, ', files_to_modify: [./shared.txt], depends_on: []'),
  );
  await using shop = openWorkshop({
    tasks: `tasks:\n${shared.join('')}${task('apart', ', files_to_modify: [other.txt]')}`,
    agents: { x: 'echo $GZA_TASK >> shared.txt; echo done' },
  });
  expect((await shop.work('--all')).code).toBe(0);
  const on = (id: string) => (shop.record(id)['lane'] as { stacked_on?: string }).stacked_on;
  expect(['one', 'two', 'three', 'four', 'five', 'apart'].map(on)).toEqual([
    undefined,
    'gza/one',
    'gza/two',
    undefined,
    'gza/four',
    undefined,
  ]);
  expect(shop.git('show', 'gza/three:shared.txt')).toBe('one\ntwo\nthree');
});

test('gza rebase puts a branch on its base at once, and leaves it alone where that cannot be', async () => {
  await using shop = openWorkshop({ tasks: `tasks:\n${task('low')}`, agents: own });
  await shop.work('low');
  expect(await shop.says('rebase low')).toBe('low: gza/low stands on main already\n');
  shop.commit('Elsewhere');
  expect(await shop.says('rebase low')).toBe('low: gza/low stands on main now\n');
  expect(shop.git('rev-parse', 'gza/low^')).toBe(shop.git('rev-parse', 'main'));
  shop.git('checkout', '-q', 'gza/low');
  expect(await shop.gza(['rebase', 'low'])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('gza/low is checked out in'),
  });
  shop.git('checkout', '-q', 'main');
  shop.write('low.txt', 'another\n');
  shop.git('add', 'low.txt');
  shop.commit('By hand', 'low.txt');
  const before = shop.git('rev-parse', 'gza/low');
  const { code, stderr } = await shop.gza(['rebase', 'low']);
  expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('conflicts in low.txt') });
  expect(shop.git('rev-parse', 'gza/low')).toBe(before);
});

test('a branch that was deleted: why and the refusal say how to go on, and a retry starts from what is there now', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('low')}${task('top', ', depends_on: low')}${task('late', ', depends_on: low')}`,
    agents: own,
  });
  await shop.work('low', 'top');
  const rows = await shop.json<{ id: string; stands_on: string[] }[]>('unmerged');
  expect(rows.map(({ id, stands_on }) => [id, ...stands_on])).toEqual([['low'], ['top', 'gza/low']]);
  expect(await shop.says('diff top --stat')).toMatch(/^ *top\.txt .*\n.*1 file changed/);
  expect(await shop.says('checkout low')).toBe('low: on gza/low\n');
  expect(shop.git('branch', '--show-current')).toBe('gza/low');
  shop.git('switch', '-q', '-');
  const old = shop.git('rev-parse', 'gza/low');
  shop.git('branch', '-q', '-D', 'gza/low', 'gza/top');
  shop.commit('Elsewhere');
  expect(await shop.says('why top')).toContain('its branch was deleted before it was merged');
  const anew = 'gza retry low --from-start';
  expect((await shop.work('late')).stdout).toContain(anew);
  expect(await shop.says('why low')).toContain(anew);

  expect(await shop.says('retry low --from-start')).toBe('low: will be tried again from the start\n');
  await shop.says('retry top --from-start');
  expect((await shop.work('--all')).code).toBe(0);
  expect(shop.git('merge-base', 'main', 'gza/low')).toBe(shop.git('rev-parse', 'main'));
  expect(shop.record('top')['lane']).toMatchObject({
    stacked_on: 'gza/low',
    fork_point: shop.git('rev-parse', 'gza/low'),
  });
  expect(shop.git('rev-parse', 'gza/low')).not.toBe(old);
  expect(await shop.says('fsck')).not.toMatch(/problem/i);
});

test('what a person put into gza’s own branch is neither moved over nor removed', async () => {
  await using shop = openWorkshop({ tasks: three, agents: own });
  expect((await shop.work('--all')).code).toBe(0);
  shop.git('switch', '-q', 'gza/on/top');
  shop.write('mine.txt', 'mine\n');
  shop.git('add', 'mine.txt');
  shop.commit('By hand', 'mine.txt');
  shop.git('switch', '-q', 'main');
  const mine = shop.git('rev-parse', 'gza/on/top');
  squash(shop, 'gza/low');
  const { stdout } = await shop.gza(['improve', 'top', 'say more']);
  expect(stdout).toContain('gza/on/top holds commits of a person, so gza does not move it');
  expect(shop.git('rev-parse', 'gza/on/top')).toBe(mine);
  squash(shop, 'gza/side');
  await shop.gza(['unblock', 'top']);
  await shop.gza(['improve', 'top', 'say more']);
  expect(shop.record('top')['lane']).not.toHaveProperty('joins');
  await shop.work('--all');
  expect(shop.git('rev-parse', 'gza/on/top')).toBe(mine);
});

test('a name that gza keeps for its own branches is no task’s, and a branch in the way of them is named', async () => {
  const kept = `${task('on')}${task('mine', ', branch: gza/on/top')}`;
  await using shop = openWorkshop({ tasks: three + kept, agents: own });
  for (const id of ['on', 'mine']) {
    const { stdout } = await shop.work(id);
    expect(stdout).toContain(`${id} cannot work on gza/on`);
  }
  shop.git('branch', 'gza/on');
  const { stdout } = await shop.work('low', 'side', 'top');
  expect(stdout).toContain('gza/on/top cannot be made, as there is a branch gza/on');
  shop.git('branch', '-m', 'gza/on', 'another');
  await shop.says('unblock top');
  expect((await shop.work('top')).stdout).toContain('✓ Task #top completed');
});

test('what follows a plan, near or far, is told where it is and what it says', async () => {
  const plan = '  - { id: p, type: plan, title: Plan it, prompt: Plan it. }\n';
  await using shop = openWorkshop({
    tasks: `tasks:\n${plan}${task('near', ', depends_on: p')}${task('far', ', depends_on: near')}`,
    agents: {
      x: 'case $GZA_STEP in plan) echo "# Plan"; echo "First the apples." ;; *) echo x > $GZA_TASK.txt; echo done ;; esac',
    },
  });
  expect((await shop.work('--all')).code).toBe(0);
  for (const id of ['near', 'far']) {
    const [prompt = ''] = shop.prompts(id, 'implement');
    expect(prompt).toContain('.gza/plans/p.md');
    expect(prompt).toContain('First the apples.');
  }
});
