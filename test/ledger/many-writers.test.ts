/** The limits that the ledger promises, with real processes. `GZA_TEST_WRITERS` scales them; 64 is the promise. */
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { fsckLedgers } from '../../src/ledger/fsck.ts';
import { syncLedgers } from '../../src/ledger/sync/sync.ts';
import { buildDriver, type Ran } from './driver-process.ts';
import { add, cleanUp, folder, git, ledgerOf, repository, write } from './fixture.ts';

const writers = Number(process.env['GZA_TEST_WRITERS'] ?? 64);
const { start, startWith, remove } = buildDriver();

afterAll(remove);
afterEach(cleanUp);

test(`of ${writers} clones that claim one task of a remote exactly one wins, and the others name it`, async () => {
  const remote = repository('--bare');
  const first = folder();
  git(first, 'clone', '-q', remote, '.');
  const ledger = await ledgerOf(first, { base: 'main' });
  await write(ledger, 'main', add('task-1'));
  await syncLedgers(ledger, { remote: 'origin', push: true, tell: () => {} });
  const clones = Array.from({ length: writers }, () => {
    const dir = repository();
    git(dir, 'config', 'remote.origin.url', remote);
    return dir;
  });
  const runs = clones.map((dir, n) => start('claim-remote', dir, `worker-${n}`).ended);
  const winner = expectOneWinner(await Promise.all(runs));
  await syncLedgers(ledger, { remote: 'origin', push: true, tell: () => {} });
  const meta = await (await ledger.view()).meta('main');
  expect(meta?.claims?.map((claim) => claim.holder)).toEqual([winner]);
});

function expectOneWinner(runs: readonly Ran[]): string {
  const winners = runs.filter((run) => run.code === 0);
  expect(winners).toHaveLength(1);
  const winner = winners[0]?.out.trim().replace('claimed ', '') as string;
  const others = runs.filter((run) => run.code !== 0).map(({ code, err }) => [code, err.trim()]);
  expect(others).toEqual(Array.from({ length: writers - 1 }, () => [3, `held by ${winner}`]));
  return winner;
}

test('a writer killed at any instant loses nothing that it reported, and blocks nobody', async () => {
  const dir = repository();
  const ledger = await ledgerOf(dir);
  await write(ledger, 'main', add('task-0'));
  const reported: string[] = [];
  for (let round = 0; round < 12; round++) {
    // Every other time its git dies with it, which may leave locks and move one ref of two.
    const withGit = round % 2 === 1;
    const { child, ended } = startWith({ detached: withGit }, 'add-many', dir, `r${round}`);
    // Now and then it dies before it could report anything.
    if (round % 4 !== 0) await new Promise((resolve) => child.stdout?.once('data', resolve));
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
    if (withGit) process.kill(-(child.pid as number), 'SIGKILL');
    else child.kill('SIGKILL');
    const { out, err } = await ended;
    expect(err).toBe('');
    reported.push(
      ...out
        .split('\n')
        .filter((line) => line.startsWith('added '))
        .map((line) => line.slice(6)),
    );
    expect((await write(ledger, 'main', add(`after-${round}`))).kind).toBe('written');
  }
  expect(reported.length).toBeGreaterThanOrEqual(9);
  const view = await ledger.view();
  const kept = await view.state('main');
  const lane = await view.state('lane');
  expect(reported.filter((id) => !kept.tasks.has(id) || !lane.tasks.has(id))).toEqual([]);
  // Both ledgers moved together or not at all, as long as git itself lived.
  const inMain = [...kept.tasks.keys()].filter((id) => id.startsWith('r'));
  const apart = [...inMain, ...lane.tasks.keys()].filter((id) => !kept.tasks.has(id) || !lane.tasks.has(id));
  expect(apart.filter((id) => Number(/\d+/.exec(id)?.[0]) % 2 === 0)).toEqual([]);
  expect((await fsckLedgers(ledger)).findings).toEqual([]);
  expect(git(dir, 'fsck', '--strict', '--no-dangling')).toBe('');
});
