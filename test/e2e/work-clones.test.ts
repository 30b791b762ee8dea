/** Where clones are, and that neither a commit nor an agent can make gza run, write or delete something there. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openWorkshop, type Workshop } from './workshop.ts';

/** Agents here kill who runs them, which must not be jest. */
process.env['GZA_TEST_PROCESSES'] = 'yes';

const tasks = 'tasks:\n  - { id: a, type: implement, title: Task a, prompt: Do it., max_attempts: 1 }\n';

/** A program that says that it was run, and what would make git run it on what lies in a work tree. */
function trap(shop: Workshop): { config: string; attributes: string; isSprung: () => boolean } {
  const sprung = join(shop.dir, 'sprung');
  const program = join(shop.dir, 'program');
  writeFileSync(program, `#!/bin/sh\ntouch '${sprung}'\ncat\n`, { mode: 0o755 });
  return {
    config: `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = ${program}\n[filter "f"]\n\tclean = ${program}\n\tsmudge = ${program}\n[diff "f"]\n\ttextconv = ${program}\n\tcommand = ${program}\n`,
    attributes: '* filter=f diff=f\n',
    isSprung: () => existsSync(sprung),
  };
}

test('clones lie outside of the repository, for this user alone, and what they hold is not run', async () => {
  await using shop = openWorkshop({
    tasks: `${tasks}  - { id: kept, type: implement, title: Kept, prompt: Do it., max_attempts: 1 }\n`,
  });
  const { config, attributes, isSprung } = trap(shop);
  writeFileSync(join(shop.dir, 'config'), config);
  writeFileSync(join(shop.dir, 'attributes'), attributes);
  shop.agent(
    'x',
    `pwd > "$D/where.$GZA_TASK"
cp "$D/config" .git/config; cp "$D/attributes" .gitattributes; rm .gitattributes
cat "$D/config" >> ../git/config; cp "$D/attributes" ../git/info/attributes
ln -sf "$D/config" ../git/config.worktree
[ $GZA_TASK = kept ] && echo 'tasks: []' > tasks/all.yml
echo mine > mine.txt; echo done`,
  );
  shop.write(
    'gza.yaml',
    `defaults: { agents: [x] }\nagents: { x: { command: ["${shop.dir}/bin/agent-x"], prompt_via: stdin } }\n`,
  );
  shop.commit('Agent', 'gza.yaml');
  expect((await shop.work('--all')).stdout).toContain('✓ Task #a completed');
  expect(shop.git('show', 'gza/a:mine.txt')).toBe('mine');
  const tree = readFileSync(join(shop.dir, 'where.a'), 'utf8').trim();
  expect(tree.startsWith(`${shop.repo}/`)).toBe(false);
  expect(tree).toMatch(/\/home\/\.local\/state\/gza\/repo-[0-9a-f]{12}\/clones\/a\.implement\.[^/.]+\/tree$/);
  expect(statSync(shop.state()).mode & 0o777).toBe(0o700);
  expect(shop.git('status', '--porcelain')).toBe('');
  expect(readdirSync(shop.repo).sort()).toEqual(['.git', 'gza.yaml', 'seed.txt', 'tasks']);
  expect(await shop.says('kept')).toContain('kept: implement left 2 files in ');
  expect(await shop.says('kept kept --patch')).toContain('+++ b/tasks/all.yml');
  await shop.work('--all');
  expect(isSprung()).toBe(false);
  await shop.says('kept kept --discard');
  expect(readdirSync(shop.state('clones'))).toEqual([]);
});

const behind = (shop: Workshop) => execFileSync('find', [join(shop.dir, 'behind')], { encoding: 'utf8' });

test.each([
  [
    '.gza is a link',
    '.gza is a symbolic link',
    (shop: Workshop) => symlinkSync(join(shop.dir, 'behind'), join(shop.repo, '.gza')),
  ],
  [
    '.gza/reviews is a link',
    '.gza/reviews is a symbolic link',
    (shop: Workshop) => {
      mkdirSync(join(shop.repo, '.gza'));
      symlinkSync(join(shop.dir, 'behind'), join(shop.repo, '.gza/reviews'));
    },
  ],
  [
    'a plan is committed',
    'has committed .gza/plans',
    (shop: Workshop) => {
      shop.write('.gza/plans/a.md', 'Mine.\n');
      shop.commit('A plan', '.gza/plans/a.md');
    },
  ],
  [
    'a review is in the index',
    'has committed .gza/reviews',
    (shop: Workshop) => {
      shop.write('.gza/reviews/a.md', 'Mine.\n');
      shop.git('add', '.gza/reviews/a.md');
    },
  ],
])('where %s, gza refuses to write', async (_what, words, arrange) => {
  await using shop = openWorkshop({ tasks, agents: { x: 'echo mine > mine.txt; echo done' } });
  for (const name of ['work/x.implement.1', 'plans'])
    mkdirSync(join(shop.dir, 'behind', name), { recursive: true });
  arrange(shop);
  const before = [behind(shop), shop.git('status', '--porcelain')];
  const ran = await shop.work('--all');
  expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(words)]);
  await shop.gza(['kept']);
  expect([behind(shop), shop.git('status', '--porcelain')]).toEqual(before);
  expect(shop.runs()).toEqual([]);
});

test('a sweep leaves alone what has no record of this repository', async () => {
  await using shop = openWorkshop({ tasks, agents: { x: 'kill -9 $PPID; sleep 5' } });
  await shop.work('--all');
  const [name = ''] = readdirSync(shop.state('clones'));
  const folder = (one: string) => shop.state('clones', one);
  expect(name).toMatch(/^a\.implement\./);
  // Copies of a clone whose process is dead, each with one thing wrong.
  for (const [other, change] of [
    ['none', ''],
    ['named', readFileSync(join(folder(name), 'record.json'), 'utf8')],
    ['elsewhere', JSON.stringify({ ...record(folder(name)), name: 'elsewhere', repository: '/elsewhere' })],
  ] as const) {
    mkdirSync(join(folder(other), 'tree'), { recursive: true });
    writeFileSync(join(folder(other), 'tree/precious.txt'), 'precious\n');
    if (change !== '') writeFileSync(join(folder(other), 'record.json'), change);
  }
  const away = join(shop.dir, 'away');
  renameSync(folder(name), away);
  writeFileSync(join(away, 'record.json'), JSON.stringify({ ...record(away), name: 'link' }));
  symlinkSync(away, folder('link'));
  shop.agent('x', 'echo mine > mine.txt; echo done');
  await shop.work('--all');
  expect(readdirSync(shop.state('clones')).sort()).toEqual(['elsewhere', 'link', 'named', 'none']);
  for (const other of ['elsewhere', 'named', 'none'])
    expect(existsSync(join(folder(other), 'tree/precious.txt'))).toBe(true);
  expect(existsSync(join(away, 'tree/seed.txt'))).toBe(true);
});

function record(dir: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(dir, 'record.json'), 'utf8')) as Record<string, unknown>;
}

test.each([
  [
    'a folder that others can write to',
    (shop: Workshop) => execFileSync('chmod', ['777', shop.state()]),
    /others can write/,
  ],
  [
    'a folder in one that others can write to',
    (shop: Workshop) => execFileSync('chmod', ['777', dirname(shop.state())]),
    /others can write/,
  ],
  [
    'a folder inside of the repository',
    (shop: Workshop) => Object.assign(shop.env, { XDG_STATE_HOME: join(shop.repo, 'state') }),
    /inside of this repository[\s\S]*XDG_STATE_HOME/,
  ],
])('%s is refused as the place of clones', async (_what, arrange, words) => {
  await using shop = openWorkshop({ tasks, agents: { x: 'echo mine > mine.txt; echo done' } });
  await shop.says('kept');
  arrange(shop);
  expect(await shop.work('--all')).toMatchObject({ code: 2, stderr: expect.stringMatching(words) });
  expect(shop.runs()).toEqual([]);
});

test('neither an agent nor code under test can open the debugger of gza', async () => {
  await using shop = openWorkshop({
    tasks,
    config: "defaults: { agents: [x], baseline: skip }\nverify: 'kill -USR1 $PPID; sleep 1; exit 1'\n",
    agents: { x: 'kill -USR1 $PPID; sleep 1; echo mine > mine.txt; echo done' },
  });
  const ran = await shop.work('--all');
  expect([ran.code, ran.stderr]).toEqual([1, expect.not.stringMatching(/debugger|inspector/i)]);
  expect(ran.stdout).toContain('✗ Task #a failed');
});
