import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { processPorts } from '../../src/cli/main.ts';
import type { Event } from '../../src/core/ledger/event.ts';
import { type LoggingContext, pushState, receive, rememberRefs } from '../../src/github/pick/push-state.ts';
import type { GitLedger } from '../../src/ledger/git-ledger.ts';
import { syncLedgers } from '../../src/ledger/sync/sync.ts';
import { add, at, cleanUp, commit, folder, git, ledgerOf, repository, write } from '../ledger/fixture.ts';

afterEach(cleanUp);

const retry: Event = { kind: 'retry', at, by: 'walter', id: 'task-1' };
const close: Event = { kind: 'close', at, id: 'task-1', as: 'done' };
const lost =
  'not kept: Retry task-1, by walter at 2026-01-02T03:04:05Z (task-1 is closed (done); reopen it first)' +
  '. gza reopen task-1, then gza retry task-1; it stays in `git log refs/tasks/main`';

/** A job with a retry to share, and a remote on which the task was closed meanwhile. */
async function openJob() {
  const origin = repository('--bare');
  const [laptop, job] = await Promise.all([cloneOf(origin), cloneOf(origin)]);
  const sync = ({ ledger }: { ledger: GitLedger }) =>
    syncLedgers(ledger, { remote: 'origin', push: true, tell: () => {} });
  await write(laptop.ledger, 'main', add('task-1'));
  await sync(laptop);
  await sync(job);
  await write(laptop.ledger, 'main', close);
  await sync(laptop);
  const warned: string[] = [];
  const summaries: string[] = [];
  const ci: LoggingContext = {
    ports: processPorts(),
    warn: (line) => void warned.push(line),
    summary: (text) => void summaries.push(text),
  };
  return { ...job, origin, ci, warned, summaries };
}

async function cloneOf(origin: string) {
  const dir = folder();
  git(dir, 'clone', '-q', origin, '.');
  return { dir, ledger: await ledgerOf(dir, { base: 'main' }) };
}

test('a job that fetches says what this machine still had to tell, and no longer can', async () => {
  const { ci, ledger, warned, summaries } = await openJob();
  await write(ledger, 'main', retry);
  await receive(ci, ledger);
  await receive(ci, ledger);
  expect(warned).toEqual([lost]);
  expect(summaries).toEqual([
    expect.stringContaining('### Not kept when ledgers were joined\n\n- **not kept'),
  ]);
});

test('what is undone for a branch that the host refuses is not said, and what holds in the end is said once', async () => {
  const { ci, ledger, dir, origin, warned } = await openJob();
  const hook = '#!/bin/sh\ncase "$1" in refs/heads/gza/*) echo no >&2; exit 1 ;; esac\n';
  writeFileSync(join(origin, 'hooks', 'update'), hook, { mode: 0o755 });
  commit(dir);
  const branch = { ref: 'refs/heads/gza/x', to: git(dir, 'rev-parse', 'HEAD'), from: null };
  const goBack = await rememberRefs(ledger);
  await write(ledger, 'main', retry);
  expect(await pushState(ci, ledger, [branch])).toMatchObject({
    kind: 'refused',
    refs: ['refs/heads/gza/x'],
  });
  expect(warned).toEqual([]);
  await goBack();
  await write(ledger, 'main', retry);
  expect(await pushState(ci, ledger, [])).toEqual({ kind: 'shared', isJoined: true });
  expect(warned).toEqual([lost]);
  expect(git(origin, 'log', '--format=%s', 'refs/tasks/main').match(/Not kept: Retry task-1/g)).toHaveLength(
    1,
  );
});
