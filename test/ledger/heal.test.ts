/** What people do with plain git to refs/tasks. */
import { afterEach, expect, test } from '@jest/globals';
import { foldPlan } from '../../src/ledger/fold.ts';
import { fsckLedgers } from '../../src/ledger/fsck.ts';
import type { GitLedger } from '../../src/ledger/git-ledger.ts';
import { syncLedgers } from '../../src/ledger/sync/sync.ts';
import { add, at, cleanUp, folder, git, ids, ledgerOf, note, repository, task, write } from './fixture.ts';

afterEach(cleanUp);

const both = { remote: 'origin', push: true, tell: () => {} };
const force = '+refs/tasks/*:refs/tasks/*';

/** Two clones that both hold task-1, the first with something that was not synced. */
async function twoClones(): Promise<[string, GitLedger, string, GitLedger]> {
  const remote = repository('--bare');
  const dirs = [folder(), folder()];
  for (const dir of dirs) git(dir, 'clone', '-q', remote, '.');
  const [a, b] = dirs as [string, string];
  const [ours, theirs] = [await ledgerOf(a, { base: 'main' }), await ledgerOf(b, { base: 'main' })];
  await write(ours, 'main', add('task-1'));
  await syncLedgers(ours, both);
  await syncLedgers(theirs, both);
  await write(ours, 'main', note('task-1', 'not synced'));
  return [a, ours, b, theirs];
}

async function notesOf(ledger: GitLedger): Promise<readonly string[] | undefined> {
  return (await (await ledger.view()).task('task-1'))?.record.notes;
}

test('a forced fetch of an older state takes nothing away', async () => {
  const [dir, ledger] = await twoClones();
  git(dir, 'fetch', '-q', 'origin', force);
  expect(await notesOf(ledger)).toEqual(['not synced']);
  expect(git(dir, 'rev-parse', 'refs/tasks/main')).toBe(git(dir, 'rev-parse', 'refs/gza/local/main'));
});

test('a forced fetch of what others did meanwhile keeps both, with a backup', async () => {
  const [dir, ledger, , other] = await twoClones();
  await write(other, 'main', note('task-1', 'theirs'));
  await syncLedgers(other, both);
  const before = git(dir, 'rev-parse', 'refs/tasks/main');
  git(dir, 'fetch', '-q', 'origin', force);
  expect(await notesOf(ledger)).toEqual(['theirs', 'not synced']);
  expect(git(dir, 'for-each-ref', '--format=%(objectname)', 'refs/gza/backup')).toBe(before);
  expect((await fsckLedgers(ledger)).findings).toEqual([]);
  expect((await write(ledger, 'main', add('task-2'))).kind).toBe('written');
});

test('a pruning fetch brings back the ledgers that only this clone has', async () => {
  const [dir, ledger] = await twoClones();
  await write(ledger, 'lane', add('task-2'));
  git(dir, 'fetch', '-q', '--prune', 'origin', force);
  expect(await ids(ledger)).toEqual(['task-1', 'task-2']);
  expect(git(dir, 'for-each-ref', '--format=%(refname)', 'refs/tasks')).toBe(
    'refs/tasks/lane\nrefs/tasks/main',
  );
});

test('a plain push and fetch of what is newer is taken over', async () => {
  const [dir, , otherDir, other] = await twoClones();
  git(dir, 'push', '-q', 'origin', 'refs/tasks/*:refs/tasks/*');
  git(otherDir, 'fetch', '-q', 'origin', 'refs/tasks/*:refs/tasks/*');
  expect(await notesOf(other)).toEqual(['not synced']);
  expect(git(otherDir, 'rev-parse', 'refs/gza/local/main')).toBe(
    git(otherDir, 'rev-parse', 'refs/tasks/main'),
  );
});

test('a folded lane that comes back is ignored, and goes with the next write', async () => {
  const [dir, ledger] = await twoClones();
  const lane = { id: 'lane-1', branch: 'gza/task-1' };
  const done = task('task-1', { closed_at: at, closed_as: 'done' });
  await write(ledger, 'main', { kind: 'enter-lane', at, id: 'task-1', lane });
  await write(ledger, 'gza/task-1', { kind: 'open-lane', at, lane, tasks: [done] });
  const tip = git(dir, 'rev-parse', 'refs/tasks/gza/task-1');
  await ledger.write((view) => foldPlan(view, { branch: 'gza/task-1', how: 'merged', at }));
  git(dir, 'update-ref', 'refs/tasks/gza/task-1', tip);
  const view = await ledger.view();
  expect(view.branches).toEqual(['main']);
  expect((await view.task('task-1'))?.record.closed_as).toBe('done');
  await write(ledger, 'main', add('task-2'));
  expect(git(dir, 'for-each-ref', '--format=%(refname)', 'refs/tasks', 'refs/gza/local')).toBe(
    'refs/gza/local/main\nrefs/tasks/main',
  );
  // History of the lane is reachable from the base.
  expect(git(dir, 'merge-base', '--is-ancestor', tip, 'refs/tasks/main')).toBe('');
});

test("a person's deletion of the base ledger does not forget which lanes were folded", async () => {
  const [dir, ledger] = await twoClones();
  await write(ledger, 'lane', add('task-9'));
  const tip = git(dir, 'rev-parse', 'refs/tasks/lane');
  await ledger.write((view) => foldPlan(view, { branch: 'lane', how: 'ended', at }));
  git(dir, 'update-ref', '-d', 'refs/tasks/main');
  git(dir, 'update-ref', 'refs/tasks/lane', tip);
  expect((await ledger.view()).branches).toEqual(['main']);
  expect(await ids(ledger)).toEqual(['task-1', 'task-9']);
});
