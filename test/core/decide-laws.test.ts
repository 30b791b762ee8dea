import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { apply } from '../../src/core/ledger/apply.ts';
import { interruptionsMax } from '../../src/core/ledger/apply-task.ts';
import type { Event } from '../../src/core/ledger/event.ts';
import { emptyState, type LedgerState } from '../../src/core/ledger/ledger-state.ts';
import {
  closings,
  type StepRecord,
  stepNames,
  stepOutcomes,
  type TaskRecord,
} from '../../src/core/ledger/record/record.ts';
import { type Decision, decide, type Facts } from '../../src/core/policy/decide.ts';
import { verdicts } from '../../src/core/review/verdict.ts';
import { declaredFiles, taskTypes } from '../../src/core/task/task.ts';
import { addSeconds } from '../../src/core/time.ts';
import { withChanges } from './with-changes.ts';
import { board, claim, earlier, factsOf, type Given, later, now, settings } from './world.ts';

const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
const diff = fc.constantFrom('d1', 'd2', 'd3');
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 4 });

const step: fc.Arbitrary<StepRecord> = fc
  .record({
    step: fc.constantFrom(...stepNames),
    outcome: fc.oneof({ arbitrary: fc.constant('ok' as const), weight: 5 }, fc.constantFrom(...stepOutcomes)),
    cycle: fc.integer({ min: 0, max: 4 }),
    diff,
    verdict: fc.constantFrom(...verdicts),
    findings: fc.subarray(['!f', '!g', 'h']),
    bare: fc.boolean(),
  })
  .map(({ bare, verdict, findings, diff, ...rest }) => ({
    ...rest,
    started_at: earlier,
    ended_at: earlier,
    ...(bare ? {} : { diff }),
    ...(rest.step === 'review' && rest.outcome === 'ok' && !bare ? { verdict, findings } : {}),
  }));

/** Fields of a record, as any history may have left them. */
const history = fc.record(
  {
    type: fc.constantFrom(...taskTypes),
    steps: fc.array(step, { maxLength: 8 }),
    attempts: fc.integer({ min: 1, max: 4 }),
    slices: fc.integer({ min: 1, max: 4 }),
    review_cycle: fc.integer({ min: 0, max: 4 }),
    extra_cycles: fc.integer({ min: 0, max: 2 }),
    final_verdict: fc.constantFrom(...verdicts),
    cost_usd: fc.integer({ min: 0, max: 6 }),
    not_before: fc.constantFrom(earlier, later),
  },
  { requiredKeys: ['type', 'steps'] },
);

const given: fc.Arbitrary<Given[]> = fc
  .array(
    fc.tuple(
      history,
      fc.record(
        {
          closed_as: fc.constantFrom(...closings),
          paused_at: fc.constant(earlier),
          priority: fc.constantFrom('critical', 'low'),
          depends_on: fc.subarray(ids, { maxLength: 2 }),
          parent: fc.constantFrom(...ids),
          files_to_create: fc.subarray(['x', 'y'], { maxLength: 1 }),
          files_to_modify: fc.subarray(['./x', 'z', 'w'], { maxLength: 2 }),
          branch: fc.constantFrom('one', 'two'),
          assigned_agent: fc.constantFrom('ann', 'claude'),
        },
        { requiredKeys: [] },
      ),
      fc.integer({ min: 0, max: 2 }),
      fc.boolean(),
    ),
    { maxLength: ids.length },
  )
  .map((all) =>
    all.map(([past, fields, position, isPlain], at) => ({
      id: ids[at] as string,
      position,
      // Half of the tasks are plain, so that some can start.
      ...(isPlain ? { files_to_modify: fields.files_to_modify ?? [] } : { ...past, ...fields }),
      ...(!isPlain && fields.closed_as ? { closed_at: earlier } : {}),
    })),
  );

const world = fc.record({
  tasks: given,
  claims: fc
    .subarray(ids, { maxLength: 2 })
    .chain((held) =>
      fc.tuple(
        ...held.map((id) => fc.record({ id: fc.constant(id), until: fc.constantFrom(earlier, later) })),
      ),
    ),
  lanes: fc.dictionary(
    fc.constantFrom(...ids),
    fc.record({ diff: maybe(diff), personCommits: fc.boolean(), merged: fc.boolean() }),
  ),
  commanded: fc.subarray(ids, { maxLength: 2 }),
  parallelWorkers: fc.integer({ min: 1, max: 6 }),
  dollarsLeft: fc.option(fc.integer({ min: 0, max: 20 })),
  budget: fc.option(fc.integer({ min: 1, max: 6 })),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

function factsIn(one: World, tasks: readonly Given[] = one.tasks): Facts {
  const claims = one.claims.map(({ id, until }) => claim(id, { until, reserved_usd: 2, step: 'implement' }));
  return factsOf(board(tasks, { claims }), {
    lane: ({ id }) => {
      const lane = one.lanes[id];
      if (!lane) return {};
      const { diff, personCommits, merged } = lane;
      return {
        personCommits,
        ...(diff ? { diff } : {}),
        ...(merged ? { pull: { state: 'merged' as const } } : {}),
      };
    },
    command: ({ id }) => (one.commanded.includes(id) ? { step: 'review', by: 'ann' } : null),
    parallelWorkers: one.parallelWorkers,
    dollarsLeft: one.dollarsLeft,
    settings: { budget: one.budget },
  });
}

const runs = (decisions: readonly Decision[]) => decisions.filter(({ action }) => action.kind === 'run');

test('the same facts give the same decisions, in whatever order the tasks are given', () => {
  fc.assert(
    fc.property(world, fc.infiniteStream(fc.nat()), (one, random) => {
      const shuffled = one.tasks
        .map((task) => ({ task, at: random.next().value as number }))
        .sort((a, b) => a.at - b.at)
        .map(({ task }) => task);
      const first = decide(factsIn(one));
      expect(decide(factsIn(one))).toEqual(first);
      expect(decide(factsIn(one, shuffled))).toEqual(first);
    }),
  );
});

test('what runs fits: disjoint files and branches, workers, dollars, and no task twice', () => {
  fc.assert(
    fc.property(world, (one) => {
      const facts = factsIn(one);
      const decisions = decide(facts);
      expect(new Set(decisions.map(({ task }) => task)).size).toBe(decisions.length);
      const chosen = runs(decisions).map(({ task }) => facts.board.views.get(task)!);
      const files = chosen.flatMap(({ task }) => declaredFiles(task));
      expect(new Set(files).size).toBe(files.length);
      const branches = chosen.flatMap(({ task }) => task.branch ?? []);
      expect(new Set(branches).size).toBe(branches.length);
      const live = facts.board.claims.filter(facts.alive);
      if (chosen.length > 0) expect(chosen.length + live.length).toBeLessThanOrEqual(one.parallelWorkers);
      for (const view of chosen) expect(live.map(({ task }) => task)).not.toContain(view.id);
      if (one.dollarsLeft !== null && one.budget !== null && chosen.length > 0) {
        const budget = one.budget;
        const wanted = chosen.reduce(
          (sum, { record }) => sum + budget - (record?.cost_usd ?? 0),
          2 * live.length,
        );
        expect(wanted).toBeLessThanOrEqual(one.dollarsLeft);
      }
    }),
    { numRuns: 500 },
  );
});

test('a closed task never runs unless a command asks; what is finished is never blocked', () => {
  fc.assert(
    fc.property(world, (one) => {
      const facts = factsIn(one);
      for (const { task, action } of decide(facts)) {
        const view = facts.board.views.get(task)!;
        if (view.record?.closed_at && !one.commanded.includes(task)) expect(action.kind).not.toBe('run');
        if (action.kind === 'finish' || action.kind === 'fail')
          expect(view.record?.closed_at).toBeUndefined();
      }
      for (const { status, blockers, record } of facts.board.views.values()) {
        if (record?.closed_at || status === 'completed' || status === 'skipped') expect(blockers).toEqual([]);
        if (record?.closed_at && record.closed_as !== 'split') expect(status).not.toBe('blocked');
      }
    }),
    { numRuns: 500 },
  );
});

test('an open task that nothing holds back always has something to do', () => {
  fc.assert(
    fc.property(world, (one) => {
      for (const { rule } of decide(factsIn(one))) expect(rule).not.toBe('nothing-left');
    }),
    { numRuns: 500 },
  );
});

/** What a step may end with, drawn anew for each. */
const ending = fc.record({
  outcome: fc.oneof({ arbitrary: fc.constant('ok' as const), weight: 2 }, fc.constantFrom(...stepOutcomes)),
  diff,
  verdict: fc.oneof(
    { arbitrary: fc.constant('CHANGES_REQUESTED' as const), weight: 3 },
    fc.constantFrom(...verdicts),
  ),
  findings: fc.array(
    fc.nat(20).map((n) => `!${n}`),
    { maxLength: 3 },
  ),
  isKnown: fc.boolean(),
});
type Ending = typeof ending extends fc.Arbitrary<infer T> ? T : never;

interface Played {
  readonly state: LedgerState;
  readonly steps: number;
}

/** decide → the step ends somehow → apply, until nothing changes any more. */
function simulate(start: TaskRecord, endings: Iterator<Ending>, stepsMax: number): Played {
  let state = withChanges(emptyState({ v: 1, branch: 'main', lane: 'l', base: true }), { tasks: [start] });
  let [clock, steps, head] = [now, 0, 'd1'];
  for (;;) {
    const facts = factsOf(board([...state.tasks.values()], { now: clock }), { lane: () => ({ diff: head }) });
    const [decision] = decide(facts);
    if (!decision) return { state, steps };
    const { action } = decision;
    if (action.kind === 'wait' && action.until) {
      clock = action.until;
      continue;
    }
    let events: Event[];
    clock = addSeconds(clock, 60);
    if (action.kind === 'run') {
      steps += 1;
      if (steps > stepsMax) return { state, steps };
      const { outcome, diff, verdict, findings, isKnown } = endings.next().value as Ending;
      if (action.step !== 'review' && (outcome === 'ok' || outcome === 'slice')) head = diff;
      const isReview = action.step === 'review' && outcome === 'ok';
      const ended: StepRecord = {
        step: action.step,
        outcome,
        started_at: clock,
        ended_at: clock,
        cycle: action.cycle,
        ...(isKnown ? { diff: head } : {}),
        ...(isReview ? { verdict, findings } : {}),
      };
      events = [{ kind: 'step', at: clock, id: 'a', step: ended }];
    } else events = eventsOf(decision, clock);
    if (events.length === 0) return { state, steps };
    for (const event of events) {
      const applied = apply(state, event);
      if (applied.kind !== 'applied') throw new Error(applied.detail);
      state = withChanges(state, applied.changes);
    }
  }
}

function eventsOf({ task: id, action }: Decision, at: string): Event[] {
  switch (action.kind) {
    case 'finish': {
      const { verdict, stop } = action;
      const close: Event = { kind: 'close', at, id, as: 'done', ...(verdict ? { verdict } : {}) };
      return stop ? [close, { kind: 'stop', at, id, stop }] : [close];
    }
    case 'fail':
      return [{ kind: 'close', at, id, as: 'failed', reason: action.reason }];
    case 'ask-person':
      return [{ kind: 'stop', at, id, stop: action.stop }];
    default:
      return [];
  }
}

/** Each phase ends well, or is tried a bounded number of times. */
function stepsBound(extra: number): number {
  const phases = 1 + 2 * (settings.max_review_cycles + extra);
  const triesPerPhase = settings.max_attempts + settings.max_slices + 2;
  return phases * triesPerPhase * interruptionsMax;
}

const open = history.map(
  (fields): TaskRecord => ({ id: 'a', title: 'a', content: 'a', created_at: earlier, ...fields }),
);

test('from any history the loop ends within the bounds of its settings', () => {
  fc.assert(
    fc.property(open, fc.infiniteStream(ending), (start, endings) => {
      const bound = stepsBound(start.extra_cycles ?? 0);
      const { state, steps } = simulate(start, endings[Symbol.iterator](), bound);
      expect(steps).toBeLessThanOrEqual(bound);
      const end = state.tasks.get('a')!;
      expect(end.closed_at !== undefined || end.stop !== undefined).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test.each(stepOutcomes.filter((outcome) => outcome !== 'ok'))('%s again and again ends', (outcome) => {
  const start = fc.sample(open, { numRuns: 20, seed: 7 });
  const always: Ending = { outcome, diff: 'd1', verdict: 'CHANGES_REQUESTED', findings: [], isKnown: true };
  const endings = { next: () => ({ done: false, value: always }) };
  for (const record of start) {
    expect(simulate(record, endings as Iterator<Ending>, 200).steps).toBeLessThanOrEqual(40);
  }
});
