import { cpSync } from 'node:fs';
import { afterEach, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Event } from '../../src/core/ledger/event.ts';
import { claimTask } from '../../src/ledger/claim.ts';
import { foldPlan } from '../../src/ledger/fold.ts';
import { fsckLedgers } from '../../src/ledger/fsck.ts';
import type { GitLedger } from '../../src/ledger/git-ledger.ts';
import { readHistory } from '../../src/ledger/store/store.ts';
import { claimOnRemote, syncLedgers } from '../../src/ledger/sync/sync.ts';
import { startGithub } from '../github/github.ts';
import {
  add,
  at,
  claimOf,
  cleanUp,
  folder,
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

const both = { remote: 'origin', push: true, tell: () => {} };

async function clones(count: number): Promise<{ remote: string; dirs: string[]; ledgers: GitLedger[] }> {
  const remote = repository('--bare');
  const dirs = Array.from({ length: count }, () => {
    const dir = folder();
    git(dir, 'clone', '-q', remote, '.');
    return dir;
  });
  return { remote, dirs, ledgers: await Promise.all(dirs.map((dir) => ledgerOf(dir, { base: 'main' }))) };
}

test('what two clones recorded apart is in both after a sync, as a straight history', async () => {
  const { dirs, ledgers } = await clones(2);
  const [a, b] = ledgers as [GitLedger, GitLedger];
  await write(a, 'main', add('task-a'));
  await syncLedgers(a, both);
  expect(await syncLedgers(b, both)).toMatchObject({ received: ['main'], sent: [] });
  await write(a, 'main', note('task-a', 'from a'));
  await write(b, 'main', note('task-a', 'from b'));
  await write(b, 'lane', add('task-b'));
  await syncLedgers(a, both);
  expect(await syncLedgers(b, both)).toMatchObject({ merged: ['main'], sent: ['main', 'lane'], dropped: [] });
  await syncLedgers(a, both);
  for (const ledger of ledgers) {
    expect((await (await ledger.view()).task('task-a'))?.record.notes).toEqual(['from a', 'from b']);
    expect(await ids(ledger)).toEqual(['task-a', 'task-b']);
    expect((await fsckLedgers(ledger)).findings).toEqual([]);
  }
  expect(git(dirs[0] as string, 'rev-list', '--merges', '--count', 'refs/tasks/main')).toBe('0');
});

test('a server that fails for a moment is asked again, and not for ever', async () => {
  await using github = await startGithub();
  const dir = folder();
  git(dir, 'init', '-q');
  git(dir, 'remote', 'add', 'origin', github.urlFor(github.token({})));
  const ledger = await ledgerOf(dir, { base: 'main' });
  await write(ledger, 'main', add('task-a'));
  await syncLedgers(ledger, both);
  const answer = { status: 502, body: 'Bad Gateway' };
  github.faults.add({ match: { operation: 'git/fetch' }, times: 2, effect: { kind: 'answer', answer } });
  expect(await syncLedgers(ledger, both)).toMatchObject({ received: [] });
  expect(github.faults.unused()).toEqual([]);
  github.faults.add({ match: { operation: 'git/fetch' }, times: 3, effect: { kind: 'answer', answer } });
  await expect(syncLedgers(ledger, both)).rejects.toThrow('502');
});

test('two tasks under one id are told apart: the one not yet shared gets a longer id, and its dependents follow', async () => {
  const { ledgers } = await clones(2);
  const [a, b] = ledgers as [GitLedger, GitLedger];
  await write(a, 'main', add('task-1', { content: 'one thing' }));
  await write(b, 'main', add('task-1', { content: 'another thing' }));
  await write(b, 'main', add('task-2', { depends_on: ['task-1'] }), note('task-1', 'mine'));
  await syncLedgers(a, both);
  const { renamed } = await syncLedgers(b, both);
  const longer = renamed.get('task-1') as string;
  expect(longer).toMatch(/^task-1[0-9a-f]{4}$/);
  await syncLedgers(a, both);
  for (const ledger of ledgers) {
    const view = await ledger.view();
    expect((await view.task('task-1'))?.record).toMatchObject({ content: 'one thing' });
    expect((await view.task(longer))?.record).toMatchObject({
      content: 'another thing',
      was: 'task-1',
      notes: ['mine'],
    });
    expect((await view.task('task-2'))?.record.depends_on).toEqual([longer]);
    expect((await fsckLedgers(ledger)).findings).toEqual([]);
  }
});

test('a claim made offline that another clone made first is reported with its holder, and what followed it is void', async () => {
  const { dirs, ledgers } = await clones(2);
  const [a, b] = ledgers as [GitLedger, GitLedger];
  await write(a, 'main', add('task-1'));
  for (const ledger of [a, b]) await syncLedgers(ledger, both);
  for (const [ledger, holder] of [
    [a, 'ann'],
    [b, 'bob'],
  ] as const) {
    const lane = { id: `lane-${holder}`, branch: 'gza/task-1' };
    const claimed = await claimTask(ledger, {
      claim: claimOf('task-1', holder),
      at,
      also: async () => [{ branch: 'main', events: [{ kind: 'enter-lane', at, id: 'task-1', lane }] }],
    });
    expect(claimed.kind).toBe('claimed');
  }
  await syncLedgers(a, both);
  const { dropped } = await syncLedgers(b, both);
  expect(dropped.map((one) => [one.event.kind, one.refusal.claim?.holder])).toEqual([['claim', 'ann']]);
  const view = await b.view();
  expect(git(dirs[1] as string, 'log', '-1', '--format=%s', 'refs/tasks/main')).toBe(
    '2 events not kept: bob claims task-1 (task-1 is held by ann until 2026-01-02T04:04:05Z)',
  );
  expect((await view.meta('main'))?.claims?.map((claim) => claim.holder)).toEqual(['ann']);
  expect((await view.task('task-1'))?.record.lane?.id).toBe('lane-ann');
});

test('a claim on the remote is lost to one that another clone made there, and leaves nothing behind', async () => {
  const { remote, ledgers } = await clones(2);
  const [a, b] = ledgers as [GitLedger, GitLedger];
  await write(a, 'main', add('task-1'));
  await syncLedgers(a, both);
  await syncLedgers(b, both);
  const options = { remote: 'origin', tell: () => {} };
  expect((await claimOnRemote(a, { claim: claimOf('task-1', 'ann'), at }, options)).kind).toBe('claimed');
  expect(await claimOnRemote(b, { claim: claimOf('task-1', 'bob'), at }, options)).toMatchObject({
    kind: 'lost',
    holder: { holder: 'ann' },
  });
  expect(git(remote, 'log', '--format=%s', 'refs/tasks/main')).toContain('ann');
  expect((await b.view()).tip('main')).toBe(git(remote, 'rev-parse', 'refs/tasks/main'));
});

test('a lane folded by one clone goes from the other, and what only the other recorded there comes home', async () => {
  const { remote, dirs, ledgers } = await clones(2);
  const [a, b] = ledgers as [GitLedger, GitLedger];
  const lane = { id: 'lane-1', branch: 'gza/task-1' };
  const done = task('task-1', { closed_at: at, closed_as: 'done' });
  await write(a, 'main', add('task-1'), { kind: 'enter-lane', at, id: 'task-1', lane });
  await write(a, 'gza/task-1', { kind: 'open-lane', at, lane, tasks: [done] });
  await syncLedgers(a, both);
  await syncLedgers(b, both);
  await write(b, 'gza/task-1', note('task-1', 'late'));
  await a.write((view) => foldPlan(view, { branch: 'gza/task-1', how: 'merged', at }));
  await syncLedgers(a, both);
  await syncLedgers(b, both);
  await syncLedgers(a, both);
  for (const ledger of ledgers) {
    const view = await ledger.view();
    expect(view.branches).toEqual(['main']);
    expect((await view.task('task-1'))?.record).toMatchObject({ closed_as: 'done', notes: ['late'] });
    expect((await fsckLedgers(ledger)).findings).toEqual([]);
  }
  expect(git(remote, 'for-each-ref', '--format=%(refname)')).toBe('refs/tasks/main');
  // Somebody's plain push of a stale clone brings the lane back; it is neither believed nor kept.
  git(
    dirs[0] as string,
    'push',
    '-q',
    'origin',
    `${git(remote, 'rev-parse', 'refs/tasks/main^^2')}:refs/tasks/gza/task-1`,
  );
  await syncLedgers(b, both);
  expect((await b.view()).branches).toEqual(['main']);
  expect(git(remote, 'for-each-ref', '--format=%(refname)')).toBe('refs/tasks/main');
});

test('a ledger in the way of a new one on the remote is removed by an earlier push', async () => {
  const { remote, ledgers } = await clones(1);
  const [a] = ledgers as [GitLedger];
  await write(a, 'main', add('task-1'));
  await write(a, 'x', add('task-2'));
  await syncLedgers(a, both);
  await a.write((view) => foldPlan(view, { branch: 'x', how: 'ended', at }));
  await write(a, 'x/y', add('task-3'));
  await syncLedgers(a, both);
  expect(git(remote, 'for-each-ref', '--format=%(refname)').split('\n')).toEqual([
    'refs/tasks/main',
    'refs/tasks/x/y',
  ]);
});

test("CI's shallow state is read with one commit a ledger, and written on top", async () => {
  const { remote, ledgers } = await clones(1);
  const [a] = ledgers as [GitLedger];
  for (let n = 0; n < 5; n++) await write(a, 'main', add(`task-${n}`));
  await syncLedgers(a, both);
  const dir = folder();
  git(dir, 'clone', '-q', `file://${remote}`, '.');
  const ci = await ledgerOf(dir, { base: 'main' });
  const shallow = { ...both, shallow: true };
  await syncLedgers(ci, shallow);
  expect(git(dir, 'rev-list', '--count', 'refs/tasks/main')).toBe('1');
  await write(ci, 'main', note('task-0', 'from ci'));
  await write(a, 'main', note('task-0', 'from a'));
  await syncLedgers(a, both);
  await syncLedgers(ci, shallow);
  await syncLedgers(a, both);
  for (const ledger of [a, ci]) {
    expect((await (await ledger.view()).task('task-0'))?.record.notes).toEqual(['from a', 'from ci']);
  }
});

test("CI's shallow state reads the history of a ledger that suddenly holds no task", async () => {
  const { remote, ledgers } = await clones(1);
  const [a] = ledgers as [GitLedger];
  await write(a, 'main', add('task-1'));
  await write(a, 'main', note('task-1', 'kept'));
  await syncLedgers(a, both);
  const meta = git(remote, 'show', 'refs/tasks/main:ledger.json');
  for (const files of [{ 'ledger.json': meta }, { x: 'y' }]) {
    replaceTree(remote, 'refs/tasks/main', files);
    const dir = folder();
    git(dir, 'clone', '-q', `file://${remote}`, '.');
    const ci = await ledgerOf(dir, { base: 'main' });
    const { problems } = await syncLedgers(ci, { ...both, push: false, shallow: true });
    expect(problems).toEqual([{ branch: 'main', detail: expect.stringContaining('by hand') }]);
    expect((await (await ci.view()).task('task-1'))?.record.notes).toEqual(['kept']);
  }
});

test('a copy of a clone does not tell again what the clone has told since, though under other commits', async () => {
  const { dirs, ledgers } = await clones(2);
  const [a, b] = ledgers as [GitLedger, GitLedger];
  await write(a, 'main', add('task-1'));
  for (const ledger of [a, b]) await syncLedgers(ledger, both);
  await write(a, 'main', note('task-1', 'once'));
  const copied = folder();
  cpSync(dirs[0] as string, copied, { recursive: true });
  const copy = await ledgerOf(copied, { base: 'main' });
  await write(b, 'main', note('task-1', 'from b'));
  await syncLedgers(b, both);
  for (const ledger of [a, copy, a]) await syncLedgers(ledger, both);
  for (const ledger of [a, copy]) {
    expect((await (await ledger.view()).task('task-1'))?.record.notes).toEqual(['from b', 'once']);
  }
});

test('a lane of one clone follows when its task gets another id', async () => {
  const { ledgers } = await clones(2);
  const [a, b] = ledgers as [GitLedger, GitLedger];
  await write(a, 'main', add('task-1', { content: 'one thing' }));
  await syncLedgers(a, both);
  const lane = { id: 'lane-b', branch: 'gza/mine' };
  const mine = task('task-1', { content: 'another thing' });
  await write(b, 'main', { kind: 'add', at, task: mine }, { kind: 'enter-lane', at, id: 'task-1', lane });
  await write(b, 'gza/mine', { kind: 'open-lane', at, lane, tasks: [mine] }, note('task-1', 'mine'));
  const { renamed, dropped } = await syncLedgers(b, both);
  expect(dropped).toEqual([]);
  await syncLedgers(a, both);
  for (const ledger of ledgers) {
    const found = await (await ledger.view()).task(renamed.get('task-1') as string);
    expect(found).toMatchObject({
      branch: 'gza/mine',
      record: { content: 'another thing', notes: ['mine'] },
    });
    expect(await ids(ledger)).toEqual(['task-1', renamed.get('task-1')]);
  }
});

test('a host that refuses the refs is answered with state_ref', async () => {
  const { remote, ledgers } = await clones(1);
  git(remote, 'config', 'transfer.hideRefs', 'refs/tasks');
  const [a] = ledgers as [GitLedger];
  await write(a, 'main', add('task-1'));
  await expect(syncLedgers(a, both)).rejects.toMatchObject({
    code: 'world',
    hint: expect.stringContaining('state_ref'),
  });
  await expect(syncLedgers(a, { ...both, remote: 'nowhere' })).rejects.toMatchObject({ code: 'input' });
});

test('whatever three clones record, sync rounds bring all of it to all of them, or say in the history that it was not kept', async () => {
  const step: fc.Arbitrary<Step> = fc.record({
    clone: fc.nat(2),
    verb: fc.constantFrom('add', 'note', 'lane', 'claim', 'sync', 'close'),
    id: fc.nat(3),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
      const { ledgers } = await clones(3);
      const texts = new Set<string>();
      const recorded = new Set<string>();
      for (const [n, { clone, verb, id }] of steps.entries()) {
        const ledger = ledgers[clone] as GitLedger;
        const name = `task-${id}`;
        const text = `${n}`;
        if (verb === 'sync') await syncLedgers(ledger, both);
        else if (verb === 'claim') {
          const claim = claimOf(name, `h${clone}`, `c${n}`);
          if ((await claimTask(ledger, { claim, at: momentOf(n) })).kind === 'claimed')
            recorded.add(momentOf(n));
        } else {
          const event: Event =
            verb === 'note'
              ? note(name, text)
              : verb === 'close'
                ? { kind: 'close', at, id: name, as: 'done' }
                : add(name, { content: text });
          const branch = verb === 'lane' ? `lane-${clone}` : 'main';
          const written = await write(ledger, branch, { ...event, at: momentOf(n) });
          if (written.kind !== 'written') continue;
          recorded.add(momentOf(n));
          if (verb !== 'close') texts.add(text);
        }
      }
      for (const ledger of [...ledgers, ...ledgers]) await syncLedgers(ledger, both);
      const [first, ...others] = await Promise.all(ledgers.map(everything));
      for (const other of others) expect(other).toEqual(first);
      expect(new Set(first?.texts)).toEqual(texts);
      expect(await moments(ledgers[0] as GitLedger)).toEqual(recorded);
      expect((await fsckLedgers(ledgers[0] as GitLedger)).findings).toEqual([]);
      cleanUp();
    }),
    { numRuns: Number(process.env['GZA_TEST_RUNS'] ?? 5), endOnFailure: true, examples: [[conflict]] },
  );
});

/** Two close and claim the same, so that what the later one did is dropped, twice over. */
const conflict = [
  ['add', 0, 0],
  ['add', 0, 1],
  ['sync', 0, 0],
  ['sync', 1, 0],
  ['close', 0, 0],
  ['claim', 0, 1],
  ['close', 1, 0],
  ['claim', 1, 1],
  ['sync', 0, 0],
  ['sync', 1, 0],
].map(([verb, clone, id]) => ({ verb, clone, id }) as Step);

interface Step {
  readonly verb: 'add' | 'note' | 'lane' | 'claim' | 'sync' | 'close';
  readonly clone: number;
  readonly id: number;
}

/** A time of its own for each step, by which its event is known again. */
function momentOf(step: number): string {
  return `2026-01-02T03:05:${String(step).padStart(2, '0')}Z`;
}

/** When all that stands in the histories happened, kept or not. */
async function moments(ledger: GitLedger): Promise<Set<string>> {
  const view = await ledger.view();
  const tips = view.branches.map((branch) => view.tip(branch) as string);
  const commits = await Promise.all(tips.map((tip) => readHistory(ledger.store.git, { tip })));
  const entries = commits.flat().flatMap(({ entry }) => entry ?? []);
  const events = entries.flatMap(({ events: kept, dropped = [] }) => [
    ...kept,
    ...dropped.map(({ event }) => event),
  ]);
  return new Set(events.map((event) => event.at));
}

async function everything(ledger: GitLedger) {
  const view = await ledger.view();
  const states = await Promise.all(view.branches.map((branch) => view.state(branch)));
  const records = states.flatMap((state) => [...state.tasks.values()]);
  return {
    tips: view.branches.map((branch) => [branch, view.tip(branch)]),
    texts: records.flatMap((record) => [record.content, ...(record.notes ?? [])]),
  };
}
