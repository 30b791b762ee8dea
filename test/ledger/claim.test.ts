import { afterEach, expect, test } from '@jest/globals';
import type { Claim } from '../../src/core/ledger/record/record.ts';
import { claimTask } from '../../src/ledger/claim.ts';
import { fsckLedgers } from '../../src/ledger/fsck.ts';
import { add, cleanUp, ledgerOf, repository, write } from './fixture.ts';

afterEach(cleanUp);

const time = (minute: number) => `2026-01-02T03:${String(minute).padStart(2, '0')}:00.000Z`;
const claim = (id: string, minute: number, more: Partial<Claim> = {}): Claim => ({
  id,
  task: 'task-1',
  lane: 'gza/task-1',
  holder: 'claude',
  at: time(minute),
  until: time(minute + 5),
  step: 'implement',
  agent: 'claude',
  ...more,
});

test('a claim that ran out and is replaced was a try: nobody is killed again and again for nothing', async () => {
  const ledger = await ledgerOf(repository());
  await write(ledger, 'lane', add('task-1'));
  const taken = async (one: Claim) => (await claimTask(ledger, { claim: one, at: one.at })).kind;
  const record = async () => (await (await ledger.view()).task('task-1'))?.record;
  expect(await taken(claim('c1', 0, { reserved_usd: 3 }))).toBe('claimed');
  expect(await record()).not.toHaveProperty('steps');
  // Nobody swept before.
  expect(await taken(claim('c2', 10))).toBe('claimed');
  const lost = { step: 'implement', outcome: 'lost', agent: 'claude', started_at: time(0), reserved_usd: 3 };
  expect((await record())?.steps).toMatchObject([lost]);
  // One that is alive is not replaced, and its own claim made again is no other try.
  expect(await taken(claim('c3', 12))).toBe('lost');
  expect(await taken(claim('c2', 12))).toBe('claimed');
  // What a person held is nobody's try.
  expect(await taken(claim('c4', 20))).toBe('claimed');
  const { step: _step, ...person } = claim('c5', 30, { holder: 'ann' });
  expect(await taken(person)).toBe('claimed');
  expect(await taken(claim('c6', 40))).toBe('claimed');
  expect((await record())?.steps?.map(({ started_at }) => started_at)).toEqual([time(0), time(12), time(20)]);
  expect((await fsckLedgers(ledger)).findings).toEqual([]);
});
