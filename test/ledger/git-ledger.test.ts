import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import {
  add,
  cleanUp,
  commit,
  git,
  ids,
  ledgerOf,
  note,
  replaceTree,
  repository,
  task,
  write,
} from './fixture.ts';

afterEach(cleanUp);

test('a task that was filed can be read back whole, in a row, and from another process', async () => {
  const dir = repository();
  const ledger = await ledgerOf(dir);
  const record = task('task-a3f8', { depends_on: ['task-b4c9'], notes: ['one'], priority: 'high' });
  const written = await write(ledger, 'main', { kind: 'add', at: record.created_at, task: record });
  expect(written.kind).toBe('written');
  const other = await (await ledgerOf(dir)).view();
  expect(await other.task('task-a3f8')).toEqual({ branch: 'main', record });
  const slim = { ...record, content: '' };
  delete slim.notes;
  expect(await other.rows()).toEqual([{ branch: 'main', record: slim }]);
  expect(git(dir, 'log', '--format=%s', 'refs/tasks/main')).toBe('File task-a3f8: Title of task-a3f8');
  expect(git(dir, 'fsck', '--strict')).toBe('');
  expect(git(dir, 'status', '--porcelain')).toBe('');
});

test('rows come from the cache without asking git for a blob, and follow a change of one shard', async () => {
  const dir = repository();
  const ledger = await ledgerOf(dir);
  await write(ledger, 'main', ...Array.from({ length: 200 }, (_, n) => add(`task-${n}`)));
  expect(await ids(ledger)).toHaveLength(200);
  const second = await ledgerOf(dir);
  const asked: string[] = [];
  const reader = { ...second.store.reader };
  second.store.reader.read = (name) => {
    asked.push(name);
    return reader.read(name);
  };
  expect(await ids(second)).toHaveLength(200);
  expect(asked).toEqual([]);
  await write(ledger, 'main', add('task-new'));
  expect(await ids(second)).toContain('task-new');
  expect(asked).toHaveLength(5);
});

test('a refused event refuses the whole plan', async () => {
  const ledger = await ledgerOf(repository());
  await write(ledger, 'main', add('task-1'));
  const refused = await write(ledger, 'main', add('task-2'), add('task-1'));
  expect(refused).toMatchObject({ kind: 'refused', why: 'exists' });
  expect(await ids(ledger)).toEqual(['task-1']);
});

test('a lane ledger keeps one file, moves with the base in one transaction, and its record counts', async () => {
  const dir = repository();
  const ledger = await ledgerOf(dir);
  await write(ledger, 'main', add('task-1'), add('task-2'));
  const lane = { id: 'lane1', branch: 'gza/task-1' };
  const at = '2026-01-02T03:04:05Z';
  await ledger.write(async () => ({
    changes: [
      { branch: 'main', events: [{ kind: 'enter-lane', at, id: 'task-1', lane }] },
      {
        branch: 'gza/task-1',
        events: [{ kind: 'open-lane', at, lane, tasks: [task('task-1')] }, note('task-1', 'in the lane')],
        artifacts: [{ path: 'plans/task-1.md', text: '# Plan\n' }],
      },
    ],
  }));
  const view = await ledger.view();
  expect(view.branches).toEqual(['main', 'gza/task-1']);
  expect(await view.task('task-1')).toMatchObject({
    branch: 'gza/task-1',
    record: { notes: ['in the lane'] },
  });
  const rows = await view.rows();
  expect(new Map(rows.map((row) => [row.record.id, row.branch]))).toEqual(
    new Map([
      ['task-1', 'gza/task-1'],
      ['task-2', 'main'],
    ]),
  );
  expect(await view.artifact('gza/task-1', 'plans/task-1.md')).toBe('# Plan\n');
  expect((await view.state('gza/task-1')).artifacts.has('plans/task-1.md')).toBe(true);
  expect(git(dir, 'ls-tree', '--name-only', 'refs/tasks/gza/task-1').split('\n')).toEqual([
    'ledger.json',
    'plans',
    'tasks.jsonl',
  ]);
});

test('a plan is asked again when another writer was faster, and nothing is lost', async () => {
  const dir = repository();
  const [a, b] = [await ledgerOf(dir), await ledgerOf(dir)];
  await write(a, 'main', add('task-0'));
  let asked = 0;
  await a.write(async () => {
    asked++;
    if (asked === 1) await write(b, 'main', add('task-b'));
    return { changes: [{ branch: 'main', events: [add('task-a')] }] };
  });
  expect(asked).toBe(2);
  expect(await ids(a)).toEqual(['task-0', 'task-a', 'task-b']);
});

test('a ledger in the way of another is named while its branch is there, and comes home when that is gone', async () => {
  const dir = repository();
  const ledger = await ledgerOf(dir);
  commit(dir);
  git(dir, 'branch', 'a');
  await write(ledger, 'main', add('task-0'));
  await write(ledger, 'a', add('task-1'));
  await expect(write(ledger, 'a/b', add('task-2'))).rejects.toMatchObject({
    code: 'blocked',
    message: 'refs/tasks/a is in the way of refs/tasks/a/b: git keeps only one of them',
    hint: expect.stringContaining('gza fsck --clean'),
  });
  git(dir, 'branch', '-D', 'a');
  expect((await write(ledger, 'a/b', add('task-2'))).kind).toBe('written');
  expect(git(dir, 'for-each-ref', '--format=%(refname)', 'refs/tasks')).toBe(
    'refs/tasks/a/b\nrefs/tasks/main',
  );
  expect(await ids(ledger)).toEqual(['task-0', 'task-1', 'task-2']);
});

test('state_ref moves the ledgers elsewhere', async () => {
  const dir = repository();
  const ledger = await ledgerOf(dir, { stateRef: 'refs/heads/gza-state' });
  await write(ledger, 'main', add('task-1'));
  expect(git(dir, 'for-each-ref', '--format=%(refname)')).toBe(
    'refs/gza/local/main\nrefs/heads/gza-state/main',
  );
});

test('lines of a shard that cannot be read are reported, skipped, and outlive a write', async () => {
  const dir = repository();
  const ledger = await ledgerOf(dir);
  await write(ledger, 'lane', add('task-1'));
  const lines = git(dir, 'show', 'refs/tasks/lane:tasks.jsonl');
  const bad = `${lines.replace('"type"', '"newer":1,"type"')}\nnot json\n{"id":"task-2","type":"evil"}\n`;
  const meta = git(dir, 'show', 'refs/tasks/lane:ledger.json');
  replaceTree(dir, 'refs/tasks/lane', { 'ledger.json': meta, 'tasks.jsonl': bad });
  const view = await ledger.view();
  expect((await view.rows()).map((row) => row.record.id)).toEqual(['task-1']);
  expect(view.problems.map((problem) => problem.detail)).toEqual([
    'tasks.jsonl: line 1 (task-1): unknown fields were dropped: "newer"',
    'tasks.jsonl: line 2: the line is not JSON',
    'tasks.jsonl: line 3 (task-2): type is not valid: "evil"',
  ]);
  await write(ledger, 'lane', add('task-0'));
  const text = git(dir, 'show', 'refs/tasks/lane:tasks.jsonl').split('\n');
  expect(text.map((line) => line.slice(0, 15))).toEqual([
    '{"id":"task-0",',
    '{"id":"task-1",',
    '{"id":"task-2",',
    'not json',
  ]);
  expect(text[1]).toContain('"newer":1');
});

test.each([
  ['a blob', (dir: string) => git(dir, 'hash-object', '-w', 'f')],
  ['a commit of code', (dir: string) => git(dir, 'rev-parse', 'HEAD')],
])('a ledger ref that points to %s is a problem of that ledger alone', async (_what, target) => {
  const dir = repository();
  commit(dir);
  writeFileSync(join(dir, 'f'), 'x');
  const ledger = await ledgerOf(dir);
  await write(ledger, 'main', add('task-1'));
  git(dir, 'update-ref', 'refs/tasks/lane', target(dir));
  const view = await ledger.view();
  expect((await view.rows()).map((row) => row.record.id)).toEqual(['task-1']);
  expect(view.problems).toHaveLength(1);
  await expect(write(ledger, 'lane', add('task-2'))).rejects.toMatchObject({ code: 'world' });
  expect((await write(ledger, 'main', add('task-2'))).kind).toBe('written');
});

test('a symbolic ref in the place of a ledger does not lead a write to a branch of code', async () => {
  const dir = repository();
  commit(dir);
  const ledger = await ledgerOf(dir);
  await write(ledger, 'main', add('task-1'));
  const code = git(dir, 'rev-parse', 'refs/heads/main');
  git(dir, 'update-ref', 'refs/heads/other', git(dir, 'rev-parse', 'refs/tasks/main'));
  const other = git(dir, 'rev-parse', 'refs/heads/other');
  git(dir, 'symbolic-ref', 'refs/tasks/main', 'refs/heads/other');
  await write(ledger, 'main', add('task-2'));
  expect(await ids(ledger)).toEqual(['task-1', 'task-2']);
  expect([git(dir, 'rev-parse', 'refs/heads/main'), git(dir, 'rev-parse', 'refs/heads/other')]).toEqual([
    code,
    other,
  ]);
});

test('a stale lock is removed, a fresh one is waited for', async () => {
  const dir = repository();
  const ledger = await ledgerOf(dir);
  await write(ledger, 'main', add('task-1'));
  const old = new Date(Date.now() - 60_000);
  for (const name of ['refs/tasks/main.lock', 'packed-refs.lock']) {
    writeFileSync(join(dir, '.git', name), '');
    utimesSync(join(dir, '.git', name), old, old);
  }
  await write(ledger, 'main', add('task-2'));
  expect(await ids(ledger)).toEqual(['task-1', 'task-2']);
  const lock = join(dir, '.git/refs/tasks/main.lock');
  writeFileSync(lock, '');
  const busy = await ledgerOf(dir, { writeMs: 100 });
  await expect(write(busy, 'main', add('task-3'))).rejects.toMatchObject({
    code: 'world',
    data: { last: 'busy' },
  });
  setTimeout(() => rmSync(lock), 100);
  expect((await write(ledger, 'main', add('task-3'))).kind).toBe('written');
});

test('ten thousand events go through one write', async () => {
  const ledger = await ledgerOf(repository());
  await write(ledger, 'main', ...Array.from({ length: 10_000 }, (_, n) => add(`task-${n}`)));
  expect(await (await ledger.view()).size('main')).toBeGreaterThan(5_000);
  expect(await ids(ledger)).toHaveLength(10_000);
});
