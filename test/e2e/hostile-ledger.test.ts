/** What damage and other people's pushes do to ledgers: tasks that were there are never "no tasks". */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openSandbox, type Sandbox } from './cli.ts';

const refs = ['refs/tasks/main', 'refs/gza/local/main'];

function dropRefs(box: Sandbox): void {
  for (const ref of refs) box.git('update-ref', '-d', ref);
}

const losses: [name: string, lose: (box: Sandbox) => void][] = [
  ['both refs deleted', dropRefs],
  [
    'an emptied packed-refs file',
    (box) => {
      box.git('pack-refs', '--all');
      truncateSync(join(box.repo, '.git/packed-refs'), 0);
    },
  ],
];

test.each(losses)('a lost ledger (%s) is missed, and comes back or is given up as told', async (_, lose) => {
  await using box = openSandbox();
  const id = await box.add('First');
  lose(box);
  for (const verb of ['list', 'ready', 'status']) {
    const ran = await box.gza([verb]);
    expect([verb, ran.code, ran.stdout]).toEqual([verb, 1, '']);
    expect(ran.stderr).toMatch(
      /the ledger of main: refs\/tasks\/main is missing; it was last seen at 20\S+Z/,
    );
  }
  const refused = await box.gza(['add', 'Second']);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('the ledger of main is lost')]);
  const fsck = await box.gza(['fsck']);
  expect(fsck.code).toBe(1);
  const [, back, up] =
    /`(gza fsck --repair)` brings it back, `(gza fsck --forget main)`/.exec(fsck.stdout) ?? [];
  expect(await box.says((back ?? '').replace('gza ', ''))).toContain('repaired: main');
  expect(await box.says('list')).toContain(id);
  expect(await box.says('fsck')).toMatch(/all good\n$/);
  lose(box);
  expect(await box.says((up ?? '').replace('gza ', ''))).toContain('the ledger of main is given up');
  expect(await box.says('list')).toContain('No tasks yet');
});

test('a lost ledger is joined with what a remote has, and nothing that was not sent is missing', async () => {
  await using box = openSandbox();
  const remote = join(box.dir, 'remote.git');
  box.git('init', '-q', '--bare', remote);
  box.git('remote', 'add', 'origin', remote);
  await box.add('First');
  await box.says('sync');
  await box.add('Not sent');
  dropRefs(box);
  await box.says('sync');
  expect(await box.says('list')).toMatch(/First(.|\n)*Not sent|Not sent(.|\n)*First/);
});

test('a lost ledger whose commit is gone as well comes back from a clone, by the command that is told', async () => {
  await using box = openSandbox();
  const remote = join(box.dir, 'remote.git');
  box.git('init', '-q', '--bare', remote);
  await box.add('First');
  box.git('push', '-q', remote, 'refs/tasks/*:refs/tasks/*');
  dropRefs(box);
  rmSync(join(box.repo, '.git/gza/cache'), { recursive: true });
  box.git('gc', '-q', '--prune=now');
  const { code, stderr } = await box.gza(['list']);
  const [, told = ''] = /`git (fetch <remote> \S+)` brings it back/.exec(stderr) ?? [];
  expect([code, told]).toEqual([1, 'fetch <remote> refs/tasks/main:refs/tasks/main']);
  box.git(...told.replace('<remote>', remote).split(' '));
  expect(await box.says('list')).toContain('First');
});

test('what ended is not missed, and the memory of tips stays small and survives what a crash leaves', async () => {
  await using box = openSandbox();
  const tips = join(box.repo, '.git/gza/tips');
  await box.add('First');
  box.git('checkout', '-q', '-b', 'feature');
  await box.add('Of a lane');
  box.git('checkout', '-q', 'main');
  box.git('branch', '-q', '-D', 'feature');
  await box.says('fsck --clean');
  appendFileSync(tips, '2026-01-02T03:04:05.678Z 0123456789012345678901234567890123456789 tor');
  expect((await box.gza(['ready'])).stderr).toBe('');
  await box.add('Second');
  const oid = box.git('rev-parse', 'refs/tasks/main');
  const line = `2026-01-02T03:04:05.678Z ${oid} main .\n`;
  writeFileSync(tips, line.repeat(400));
  await Promise.all([box.add('Third'), box.add('Fourth'), box.add('Fifth')]);
  expect(readFileSync(tips, 'utf8').length).toBeLessThan(3_000);
  const last = box.git('rev-parse', 'refs/tasks/main');
  expect(readFileSync(tips, 'utf8')).toContain(last);
  dropRefs(box);
  rmSync(join(box.repo, '.git/gza/cache'), { recursive: true, force: true });
  expect((await box.gza(['list'])).stderr).toContain(last.slice(0, 12));
  expect(existsSync(tips)).toBe(true);
});

interface Hands {
  /** Files of a tree → its id. */
  readonly tree: (entries: readonly string[]) => string;
  readonly blob: (text: string) => string;
  /** Entries of a tree that is there. */
  readonly entries: (name: string) => string[];
}

const notes = (id: string) =>
  `A note\n\n${JSON.stringify({ nonce: 'n', events: [{ kind: 'note', at: '2026-01-02T03:04:05Z', id, text: 'hi' }] })}`;

const pushes: [name: string, tree: (hands: Hands) => string, message: (id: string) => string][] = [
  ['an empty tree', ({ tree }) => tree([]), () => 'Clean up'],
  ['an empty tree, with an event', ({ tree }) => tree([]), notes],
  [
    'a tree without the tasks',
    ({ tree, entries }) => tree(entries('refs/tasks/main').filter((one) => !one.endsWith('\ttasks'))),
    notes,
  ],
  [
    'emptied shards',
    ({ tree, blob, entries }) => {
      const shards = entries('refs/tasks/main:tasks').map((one) =>
        one.replace(/ \w{40}\t/, ` ${blob('')}\t`),
      );
      const others = entries('refs/tasks/main').filter((one) => !one.endsWith('\ttasks'));
      return tree([...others, `040000 tree ${tree(shards)}\ttasks`]);
    },
    () => 'x',
  ],
];

/** A remote on which somebody pushes a commit made by hand, and the clone that made it. */
async function pushedByHand(
  box: Sandbox,
  id: string,
  [, tree, message]: (typeof pushes)[number],
): Promise<void> {
  const feed = (input: string, ...args: string[]) =>
    execFileSync('git', args, { cwd: box.repo, env: box.env, input, encoding: 'utf8' }).trim();
  const made = tree({
    tree: (rows) => feed(rows.map((row) => `${row}\n`).join(''), 'mktree'),
    blob: (text) => feed(text, 'hash-object', '-w', '--stdin'),
    entries: (name) => box.git('ls-tree', name).split('\n'),
  });
  const commit = feed(message(id), 'commit-tree', '-p', 'refs/tasks/main', made);
  box.git('push', '-q', 'origin', `${commit}:refs/tasks/main`);
}

test.each(pushes)('%s that somebody pushed takes no task away', async (...hand) => {
  await using box = openSandbox();
  const remote = join(box.dir, 'remote.git');
  box.git('init', '-q', '--bare', '-b', 'main', remote);
  box.git('remote', 'add', 'origin', remote);
  box.git('push', '-q', 'origin', 'main');
  const id = await box.add('First');
  await box.add('Second');
  await box.says('sync');
  const clone = (name: string) => {
    box.git('clone', '-q', remote, join(box.dir, name));
    return { cwd: join(box.dir, name) };
  };
  const [old, plain] = [clone('old'), clone('plain')];
  await box.says('sync', old);
  await box.says('sync', plain);
  await pushedByHand(box, id, hand);
  const hasAll = async (where: { cwd: string }, told: { stdout: string; stderr: string }) => {
    expect(told.stdout + told.stderr).toMatch(/main: somebody wrote it by hand \(.*\)/);
    expect(await box.says('list', where)).toMatch(/First[^]*Second/);
    expect(await box.says('fsck', where)).toMatch(/all good\n$/);
    const note = hand[2](id).includes('nonce') ? ['hi'] : [];
    expect((await box.json<{ notes: string[] }>(`show ${id}`, where)).notes ?? []).toEqual(note);
  };
  // A person's own fetch, which git does without asking gza.
  execFileSync('git', ['fetch', '-q', 'origin', '+refs/tasks/*:refs/tasks/*'], { ...plain, env: box.env });
  await hasAll(plain, await box.gza(['list'], plain));
  const fresh = clone('fresh');
  await hasAll(fresh, await box.gza(['sync', '--no-push'], fresh));
  await hasAll(old, await box.gza(['sync'], old));
  // It is mended for everybody.
  expect(await box.says('sync', { cwd: box.repo })).not.toContain('by hand');
  expect(await box.says('fsck')).toMatch(/all good\n$/);
});

test('a ledger begun anew on the remote, or replaced by something else, takes no task away', async () => {
  await using box = openSandbox();
  const remote = join(box.dir, 'remote.git');
  box.git('init', '-q', '--bare', '-b', 'main', remote);
  box.git('remote', 'add', 'origin', remote);
  await box.add('First');
  await box.says('sync');
  box.git('push', '-q', 'origin', '+HEAD:refs/tasks/main');
  await box.gza(['sync']);
  expect(await box.says('list')).toContain('First');
  box.git('push', '-q', 'origin', '+HEAD:refs/tasks/main', 'main');
  const fresh = { cwd: join(box.dir, 'fresh') };
  box.git('clone', '-q', remote, fresh.cwd);
  await box.gza(['sync', '--no-push'], fresh);
  const list = await box.gza(['list'], fresh);
  expect([list.code, list.stderr]).toEqual([1, expect.stringContaining('no ledger.json')]);
  const told = await box.gza(['sync']);
  const [, push = ''] = /`git (push <remote> \S+)` puts what is here/.exec(told.stdout + told.stderr) ?? [];
  box.git(...push.replace('<remote>', 'origin').split(' '));
  await box.says('sync', fresh);
  expect(await box.says('list', fresh)).toContain('First');
  const other = join(box.dir, 'other');
  box.git('init', '-q', '-b', 'main', other);
  await box.says(['add', 'Other'], { cwd: other });
  execFileSync('git', ['push', '-q', remote, '+refs/tasks/main:refs/tasks/main'], {
    cwd: other,
    env: box.env,
  });
  await box.says('sync');
  expect(await box.says('list')).toMatch(/First[^]*Other|Other[^]*First/);
});

test('what a ledger names is checked like what people type: a bad record harms itself, and is named', async () => {
  await using box = openSandbox();
  await box.add('Kept');
  const at = '2026-01-02T03:04:05Z';
  const task = { type: 'task', title: 'Hostile', content: 'x', created_at: at };
  const records = [
    { id: '../../evil', ...task },
    { id: 'good', ...task, title: 'Good' },
    { id: 'x', ...task, lane: { id: 'l', branch: '../../up' } },
    { id: 'planned', ...task, title: 'Planned', plan_file: '../secret' },
  ];
  writeFileSync(join(box.dir, 'secret'), '- [ ] secret');
  const feed = (input: string, ...args: string[]) =>
    execFileSync('git', args, { cwd: box.repo, env: box.env, input, encoding: 'utf8' }).trim();
  const blob = (text: string) => feed(text, 'hash-object', '-w', '--stdin');
  const meta = { v: 1, branch: 'feature', lane: 'l1' };
  const events = [{ kind: 'artifact', at, path: '../../evil', blob: blob('evil') }];
  const tree = [
    `100644 blob ${blob(JSON.stringify(meta))}\tledger.json\n`,
    `100644 blob ${blob(records.map((one) => `${JSON.stringify(one)}\n`).join(''))}\ttasks.jsonl\n`,
  ].join('');
  const message = `x\n\n${JSON.stringify({ nonce: 'n', opens: { branch: 'feature', lane: 'l1' }, events })}`;
  box.git('update-ref', 'refs/tasks/feature', feed(message, 'commit-tree', feed(tree, 'mktree')));
  const { code, stdout, stderr } = await box.gza(['list']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/Good[^]*Planned[^]*Kept/)]);
  expect(stdout).not.toContain('Hostile');
  expect(stderr).toContain('ledger of feature: tasks.jsonl: line 1: id is not valid: "../../evil"');
  expect(stderr).toContain('ledger of feature: tasks.jsonl: line 3 (x): lane is not valid');
  expect((await box.gza(['breakdown', 'planned'])).stderr).toContain('planned has no plan yet');
  // Repaired, the tree is what the events say, and nothing of it lies outside.
  const fsck = await box.says('fsck --repair');
  expect(fsck).toContain('repaired: feature');
  expect(box.git('ls-tree', '-r', '--name-only', 'refs/tasks/feature')).toBe('ledger.json');
  expect(await box.says('fsck')).toMatch(/all good\n$/);
  expect(existsSync(join(box.dir, 'evil'))).toBe(false);
});
