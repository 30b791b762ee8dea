import { describe, expect, test } from '@jest/globals';
import type { BoardInput } from '../../src/core/board/board.ts';
import type { StepRecord } from '../../src/core/ledger/record/record.ts';
import { type Decision, decide, decideTask, type Facts, rules } from '../../src/core/policy/decide.ts';
import { emptyBatch, startRules } from '../../src/core/policy/rules-step.ts';
import {
  board,
  claim,
  did,
  earlier,
  type FactFields,
  factsOf,
  type Given,
  later,
  now,
  viewOf,
} from './world.ts';

interface Scene {
  /** What is known of task `a`. */
  readonly a?: Omit<Given, 'id'>;
  readonly others?: readonly Given[];
  readonly board?: Partial<BoardInput>;
  readonly facts?: FactFields;
}

function play({ a, others = [], board: input, facts }: Scene): { facts: Facts; decision: Decision } {
  const made = board([{ id: 'a', ...a }, ...others], input);
  const all = factsOf(made, facts);
  return { facts: all, decision: decideTask(viewOf(made, 'a'), all) };
}

/** Scenes played together: the task, facts and board of all of them. */
function both(one: Scene, two: Scene): Scene {
  const lane = { ...one.facts?.lane?.({} as never), ...two.facts?.lane?.({} as never) };
  return {
    a: {
      ...one.a,
      ...two.a,
      ...(one.a?.depends_on || two.a?.depends_on
        ? { depends_on: [...(one.a?.depends_on ?? []), ...(two.a?.depends_on ?? [])] }
        : {}),
    },
    others: [...(one.others ?? []), ...(two.others ?? [])],
    board: {
      ...one.board,
      ...two.board,
      claims: [...(one.board?.claims ?? []), ...(two.board?.claims ?? [])],
    },
    facts: { ...one.facts, ...two.facts, lane: () => lane },
  };
}

const complex: Scene = { board: { complex: new Map([['a', 'its complexity']]) } };
const stop = { reason: 'x', detail: 'look at it', at: earlier };
const changes = (cycle: number, fields: Partial<StepRecord> = {}) =>
  did('review', {
    verdict: 'CHANGES_REQUESTED',
    cycle,
    diff: `d${cycle}`,
    findings: [`!${cycle}`],
    ...fields,
  });
const dead = { board: { claims: [claim('a', { until: earlier })] } };
const held = { board: { claims: [claim('a')] } };
const closed: Scene = { a: { closed_at: later, closed_as: 'done' } };
const gone: Scene = { facts: { lane: () => ({ gone: true }) } };
const worked: Scene = { a: { steps: [did('implement', { diff: 'd1' })] } };
const waiting: Scene = {
  a: { ...worked.a, waits: [{ path: '.npmrc', why: 'a registry', content: '100644 1' }] },
};
const forced: Scene = { a: { ...worked.a, final_verdict: 'APPROVED', verdict_by: 'ann' } };
const reviewed = (verdict: StepRecord['verdict']): Scene => ({
  a: { steps: [did('implement', { diff: 'd1' }), changes(1, { verdict: verdict as 'APPROVED' })] },
  facts: { lane: () => ({ diff: 'd1' }) },
});
const red: Scene = { facts: { lane: () => ({ red: ['test'] }) } };
const broken: Scene = { facts: { lane: () => ({ baseline: 'npm test fails' }) } };
const personal: Scene = { facts: { lane: () => ({ personCommits: true }) } };
const child: Scene = { others: [{ id: 'kid', parent: 'a' }] };
const unread: Scene = {
  a: { lane: { id: 'l', branch: 'gza/a' } },
  board: { unread: { lanes: new Set(['gza/a']) } },
};
const commanded: Scene = { facts: { command: () => ({ step: 'implement', by: 'ann' }) } };
const merge: Scene = {
  a: { depends_on: ['lane'] },
  others: [{ id: 'lane', closed_at: earlier, closed_as: 'done', lane: { id: 'l', branch: 'gza/lane' } }],
  board: { gates: (task) => ({ auto_review: true, approval: task.id === 'plan', requires_merge: true }) },
};
const approval: Scene = {
  a: { depends_on: ['plan'] },
  others: [{ id: 'plan', type: 'plan', closed_at: earlier, closed_as: 'done' }],
  board: { gates: (task) => ({ auto_review: true, approval: task.id === 'plan', requires_merge: false }) },
};
const depends = (id: string, fields: Omit<Given, 'id'>): Scene => ({
  a: { depends_on: [id] },
  others: [{ id, ...fields }],
});
const spentAttempts: Scene = { a: { attempts: 3, error: 'boom' } };
const noModel: Scene = {
  a: { steps: [did('review', { outcome: 'cancelled', ending: 'model', agent: 'claude' })] },
};
const died = (deaths: number): Scene => ({
  a: { deaths, steps: [did('implement', { outcome: 'lost', ending: 'died', ended_at: now })] },
});
const spentSlices: Scene = { a: { slices: 3, steps: [did('implement', { outcome: 'slice' })] } };
const limited: Scene = { facts: { limits: { claude: later } } };
const busyLane: Scene = {
  a: { branch: 'feature' },
  board: { claims: [claim('z', { lane: 'feature' })] },
  facts: { parallelWorkers: 2 },
};
const busyFile: Scene = {
  a: { files_to_modify: ['./src/x.ts'] },
  board: { claims: [claim('z', { files: ['src/x.ts'] })] },
  facts: { parallelWorkers: 2 },
};
const poor: Scene = { facts: { settings: { budget: 5 }, dollarsLeft: 4 } };

/** Each rule with a scene that it decides, and an earlier rule that decides when both would. */
const table: readonly [name: string, wins: Scene, before: string | null, earlier?: Scene][] = [
  ['dead-claim', dead, null],
  ['cancel-claim', both(held, closed), 'dead-claim', { facts: { alive: () => false } }],
  ['live-claim', held, 'cancel-claim', both(held, closed)],
  ['merged', { facts: { lane: () => ({ pull: { state: 'merged' } }) } }, 'cancel-claim', held],
  ['closed', { facts: { lane: () => ({ pull: { state: 'closed' } }) } }, 'cancel-claim', held],
  ['checks-red', both(red, closed), 'merged', { facts: { lane: () => ({ pull: { state: 'merged' } }) } }],
  ['already-closed', closed, 'checks-red', both(red, closed)],
  ['branch-gone', gone, 'already-closed', closed],
  ['changes-wait', waiting, 'branch-gone', gone],
  ['forced-verdict', forced, 'changes-wait', waiting],
  ['approved', reviewed('APPROVED'), 'forced-verdict', { a: { final_verdict: 'APPROVED' } }],
  ['done', { ...worked, facts: { settings: { auto_review: false } } }, 'branch-gone', gone],
  ['loop-ended', reviewed('NEEDS_DISCUSSION'), 'forced-verdict', { a: { final_verdict: 'APPROVED' } }],
  ['person-commits', personal, 'loop-ended', reviewed('NEEDS_DISCUSSION')],
  ['ledger-unread', unread, 'person-commits', personal],
  ['invalid-definition', { a: { invalid: 'no title' } }, 'ledger-unread', unread],
  ['waits-for-person', { a: { stop } }, 'invalid-definition', { a: { invalid: 'no title' } }],
  ['paused', { a: { paused_at: earlier } }, 'waits-for-person', { a: { stop } }],
  ['too-complex', complex, 'paused', { a: { paused_at: earlier } }],
  ['dependency-cycle', depends('b', { depends_on: ['a'] }), 'too-complex', complex],
  [
    'dependency-missing',
    { a: { depends_on: ['m'] } },
    'dependency-cycle',
    depends('b', { depends_on: ['a'] }),
  ],
  [
    'dependency-failed',
    depends('f', { closed_at: earlier, closed_as: 'failed' }),
    'dependency-missing',
    { a: { depends_on: ['m'] } },
  ],
  [
    'dependency-dropped',
    depends('d', { closed_at: earlier, closed_as: 'dropped' }),
    'dependency-failed',
    depends('f', { closed_at: earlier, closed_as: 'failed' }),
  ],
  [
    'dependency-unapproved',
    depends('u', { closed_at: earlier, closed_as: 'done', final_verdict: 'MAX_CYCLES_REACHED' }),
    'dependency-dropped',
    depends('d', { closed_at: earlier, closed_as: 'dropped' }),
  ],
  [
    'approval-awaited',
    approval,
    'dependency-unapproved',
    depends('u', { closed_at: earlier, closed_as: 'done', final_verdict: 'MAX_CYCLES_REACHED' }),
  ],
  ['merge-awaited', merge, 'approval-awaited', { a: approval.a!, others: approval.others! }],
  ['dependency-unmet', depends('n', {}), 'merge-awaited', merge],
  ['has-children', child, 'person-commits', personal],
  ['baseline-failed', broken, 'has-children', child],
  ['assigned', { a: { assigned_agent: 'ann' } }, 'baseline-failed', broken],
  ['command', commanded, 'assigned', { a: { assigned_agent: 'ann' } }],
  [
    'no-verdict',
    { a: { steps: [did('implement'), did('review', { outcome: 'no-verdict' })] } },
    'command',
    commanded,
  ],
  ['agent-blocked', { a: { steps: [did('review', { outcome: 'blocked' })] } }, 'command', commanded],
  ['agent-cannot', noModel, 'command', commanded],
  ['first-step', {}, 'agent-cannot', noModel],
  [
    'verification-failed',
    { a: { steps: [did('implement', { outcome: 'failed', verified: false })] } },
    'first-step',
    { a: { steps: [did('review', { outcome: 'failed', verified: false })] } },
  ],
  [
    'continue',
    { a: { steps: [did('implement', { outcome: 'lost' })] } },
    'verification-failed',
    { a: { steps: [did('implement', { outcome: 'failed', verified: false })] } },
  ],
  [
    'mend-checks',
    both(worked, red),
    'continue',
    { a: { steps: [did('implement', { diff: 'd1' }), did('improve', { outcome: 'failed' })] } },
  ],
  ['review-head', worked, 'mend-checks', red],
  [
    'improve',
    reviewed('CHANGES_REQUESTED'),
    'continue',
    { a: { steps: [did('implement', { diff: 'd1' }), changes(1), did('improve', { outcome: 'limit' })] } },
  ],
  ['all-paused', { facts: { paused: 'ann' } }, null],
  ['attempts-spent', spentAttempts, 'all-paused', { facts: { paused: 'ann' } }],
  ['slices-spent', spentSlices, 'attempts-spent', spentAttempts],
  ['deaths-spent', died(5), 'slices-spent', spentSlices],
  ['death-pause', died(2), 'deaths-spent', died(5)],
  ['not-before', { a: { not_before: later } }, 'slices-spent', spentSlices],
  ['agent-limit', limited, 'not-before', { a: { not_before: later } }],
  ['lane-busy', busyLane, 'agent-limit', limited],
  ['overlap', busyFile, 'lane-busy', busyLane],
  [
    'workers-busy',
    { board: { claims: [claim('z', { step: 'implement' })] } },
    'overlap',
    { ...busyFile, facts: {} },
  ],
  ['budget', poor, 'workers-busy', { board: { claims: [claim('z', { step: 'implement' })] } }],
];

test('what a person holds takes no worker’s place', () => {
  const { decision } = play({ board: { claims: [claim('z', { holder: 'ann' })] } });
  expect(decision.action.kind).toBe('run');
});

const names = [...rules, ...startRules].map(({ name }) => name);

function matches(name: string, { facts, decision }: ReturnType<typeof play>): boolean {
  const view = viewOf(facts.board, decision.task);
  const rule = rules.find((one) => one.name === name);
  if (rule) return rule.match(view, facts) !== null;
  return startRules.find((one) => one.name === name)?.match(view, facts, emptyBatch(facts)) != null;
}

describe('the order of the rules', () => {
  test('is a contract', () => {
    expect(rules.map(({ name }) => name)).toMatchInlineSnapshot(`
[
  "dead-claim",
  "cancel-claim",
  "live-claim",
  "merged",
  "closed",
  "checks-red",
  "already-closed",
  "branch-gone",
  "changes-wait",
  "forced-verdict",
  "approved",
  "done",
  "loop-ended",
  "person-commits",
  "ledger-unread",
  "invalid-definition",
  "waits-for-person",
  "paused",
  "too-complex",
  "dependency-cycle",
  "dependency-missing",
  "dependency-failed",
  "dependency-dropped",
  "dependency-unapproved",
  "approval-awaited",
  "merge-awaited",
  "dependency-unmet",
  "has-children",
  "baseline-failed",
  "assigned",
  "command",
  "no-verdict",
  "agent-blocked",
  "agent-cannot",
  "first-step",
  "verification-failed",
  "continue",
  "mend-checks",
  "review-head",
  "improve",
  "nothing-left",
]
`);
    expect(startRules.map(({ name }) => name)).toMatchInlineSnapshot(`
[
  "all-paused",
  "attempts-spent",
  "slices-spent",
  "deaths-spent",
  "death-pause",
  "not-before",
  "agent-limit",
  "lane-busy",
  "overlap",
  "workers-busy",
  "budget",
]
`);
  });

  test('every rule has a scene', () => {
    expect(table.map(([name]) => name)).toEqual(names.filter((name) => name !== 'nothing-left'));
  });

  test.each(table)('%s decides its scene', (name, wins) => {
    expect(play(wins).decision.rule).toBe(name);
  });

  const pairs = table.flatMap(([name, wins, before, other]) =>
    before && other ? [[name, before, both(wins, other)] as const] : [],
  );
  test.each(pairs)('%s gives way to %s', (name, before, scene) => {
    const played = play(scene);
    expect([name, matches(name, played)]).toEqual([name, true]);
    expect([before, matches(before, played)]).toEqual([before, true]);
    expect(played.decision.rule).toBe(before);
  });

  test('nothing-left takes what no other rule does', () => {
    expect(matches('nothing-left', play({}))).toBe(true);
    expect(rules.at(-1)?.name).toBe('nothing-left');
  });
});

const decideA = (steps: StepRecord[], facts: FactFields = {}, a: Omit<Given, 'id'> = {}) =>
  play({ a: { ...a, steps }, facts }).decision;
const run = (step: string, cycle: number) => ({ action: { kind: 'run', step, cycle } });

describe('attempts and slices', () => {
  test('a failed step is done again until its attempts are spent, then it fails with the last error', () => {
    const steps = [did('implement', { outcome: 'failed', error: 'tests fail\nat x' })];
    expect(decideA(steps, {}, { attempts: 2, error: 'tests fail\nat x' })).toMatchObject({
      rule: 'continue',
      ...run('implement', 0),
    });
    expect(decideA(steps, {}, { attempts: 3, error: 'tests fail\nat x' })).toMatchObject({
      rule: 'attempts-spent',
      wanted: 'implement',
      action: { kind: 'fail', reason: '3 attempts failed; the last: tests fail' },
    });
  });

  test('a command runs although the attempts are spent', () => {
    const decision = decideA([did('implement', { outcome: 'failed' })], commanded.facts, { attempts: 3 });
    expect(decision).toMatchObject({ rule: 'command', ...run('implement', 0) });
  });

  test('a slice is continued max_slices times, then a person is asked', () => {
    const steps = [did('implement', { outcome: 'slice' })];
    expect(decideA(steps, {}, { slices: 2 })).toMatchObject({ rule: 'continue', ...run('implement', 0) });
    expect(decideA(steps, {}, { slices: 3 })).toMatchObject({
      rule: 'slices-spent',
      action: { kind: 'ask-person', stop: { reason: 'slices-spent' } },
    });
  });

  test('failed checks are told from other failures', () => {
    const steps = [did('implement', { outcome: 'failed', verified: false, error: '1 test failed' })];
    expect(decideA(steps).because).toBe('its checks failed: 1 test failed');
  });

  test('an error cannot bring control characters into a reason', () => {
    const steps = [did('implement', { outcome: 'failed', error: '\u001b[31mred\u202e\u0007' })];
    expect(decideA(steps).because).toBe('the last try failed: [31mred');
  });
});

describe('the loop of review and improve', () => {
  const start = did('implement', { diff: 'd1' });
  const improved = (cycle: number, diff = `d${cycle + 1}`) => did('improve', { cycle, diff });

  test('three cycles end MAX_CYCLES_REACHED without an improve after the last review', () => {
    const steps = [start];
    const seen: string[] = [];
    for (let cycle = 1; cycle <= 3; cycle += 1) {
      seen.push(JSON.stringify(decideA(steps).action));
      steps.push(changes(cycle));
      const next = decideA(steps, { lane: () => ({ diff: `d${cycle}` }) });
      seen.push(JSON.stringify(next.action.kind === 'finish' ? next.action.verdict : next.action));
      steps.push(improved(cycle));
    }
    expect(seen).toEqual([
      '{"kind":"run","step":"review","cycle":1}',
      '{"kind":"run","step":"improve","cycle":1}',
      '{"kind":"run","step":"review","cycle":2}',
      '{"kind":"run","step":"improve","cycle":2}',
      '{"kind":"run","step":"review","cycle":3}',
      '"MAX_CYCLES_REACHED"',
    ]);
  });

  test('an approval ends it at any cycle, also the last', () => {
    const steps = [start, changes(1), improved(1), changes(2), improved(2)];
    steps.push(did('review', { verdict: 'APPROVED', cycle: 3, diff: 'd3' }));
    expect(decideA(steps)).toMatchObject({ action: { kind: 'finish', verdict: 'APPROVED' } });
  });

  test('NEEDS_DISCUSSION stops at once, with a reason for a person', () => {
    const steps = [start, changes(1, { verdict: 'NEEDS_DISCUSSION' })];
    expect(decideA(steps).action).toMatchObject({
      kind: 'finish',
      verdict: 'NEEDS_DISCUSSION',
      stop: { reason: 'needs-discussion' },
    });
  });

  test('a red check is mended within the cycles there are, and no approval stands against it', () => {
    const red = (diff: string): FactFields => ({ lane: () => ({ diff, red: ['test'] }) });
    const approve = (cycle: number) => did('review', { verdict: 'APPROVED', cycle, diff: `d${cycle}` });
    const steps = [start, approve(1)];
    expect(decideA(steps, red('d1'))).toMatchObject({ rule: 'mend-checks', ...run('improve', 1) });
    expect(decideA([start, changes(1)], red('d1'))).toMatchObject({ rule: 'improve' });
    steps.push(improved(1), approve(2), improved(2), approve(3));
    const person = { action: { kind: 'ask-person', stop: { reason: 'checks-red' } } };
    expect(decideA(steps, red('d3'))).toMatchObject({ rule: 'mend-checks', ...person });
    expect(
      decideA([start, improved(0, 'd1')], { ...red('d1'), settings: { auto_review: false } }),
    ).toMatchObject({
      ...person,
      because: 'the required check test failed on GitHub, and an improve for it changed nothing',
    });
    const approved = { final_verdict: 'APPROVED', verdict_by: 'ann' } as const;
    expect(decideA(steps, red('d3'), approved).action).toMatchObject({ kind: 'finish' });
    const theirs = () => ({ ...red('d3').lane?.({} as never), personCommits: true });
    expect(decideA(steps, { lane: theirs }).rule).toBe('approved');
  });

  test('a cycle that a person grants allows one more improve and review', () => {
    const steps = [start, changes(1), improved(1), changes(2), improved(2), changes(3)];
    expect(decideA(steps, {}, { extra_cycles: 1 })).toMatchObject(run('improve', 3));
    steps.push(improved(3));
    expect(decideA(steps, {}, { extra_cycles: 1 })).toMatchObject(run('review', 4));
    steps.push(changes(4));
    expect(decideA(steps, {}, { extra_cycles: 1 }).action).toMatchObject({ verdict: 'MAX_CYCLES_REACHED' });
  });

  test('a diff that moved after the last review gets no review beyond the limit', () => {
    const steps = [start, changes(1), improved(1), changes(2), improved(2), changes(3)];
    expect(decideA(steps, { lane: () => ({ diff: 'other' }) }).action).toMatchObject({
      verdict: 'MAX_CYCLES_REACHED',
    });
  });

  test('reviews recorded without a cycle number are counted all the same', () => {
    const nameless = (diff: string) => did('review', { verdict: 'CHANGES_REQUESTED', diff });
    const steps = [start, nameless('d1'), improved(1), nameless('d2'), improved(2), nameless('d3')];
    expect(decideA(steps).action).toMatchObject({ verdict: 'MAX_CYCLES_REACHED' });
  });

  test('an improve whose diff is not known asks for a review, not for another improve', () => {
    const steps = [
      did('implement'),
      did('review', { verdict: 'CHANGES_REQUESTED', cycle: 1 }),
      did('improve'),
    ];
    expect(decideA(steps)).toMatchObject(run('review', 2));
  });

  test('an approval of another diff is no approval', () => {
    const steps = [start, did('review', { verdict: 'APPROVED', cycle: 1, diff: 'd1' })];
    expect(decideA(steps, { lane: () => ({ diff: 'd1' }) }).rule).toBe('approved');
    expect(decideA(steps, { lane: () => ({ diff: 'd2' }) })).toMatchObject(run('review', 2));
    expect(decideA(steps, { lane: () => ({ personCommits: true }) }).rule).toBe('person-commits');
    expect(decideA([...steps, did('improve', { outcome: 'slice', diff: 'd2' })])).toMatchObject(
      run('improve', 1),
    );
  });

  test('a review before anything was done neither ends nor improves the task', () => {
    for (const verdict of ['APPROVED', 'NEEDS_DISCUSSION', 'CHANGES_REQUESTED'] as const) {
      expect(decideA([changes(1, { verdict })])).toMatchObject({
        rule: 'first-step',
        ...run('implement', 0),
      });
    }
  });

  test.each([
    [
      'same-findings',
      [start, changes(1, { findings: ['!f'] }), changes(2, { diff: 'd1', findings: ['!f'] })],
    ],
    ['improve-without-effect', [start, changes(1), improved(1, 'd1')]],
    ['diff-undone', [start, changes(1), improved(1), changes(2), improved(2, 'd1')]],
  ])('%s goes to a person instead of round again', (reason, steps) => {
    expect(decideA(steps).action).toMatchObject({
      kind: 'finish',
      verdict: 'CHANGES_REQUESTED',
      stop: { reason },
    });
  });

  test('one blocker three times goes to a person although cycles are left', () => {
    const steps = [start];
    for (let n = 1; n <= 3; n += 1) steps.push(changes(n, { findings: ['!f', `g${n}`] }), improved(n));
    steps.pop();
    expect(decideA(steps, { settings: { max_review_cycles: 9 } }).action).toMatchObject({
      stop: { reason: 'same-blocker-again' },
    });
  });

  test('a review without a verdict asks a person: no approval, no improve, no attempt', () => {
    const steps = [start, did('review', { outcome: 'no-verdict', cycle: 1 })];
    expect(decideA(steps)).toMatchObject({ rule: 'no-verdict', action: { kind: 'ask-person' } });
    const answered = { not_before: steps[1]!.ended_at };
    expect(decideA(steps, {}, answered)).toMatchObject({ rule: 'continue', ...run('review', 1) });
    expect(decideA(steps, {}, { final_verdict: 'APPROVED' }).rule).toBe('forced-verdict');
  });

  test('an agent error in a review is neither: the review is done again', () => {
    const steps = [start, did('review', { outcome: 'failed', cycle: 1, error: 'network' })];
    expect(decideA(steps, {}, { attempts: 1 })).toMatchObject({ rule: 'continue', ...run('review', 1) });
  });

  test('a step that died says no cycle: it is done again under the number that it had', () => {
    expect(decideA([start, did('review', { outcome: 'lost' })])).toMatchObject(run('review', 1));
    const second = [start, changes(1), did('improve', { outcome: 'lost' })];
    expect(decideA(second)).toMatchObject({ rule: 'continue', ...run('improve', 1) });
  });

  test('a forced approval before the work does not end the task; after it, it does', () => {
    const given = { final_verdict: 'APPROVED' as const, verdict_by: 'ann' };
    expect(decideA([], {}, given)).toMatchObject(run('implement', 0));
    expect(decideA([start, changes(1)], {}, given)).toMatchObject({
      rule: 'forced-verdict',
      because: 'ann approved it',
    });
  });

  test('create_review is not a loop, and without auto_review nothing is reviewed', () => {
    const facts = { settings: { auto_review: false } };
    expect(decideA([start], facts, { create_review: true })).toMatchObject({
      rule: 'done',
      action: { kind: 'finish' },
    });
    expect(decideA([start, changes(1)], facts)).toMatchObject({
      rule: 'done',
      action: { kind: 'finish', verdict: 'CHANGES_REQUESTED' },
    });
  });

  test.each(['explore', 'plan', 'review', 'improve'] as const)(
    '%s tasks do one step and never loop',
    (type) => {
      expect(decideA([], {}, { type })).toMatchObject(run(type, 0));
      const step = did(type, type === 'review' ? { verdict: 'CHANGES_REQUESTED' } : {});
      const verdict = type === 'review' ? { verdict: 'CHANGES_REQUESTED' } : {};
      expect(decideA([step], {}, { type })).toMatchObject({
        rule: 'done',
        action: { kind: 'finish', ...verdict },
      });
    },
  );

  test('a limit of 0 cycles means no review', () => {
    expect(decideA([start], { settings: { max_review_cycles: 0 } }).rule).toBe('done');
  });

  test.each([
    ['approved', reviewed('APPROVED')],
    ['done', { ...worked, facts: { settings: { auto_review: false } } }],
    ['forced', forced],
    ['ended', reviewed('NEEDS_DISCUSSION')],
  ] as [string, Scene][])('what is %s still waits for its open subtasks', (_, scene) => {
    expect(play(both(scene, child)).decision.rule).toBe('has-children');
  });

  test('a parent that was worked on itself is reviewed when its checklist is done', () => {
    const open = play({ a: { steps: [start] }, others: [{ id: 'kid', parent: 'a' }] });
    expect(open.decision).toMatchObject({ rule: 'has-children', because: 'it waits for its subtasks #kid' });
    const over = play({
      a: { steps: [start] },
      others: [{ id: 'kid', parent: 'a', closed_at: now, closed_as: 'done' }],
    });
    expect(over.decision).toMatchObject(run('review', 1));
  });
});

describe('people', () => {
  test('a command passes a stop, but not a pause', () => {
    expect(play(both({ a: { stop } }, commanded)).decision.rule).toBe('command');
    expect(play(both({ a: { paused_at: earlier } }, commanded)).decision.rule).toBe('paused');
  });

  test('a command after the end runs without opening the task, numbered on', () => {
    const command = () => ({ step: 'review' as const, by: 'ann', guidance: 'look at x' });
    const done = { closed_at: earlier, closed_as: 'done' as const, review_cycle: 3 };
    expect(play({ a: done }).decision.rule).toBe('already-closed');
    expect(play({ a: done, facts: { command } }).decision).toMatchObject({
      rule: 'command',
      action: { kind: 'run', step: 'review', cycle: 4, guidance: 'look at x' },
    });
    const at = { board: { claims: [claim('a', { at: now })] } };
    expect(play({ a: { ...done, stop }, ...at }).decision.rule).toBe('live-claim');
  });

  test('their commits keep gza away until they ask', () => {
    const scene = both(worked, personal);
    expect(play(scene).decision.rule).toBe('person-commits');
    expect(play(both(scene, commanded)).decision.rule).toBe('command');
  });

  test.each([
    ['closed', { a: { closed_at: now, closed_as: 'done' } }],
    ['stopped', { a: { stop: { ...stop, at: now } } }],
    ['paused', { a: { paused_at: now } }],
    ['taken over', personal],
    ['merged', { facts: { lane: () => ({ pull: { state: 'merged' } }) } }],
    ['without a branch', gone],
  ] as [string, Scene][])('work in progress is cancelled on a task that is %s', (_, scene) => {
    expect(play(both(held, scene)).decision).toMatchObject({
      rule: 'cancel-claim',
      action: { kind: 'cancel' },
    });
  });

  test('a folded lane is not folded again', () => {
    const lane = { id: 'l', branch: 'gza/a', folded_at: earlier };
    const scene: Scene = { a: { lane }, facts: { lane: () => ({ pull: { state: 'closed' } }) } };
    expect(play(scene).decision).toMatchObject(run('implement', 0));
  });

  test('an answered question is not asked again', () => {
    const step = did('implement', { outcome: 'blocked', error: 'which database?' });
    expect(decideA([step])).toMatchObject({ rule: 'agent-blocked', because: 'which database?' });
    expect(decideA([step], {}, { not_before: step.ended_at })).toMatchObject(run('implement', 0));
  });
});

describe('what another try cannot change', () => {
  const cannot = (agent: string, ending: string) =>
    did('implement', { outcome: 'cancelled', ending, agent, error: 'no model gpt-9' });
  const both = { settings: { agents: ['claude', 'codex'] } };

  test('is asked of the next agent, and of a person when none is left', () => {
    const one = [cannot('claude', 'model')];
    expect(play({ a: { steps: one }, facts: both }).decision).toMatchObject(run('implement', 0));
    const steps = [...one, cannot('codex', 'context')];
    expect(play({ a: { steps }, facts: both }).decision).toMatchObject({
      rule: 'agent-cannot',
      because: 'codex: the prompt is too long for the model (no model gpt-9)',
      action: { kind: 'ask-person', stop: { reason: 'context-too-long' } },
      change: expect.stringContaining('gza split'),
    });
  });

  test('is over when a person answered, and when it went well since', () => {
    const step = cannot('claude', 'refused');
    expect(decideA([step], {}, { not_before: step.ended_at })).toMatchObject(run('implement', 0));
    expect(decideA([step, did('implement')]).rule).not.toBe('agent-cannot');
  });

  test('an ending that this version does not know is only what its outcome is', () => {
    expect(decideA([cannot('claude', 'moonlight')]).rule).toBe('continue');
  });
});

describe('deaths', () => {
  const death = (ended_at = now) => did('implement', { outcome: 'lost', ending: 'died', ended_at });
  const untilOf = (deaths: number) => {
    const { action } = decideA([death()], {}, { deaths });
    return action.kind === 'wait' ? action.until : action.kind;
  };

  test('are followed by a pause that grows, then by a person', () => {
    const minutes = [1, 2, 3, 4].map((deaths) => {
      const until = untilOf(deaths) ?? '';
      return until === 'run' ? 0 : (Date.parse(until) - Date.parse(now)) / 60_000;
    });
    expect(minutes).toEqual([0, 1, 5, 15]);
    expect(decideA([death()], {}, { deaths: 5 })).toMatchObject({
      rule: 'deaths-spent',
      because: 'its machine or process died 5 times in a row while it was worked on',
    });
  });

  test('hold nothing back once a person answered', () => {
    expect(decideA([death()], {}, { deaths: 4, not_before: now })).toMatchObject(run('implement', 0));
  });
});

describe('starting', () => {
  test('a second agent takes over while the first has met its limit', () => {
    const limits = { claude: later };
    expect(play({ facts: { limits, settings: { agents: ['claude', 'codex'] } } }).decision.rule).toBe(
      'first-step',
    );
    expect(play({ facts: { limits } }).decision).toMatchObject({
      rule: 'agent-limit',
      action: { until: later },
    });
    expect(play({ facts: { limits: { claude: earlier } } }).decision.rule).toBe('first-step');
  });

  test('the forge says whether a claim is alive, not the clock', () => {
    expect(play({ ...held, facts: { alive: () => false } }).decision.rule).toBe('dead-claim');
    expect(play({ ...dead, facts: { alive: () => true } }).decision.rule).toBe('live-claim');
  });

  test('its own budget spent asks a person, once', () => {
    const scene: Scene = { a: { cost_usd: 5 }, facts: { settings: { budget: 5 }, ...commanded.facts } };
    expect(play(scene).decision.action).toMatchObject({
      kind: 'ask-person',
      stop: { reason: 'over-budget' },
    });
    const asked = both(scene, { a: { stop: { reason: 'over-budget', detail: 'x', at: earlier } } });
    expect(play(asked).decision).toMatchObject({ rule: 'budget', action: { kind: 'wait' } });
  });

  test('two new tasks share what is left of the day, the first first', () => {
    const made = board([{ id: 'a', cost_usd: 2 }, { id: 'b' }, { id: 'c' }]);
    const facts = factsOf(made, { parallelWorkers: 3, dollarsLeft: 8, settings: { budget: 5 } });
    expect(decide(facts).map(({ rule }) => rule)).toEqual(['first-step', 'first-step', 'budget']);
  });

  test('tasks of one branch and tasks with one file take turns', () => {
    const made = board([
      { id: 'a', branch: 'x', files_to_create: ['f'] },
      { id: 'b', branch: 'x' },
      { id: 'c', files_to_create: ['./f'] },
      { id: 'd' },
    ]);
    const decisions = decide(factsOf(made, { parallelWorkers: 9 }));
    expect(decisions.map(({ task, rule }) => [task, rule])).toEqual([
      ['a', 'first-step'],
      ['b', 'lane-busy'],
      ['c', 'overlap'],
      ['d', 'first-step'],
    ]);
  });
});
