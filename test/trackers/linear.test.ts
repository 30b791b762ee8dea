import { afterEach, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Wanted, WantedIssue } from '../../src/core/trackers/tracker.ts';
import { linearClient } from '../../src/trackers/linear/client.ts';
import { entityId, isEntityId, issueNumber } from '../../src/trackers/linear/entity-id.ts';
import { linearTracker } from '../../src/trackers/linear/linear-tracker.ts';
import { mapStates } from '../../src/trackers/linear/states.ts';
import { syncTracker } from '../../src/trackers/sync.ts';
import { apiKey, type Linear, startLinear } from '../linear/linear.ts';

let linear: Linear;
let slept: number[];
beforeEach(async () => {
  linear = await startLinear();
  slept = [];
});
afterEach(() => linear.close());

const sleep = async (milliseconds: number) => void slept.push(milliseconds);

function sync(wanted: Wanted, more: { timeoutMs?: number; totalMsMax?: number } = {}) {
  const client = linearClient({
    key: apiKey,
    url: linear.url,
    sleep,
    now: Date.now,
    log: () => {},
    timeoutMs: 10_000,
    waitMsMax: 60_000,
    totalMsMax: 60_000,
    ...more,
  });
  const tracker = linearTracker(client, {
    team: 'Engineering',
    project: null,
    createProject: false,
    states: {},
    repository: 'github.com/acme/shop',
  });
  return syncTracker(tracker, wanted, { dryRun: false, sleep, isOver: () => false });
}

function wantedOf(count: number): Wanted {
  const issues = Array.from({ length: count }, (_, at): WantedIssue => {
    const digest = '0'.repeat(16);
    return {
      task: `t${at}`,
      known: null,
      mayCreate: true,
      title: `Task ${at}`,
      body: `Text\n\n\`gza:t${at}:${digest}\``,
      digest,
      state: 'pending',
      priority: null,
      milestone: null,
      labels: [],
      parent: null,
      blockedBy: [],
      link: { url: `https://host/pull/${at}`, title: `Pull request #${at}` },
    };
  });
  return { issues, milestones: [], project: null };
}

test('whatever becomes of a request, everything is there once in the end', async () => {
  const effects = [
    { kind: 'drop' },
    { kind: 'drop-after' },
    { kind: 'status', status: 500 },
    { kind: 'garbage' },
    { kind: 'limit', milliseconds: 50 },
  ] as const;
  for (const effect of effects) {
    for (const skip of [0, 1, 2]) {
      linear.state.issues.splice(0);
      linear.faults.splice(0, 9, { effect, skip, on: 'mutation', times: 1 });
      const told = await sync(wantedOf(25));
      expect({
        effect,
        skip,
        problem: told.problem,
        owed: told.owed,
        issues: linear.state.issues.length,
      }).toEqual({
        effect,
        skip,
        problem: null,
        owed: [],
        issues: 25,
      });
      expect(linear.state.issues.every(({ attachments }) => attachments.length === 1)).toBe(true);
      expect((await sync(wantedOf(25))).done).toEqual([]);
    }
  }
});

test('a change that is refused keeps no other of its request from being made', async () => {
  const wanted = wantedOf(30);
  const bad = { ...wanted.issues[6]!, title: '' };
  const told = await sync({ ...wanted, issues: wanted.issues.with(6, bad) });
  expect(told.refused.map(({ action, why }) => [action.kind, why])).toEqual([
    ['create-issue', 'title is required'],
  ]);
  expect(linear.state.issues).toHaveLength(29);
});

test('a hanging, a misformed and a slow Linear are told in one line, and asked again but a few times', async () => {
  linear.faults.push({ effect: { kind: 'hang' } });
  const hung = await sync(wantedOf(1), { timeoutMs: 60 });
  expect([hung.problem, slept]).toEqual(['Linear cannot be reached: no answer in 0 s', [500, 1000]]);
  linear.faults[0] = { effect: { kind: 'shape' } };
  expect((await sync(wantedOf(1))).problem).toBe('Linear answers in a form that is not known');
  linear.faults.splice(0);
  expect((await sync(wantedOf(1), { totalMsMax: -1 })).problem).toContain('takes longer than');
});

test('what cannot be read of a long list is not done twice, and what moved to another team is left alone', async () => {
  const wanted = wantedOf(24);
  const last = { ...wanted.issues[23]!, blockedBy: wanted.issues.slice(0, 23).map(({ task }) => task) };
  const all = { ...wanted, issues: wanted.issues.with(23, last) };
  await sync(all);
  expect(linear.state.relations).toHaveLength(23);
  const again = await sync(all);
  expect([again.refused, again.owed, linear.state.relations.length]).toEqual([[], [], 23]);

  const [team] = linear.state.teams;
  Object.assign(linear.state.issues[0]!, { team: { ...team!, id: 'other', key: 'OPS' } });
  const moved = { ...wanted.issues[0]!, state: 'completed' as const };
  expect((await sync({ ...wanted, issues: [moved] })).done).toEqual([]);
});

test('a limit is waited for until the time that Linear names, and not beyond what is allowed', async () => {
  linear.faults.push({ effect: { kind: 'limit', milliseconds: 30_000 }, times: 1 });
  expect((await sync(wantedOf(1))).problem).toBeNull();
  expect([slept.length, Math.round((slept[0] ?? 0) / 1000)]).toEqual([1, 30]);
  linear.faults.push({ effect: { kind: 'limit', milliseconds: 61_000 } });
  const told = await sync(wantedOf(2));
  expect([told.problem, slept.length]).toEqual([expect.stringMatching(/is spent for 6[12] s more/), 1]);
});

test('an error that repeats the key does not print it', async () => {
  linear.faults.push({ effect: { kind: 'echo' } });
  expect((await sync(wantedOf(1))).problem).toBe('Linear refuses a request: Bad header: [redacted]');
});

test('ids are made from what they name, and are of the form that Linear takes', () => {
  expect(entityId('github.com/acme/shop', 'issue', 'form')).toBe('4f71553e-e3f4-47ea-b623-66555e25e527');
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (parts) => {
      const id = entityId(...parts);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect([isEntityId(id), issueNumber(id)]).toEqual([true, null]);
    }),
  );
  expect(issueNumber('eng-12')).toEqual({ team: 'ENG', number: 12 });
});

test('a state stands for what it is the target of; other states of its type for what nobody named', () => {
  const states = (
    [
      ['1', 'Backlog', 'backlog'],
      ['2', 'Todo', 'unstarted'],
      ['3', 'Doing', 'started'],
      ['4', 'Code review', 'started'],
      ['5', 'QA', 'started'],
      ['6', 'Done', 'completed'],
    ] as const
  ).map(([id, name, type], position) => ({ id, name, type, position }));
  const plain = mapStates(states, {});
  expect([...plain.target]).toEqual([
    ['pending', '2'],
    ['blocked', '2'],
    ['in_progress', '3'],
    ['in_review', '4'],
    ['completed', '6'],
    ['failed', '3'],
  ]);
  // Canceled is lacking: nothing can be said with it.
  expect(plain.means('1')).toEqual(['pending', 'blocked', 'skipped']);
  expect(plain.means('4')).toEqual(['in_review', 'skipped']);
  expect(plain.means('5')).toEqual(['in_progress', 'in_review', 'failed', 'skipped']);
  const named = mapStates(states, { blocked: 'backlog', in_progress: 'QA' });
  expect([named.target.get('blocked'), named.means('2'), named.means('3')]).toEqual([
    '1',
    ['pending', 'skipped'],
    ['failed', 'skipped'],
  ]);
  expect(() => mapStates(states, { failed: 'Oops' })).toThrow('the team has no state "Oops"');
});
