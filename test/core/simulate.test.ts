/** What `gza simulate` plays: times and costs by hand, what stops it, and what chance does to it. */
import { describe, expect, test } from '@jest/globals';
import { buildBoard } from '../../src/core/board/board.ts';
import type { TaskRecord } from '../../src/core/ledger/record/record.ts';
import {
  type Asked,
  type Drawn,
  estimatesFrom,
  type PastStep,
  randomOf,
  stated,
} from '../../src/core/simulate/estimates.ts';
import { forecast } from '../../src/core/simulate/forecast.ts';
import { github, laptop } from '../../src/core/simulate/machine.ts';
import { play, type World } from '../../src/core/simulate/play.ts';
import { forecastText } from '../../src/core/text/terminal/forecast.ts';
import { plain } from '../../src/core/text/terminal/lines.ts';
import { type FactFields, factsOf, type Given, item, now } from './world.ts';

type Fields = Partial<Omit<World, 'estimates'>> & { facts?: never; with?: FactFields };

/** Steps that always take and cost the same; each first review approves, unless something else is drawn. */
const times = { plan: 10, explore: 10, implement: 100, review: 20, improve: 50 };
const byStep = ({ step }: Asked): Drawn => ({
  seconds: times[step],
  dollars: times[step] / 100,
  outcome: 'ok',
  ...(step === 'review' ? { verdict: 'APPROVED' as const } : {}),
});

function worldOf(given: readonly Given[], { with: facts = {}, ...fields }: Fields = {}, draw = byStep) {
  const gates = () => ({ auto_review: true, approval: false, requires_merge: false });
  return {
    items: given.map((one, at) => item({ fresh: true, ...one }, at)),
    meta: { v: 1, branch: 'main', lane: 'l' },
    now,
    board: (items, { claims = [] }, at) => buildBoard({ items, claims, now: at, gates }),
    facts: (board, _meta, spent) => {
      const of = factsOf(board, facts);
      return { ...of, dollarsLeft: of.dollarsLeft === null ? null : of.dollarsLeft - spent };
    },
    agent: () => ({ agent: 'claude' }),
    lane: ({ id }) => ({ id: `l-${id}`, branch: `gza/${id}` }),
    reserve: () => null,
    reviewOf: () => null,
    sizeOf: () => 'LOW',
    machine: laptop,
    wanted: () => true,
    tasksMax: Infinity,
    ...fields,
    estimates: { ...estimatesFrom([]), draw },
  } satisfies World;
}

const chain = [{ id: 'a' }, { id: 'b', depends_on: ['a'] }, { id: 'c' }, { id: 'd' }];
const once = (world: World) => play(world, randomOf(1));

describe('a play', () => {
  test('runs what may run side by side, by the rules of the policy', () => {
    const one = once(worldOf(chain));
    expect(one).toMatchObject({ seconds: 4 * 120, dollars: expect.closeTo(4.8), left: [] });
    const two = once(worldOf(chain, { with: { parallelWorkers: 2 } }));
    expect(two.seconds).toBe(240);
    const many = once(worldOf(chain, { with: { parallelWorkers: 9 } }));
    // No number of workers is faster than a and then b.
    expect(many).toMatchObject({ seconds: 240, dollars: expect.closeTo(4.8) });
    const begun = many.steps.filter(({ start }) => start === 0).map(({ task }) => task);
    expect(begun.toSorted()).toEqual(['a', 'c', 'd']);
  });

  test('goes round as often as the reviews say, and ends where a person is asked', () => {
    const verdicts = (approves: number) => (asked: Asked) =>
      asked.step === 'review' && asked.cycle < approves
        ? { ...byStep(asked), verdict: 'CHANGES_REQUESTED' as const }
        : byStep(asked);
    const third = once(worldOf([{ id: 'a' }], {}, verdicts(3)));
    expect(third).toMatchObject({ seconds: 100 + 3 * 20 + 2 * 50, left: [] });
    const never = once(worldOf(chain, {}, verdicts(9)));
    expect(never.left.map(({ task, rule }) => `${task} ${rule}`)).toEqual([
      'a max-cycles',
      'b dependency-unapproved',
      'c max-cycles',
      'd max-cycles',
    ]);
  });

  test('fails what fails again and again, with what that costs', () => {
    const fails = (asked: Asked): Drawn => ({ ...byStep(asked), outcome: 'failed' });
    const played = once(worldOf([{ id: 'a' }, { id: 'b', depends_on: ['a'] }], {}, fails));
    expect(played.steps).toHaveLength(3);
    expect(played.left.map(({ task, rule }) => `${task} ${rule}`)).toEqual([
      'a already-closed',
      'b dependency-failed',
    ]);
  });

  test('stops at a budget, and says which tasks wait for it', () => {
    const played = once(worldOf(chain, { with: { dollarsLeft: 2 } }));
    expect(played.dollars).toBeCloseTo(2.2);
    expect(played.left.map(({ task, rule }) => `${task} ${rule}`)).toEqual(
      ['b', 'c', 'd'].map((id) => `${id} budget`),
    );
  });

  test('bills each job by whole minutes, and a review goes on under the claim of the work', () => {
    const played = once(worldOf([{ id: 'a' }], { machine: github() }));
    // Pick, agent, checks, landing, review, landing.
    expect(played).toMatchObject({ jobs: 6, minutes: 1 + 3 + 4 + 1 + 2 + 1 });
  });

  test('goes on with what is at work, and with what was done', () => {
    const record: Partial<TaskRecord> = { started_at: now };
    const held = { id: 'c1', task: 'a', lane: 'gza/a', holder: 'claude', step: 'implement' as const };
    const claim = { ...held, at: new Date(Date.parse(now) - 40_000).toISOString(), until: '9999' };
    const meta = { v: 1 as const, branch: 'main', lane: 'l', claims: [claim] };
    const played = once(worldOf([{ id: 'a', ...record, fresh: false }], { meta }));
    expect(played.steps).toMatchObject([
      { task: 'a', step: 'implement', end: 60 },
      { task: 'a', step: 'review', start: 60, end: 80 },
    ]);
  });
});

describe('a forecast', () => {
  test('has no range where nothing is left to chance, and shows the path that decides', () => {
    const all = forecast(worldOf(chain, { with: { parallelWorkers: 2 } }));
    expect(all).toMatchObject({
      tasks: 4,
      seconds: { likely: 240, low: 240, high: 240 },
      agent_seconds: { likely: 480 },
      dollars: { likely: 4.8, low: 4.8, high: 4.8 },
      critical_path: { tasks: ['a', 'b'], seconds: 240 },
      job_minutes: null,
    });
    expect(all.ends_at.likely).toBe('2026-01-02T12:04:00.000Z');
  });

  test('says how often a person is needed', () => {
    let n = 0;
    const half = (asked: Asked): Drawn =>
      asked.step === 'review' && (n += 1) % 2 === 0
        ? { ...byStep(asked), verdict: 'NEEDS_DISCUSSION' }
        : byStep(asked);
    const { waits_for_person } = forecast(worldOf([{ id: 'a' }], {}, half));
    expect(waits_for_person).toMatchObject([{ task: 'a', rule: 'needs-discussion', percent: 50 }]);
  });

  test('is told within 80 columns, whatever tasks are called', () => {
    const long = 'a-very-long-name-of-a-task-that-nobody-would-choose-but-somebody-will';
    const given = [
      { id: long },
      ...Array.from({ length: 20 }, (_, n) => ({ id: `t${n}`, depends_on: [long] })),
    ];
    const all = forecast(
      worldOf(given, { machine: github(), with: { dollarsLeft: 20, parallelWorkers: 4 } }),
    );
    const text = forecastText(all, ['parallel_workers=4'], all, plain);
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(text).toContain('█');
  });
});

describe('what a step will be', () => {
  const seen = (fields: Partial<PastStep>): PastStep => ({
    step: 'implement',
    cycle: 0,
    agent: 'claude',
    model: 'opus',
    size: 'LOW',
    seconds: 60,
    dollars: 3,
    outcome: 'ok',
    ...fields,
  });
  const ask = { step: 'implement', cycle: 0, agent: 'claude', model: 'opus', size: 'LOW' } as const;
  const drawn = (past: readonly PastStep[], asked: Asked = ask) => {
    const estimates = estimatesFrom(past);
    const all = Array.from({ length: 50 }, (_, seed) => estimates.draw(asked, randomOf(seed)));
    return { all, basis: estimates.basis() };
  };

  test('is one of those of its agent, model and size where three were seen, then one of any', () => {
    const small = Array.from({ length: 3 }, () => seen({}));
    const large = Array.from({ length: 3 }, () => seen({ size: 'HIGH', seconds: 600 }));
    expect(new Set(drawn([...small, ...large]).all.map((one) => one.seconds))).toEqual(new Set([60]));
    const other = drawn([...small, ...large], { ...ask, agent: 'codex' });
    expect(new Set(other.all.map((one) => one.seconds))).toEqual(new Set([60, 600]));
    expect(other.basis).toEqual([{ step: 'implement', agent: 'codex', seen: 6, others: true }]);
  });

  test('is what is stated where fewer were seen', () => {
    const { all, basis } = drawn([seen({}), seen({})]);
    expect(basis).toEqual([{ step: 'implement', agent: 'claude', seen: 0, others: false }]);
    for (const { seconds } of all) {
      expect(seconds).toBeGreaterThanOrEqual(stated.seconds.implement / 2);
      expect(seconds).toBeLessThanOrEqual(stated.seconds.implement * 1.5);
    }
  });

  test('a first review is none of those that followed an improve', () => {
    const first = Array.from({ length: 3 }, () =>
      seen({ step: 'review', cycle: 1, verdict: 'CHANGES_REQUESTED' }),
    );
    const later = Array.from({ length: 3 }, () => seen({ step: 'review', cycle: 2, verdict: 'APPROVED' }));
    const of = (cycle: number) =>
      new Set(
        drawn([...first, ...later], { ...ask, step: 'review', cycle }).all.map(({ verdict }) => verdict),
      );
    expect([of(1), of(2)]).toEqual([new Set(['CHANGES_REQUESTED']), new Set(['APPROVED'])]);
  });
});
