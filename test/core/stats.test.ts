import { expect, test } from '@jest/globals';
import type { TaskView } from '../../src/core/board/board.ts';
import type { StepRecord, TaskRecord } from '../../src/core/ledger/record/record.ts';
import { boardCosts, costRows } from '../../src/core/policy/cost.ts';
import { reportData } from '../../src/core/report/report-data.ts';
import { statsOf } from '../../src/core/report/stats.ts';
import { plain } from '../../src/core/text/terminal/lines.ts';
import { statsText } from '../../src/core/text/terminal/stats.ts';
import { costLines } from '../../src/core/text/terminal/work-summary.ts';
import { board, byBoard, type Given } from './world.ts';

const time = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;

/** Steps a minute each, one after the other. */
function steps(...all: (Partial<StepRecord> & Pick<StepRecord, 'step'>)[]): StepRecord[] {
  return all.map((one, at) => ({
    outcome: 'ok',
    started_at: time(2 * at),
    ended_at: time(2 * at + 1),
    ...one,
  }));
}

const work = (agent: string, cost_usd = 1, more: Partial<StepRecord> = {}) => ({
  step: 'implement' as const,
  agent,
  cost_usd,
  ...more,
});
const review = (agent: string, verdict: StepRecord['verdict'], cost_usd = 0.5) => ({
  step: 'review' as const,
  agent,
  cost_usd,
  ...(verdict ? { verdict } : {}),
});

function task(id: string, all: StepRecord[], more: Partial<TaskRecord> = {}): TaskRecord & Given {
  const sum = (of: (step: StepRecord) => number | undefined) =>
    all.reduce((total, one) => total + (of(one) ?? 0), 0);
  return {
    id,
    type: 'implement',
    title: id,
    content: id,
    created_at: time(0),
    closed_at: time(59),
    closed_as: 'done',
    steps: all,
    cost_usd: sum((one) => one.cost_usd),
    unpriced_tokens: sum((one) => one.unpriced_tokens),
    seconds: 60 * all.length,
    ...more,
  };
}

const records: (TaskRecord & Given)[] = [
  task('a1', steps(work('ann', 2), review('bob', 'APPROVED'))),
  task(
    'a2',
    steps(
      work('ann', 2),
      review('bob', 'CHANGES_REQUESTED'),
      { ...work('ann', 1), step: 'improve' },
      review('bob', 'APPROVED'),
    ),
  ),
  task('a3', steps(work('ann', 2, { outcome: 'failed' }), work('ann', 2), review('bob', 'APPROVED'))),
  // Another took over: who left the work that was judged is its author.
  task(
    'b1',
    steps(work('ann', 1, { outcome: 'failed' }), work('bob', 1, { model: 'm-2' }), review('ann', 'APPROVED')),
  ),
  task('b2', steps(work('bob', 1, { model: 'm-2' }), review('ann', 'APPROVED'))),
  // Judged by a review that is a task of its own.
  task('b3', steps(work('bob', 1, { model: 'm-2', unpriced_tokens: 5000 }))),
  task('rev', steps({ ...review('ann', 'APPROVED'), started_at: time(30), ended_at: time(31) }), {
    type: 'review',
    depends_on: ['b3'],
  }),
  { id: 'never', type: 'implement', title: 'never', content: 'never', created_at: time(0) },
];

const views = () =>
  [...board(records).views.values()].map((view) => ({
    ...view,
    record: records.find(({ id }) => id === view.id) ?? null,
  })) as TaskView[];

test('who is best is told by what reviews said of the work that they saw first', () => {
  const stats = statsOf(views(), ({ id }) => (id.startsWith('a') ? 'HIGH' : 'LOW'));
  const judged = stats.agents.map(({ name, reviewed, approved_at_once, cycles }) => [
    name,
    reviewed,
    approved_at_once,
    cycles,
  ]);
  expect(judged).toEqual([
    ['ann', 3, 2, 4],
    ['bob', 3, 3, 3],
  ]);
  expect(stats.best).toBe('bob');
  // Money and time are those of an agent's own steps.
  expect(
    stats.agents.map(({ cost_usd, steps: count, failed, seconds }) => [cost_usd, count, failed, seconds]),
  ).toEqual([
    [11.5, 9, 2, 540],
    [5, 7, 0, 420],
  ]);
  expect(stats.models.find(({ name }) => name === 'm-2')).toMatchObject({
    tasks: 3,
    reviewed: 3,
    cost_usd: 3,
    unpriced_tokens: 5000,
  });
  expect(stats.types.map(({ name, tasks, done }) => [name, tasks, done])).toEqual([
    ['implement', 7, 6],
    ['review', 1, 1],
  ]);
  expect(
    stats.sizes.map(({ name, reviewed, approved_at_once }) => [name, reviewed, approved_at_once]),
  ).toEqual([
    ['HIGH', 3, 2],
    ['LOW', 3, 3],
  ]);
  expect(stats.total).toMatchObject({ tasks: 8, cost_usd: 16.5, reviewed: 6, approved_at_once: 5 });
  const text = statsText(stats, plain);
  expect(text).toContain('Best here so far: bob, with 3 of 3 approved at once');
  expect(text).toMatch(/^bob +6 +6 +3 of 3 +1\.0 +7 +0 +7 min +\$5\.00 \+ 5k tokens$/m);
});

test('the page of the report and the statistics have the same numbers', () => {
  const all = views();
  const stats = statsOf(all, () => '');
  const made = board(records);
  const data = reportData({ title: 't', board: made, views: all, waiting: [], readiness: byBoard });
  const cents = (rows: readonly { name: string; cost_usd: number }[]) =>
    rows.map(({ name, cost_usd }) => [name, Math.round(cost_usd * 100)]);
  expect(data.byAgent.map((row) => [row.name, row.cents])).toEqual(cents(stats.agents));
  expect(data.byGroup.map((row) => [row.name, row.cents])).toEqual(cents(stats.groups));
});

test('an empty history says so, few tasks have no best agent, and a long list is cut', () => {
  const none = statsOf([], () => '');
  expect(none.best).toBeNull();
  expect(statsText(none, plain)).toContain('nothing to look back on');
  const [first] = views();
  expect(
    statsText(
      statsOf([first as TaskView], () => 'LOW'),
      plain,
    ),
  ).toContain('Too early to say');
  const many = Array.from({ length: 150 }, (_, at) => ({
    ...first,
    record: task('a1', steps(work(`agent-${at}`))),
  })) as TaskView[];
  const { agents } = statsOf(many, () => '');
  expect(agents).toHaveLength(100);
  expect(
    statsText(
      statsOf(many, () => ''),
      plain,
    ),
  ).toContain('… and 80 more');
});

test('costs are summed by task, step and agent, with what is reserved and what has no price', () => {
  const claim = {
    id: 'c',
    task: 'a1',
    lane: 'l',
    holder: 'ann',
    at: time(0),
    until: time(59),
    step: 'improve' as const,
    agent: 'ann',
    reserved_usd: 4,
  };
  const [first, second] = views();
  const rows = boardCosts([
    { ...(first as TaskView), claim },
    {
      ...(second as TaskView),
      record: task(
        'a2',
        steps(work('ann', 0.1), work('ann', 0.2, { reserved_usd: 3, unpriced_tokens: 1200 })),
      ),
    },
  ]);
  expect(
    rows.map(({ task: id, step, agent, steps: count, reserved_usd, cost_usd, unpriced_tokens }) => [
      id,
      step,
      agent,
      count,
      reserved_usd,
      cost_usd,
      unpriced_tokens,
    ]),
  ).toEqual([
    ['a1', 'implement', 'ann', 1, 0, 2, 0],
    ['a1', 'review', 'bob', 1, 0, 0.5, 0],
    ['a2', 'implement', 'ann', 2, 3, 0.3, 1200],
    ['a1', 'improve', 'ann', 0, 4, 0, 0],
  ]);
  expect(costLines(rows)).toEqual([
    '  task  step       agent  runs  reserved              spent   time',
    '  a1    implement  ann       1         –              $2.00   60 s',
    '  a1    review     bob       1         –              $0.50   60 s',
    '  a2    implement  ann       2     $3.00  $0.30 + 1k tokens  2 min',
    '  a1    improve    ann       0     $4.00                  –      –',
    '  all                        4     $7.00  $2.80 + 1k tokens  4 min',
  ]);
  expect(costLines(costRows([]))).toEqual([]);
});
