import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { summarise } from '../../src/core/board/summary.ts';
import { layoutGraph } from '../../src/core/report/graph-layout.ts';
import { jsonForScript, reportHtml } from '../../src/core/report/report-data.ts';
import { plain } from '../../src/core/text/terminal/lines.ts';
import { summaryMarkdown, summaryText } from '../../src/core/text/terminal/lists.ts';
import { watchText } from '../../src/core/text/terminal/watch.ts';
import { manyTasks, reportOf } from './report-world.ts';
import { board, byBoard, claim, earlier } from './world.ts';

describe('the size of the data', () => {
  const sizeOf = (count: number) =>
    Buffer.byteLength(reportHtml('id="data">null<', reportOf(manyTasks(count))));

  test('leaves a page under 500 KB at a thousand tasks, and grows no faster than the tasks', () => {
    expect(sizeOf(1_000)).toBeLessThan(470_000);
    expect(sizeOf(10_000)).toBeLessThan(4_000_000);
  });
});

test('data in the page reads as what it was and holds nothing that markup could see', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, text) => {
      const printed = jsonForScript([value, text, '</script><!--\u2028&']);
      expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify([value, text, '</script><!--\u2028&'])));
      expect(printed).not.toMatch(/[<>&\u2028\u2029]/);
    }),
  );
});

describe('the graph', () => {
  const edges = fc.array(fc.record({ from: fc.nat(29), to: fc.nat(29) }), { maxLength: 60 });

  test('gives each node a place of its own', () => {
    fc.assert(
      fc.property(edges, (list) => {
        const places = layoutGraph(30, list);
        expect(new Set(places.map(({ column, row }) => `${column},${row}`)).size).toBe(30);
      }),
    );
  });

  test('has what is waited for to the left of what waits, where nothing goes round', () => {
    fc.assert(
      fc.property(edges, (list) => {
        const forward = list.filter(({ from, to }) => from < to);
        const places = layoutGraph(30, forward);
        for (const { from, to } of forward) expect(places[from]!.column).toBeLessThan(places[to]!.column);
      }),
    );
  });

  test('is of groups when the tasks are too many, with a drawing for each', () => {
    const { graphs, tasks } = reportOf(manyTasks(1_501));
    expect(graphs[0]).toMatchObject({ name: 'Groups', of: 'parts' });
    expect(graphs.slice(1).reduce((sum, one) => sum + one.nodes.length / 3, 0)).toBe(tasks.length);
  });
});

describe('a summary', () => {
  const given = [
    { id: 'a', title: 'A', closed_at: earlier, closed_as: 'done' as const, milestone: 'M1', cost_usd: 1.5 },
    { id: 'b', title: 'B', closed_at: earlier, closed_as: 'skipped' as const, milestone: 'M1' },
    { id: 'c', title: 'C', closed_at: earlier, closed_as: 'dropped' as const },
    { id: 'd', title: 'D | <x> @ann', group: 'g', stop: { reason: 'r', detail: 'see @bob #1', at: earlier } },
    { id: 'e', title: 'E', group: 'g' },
    { id: 'f', title: 'F', closed_at: earlier, closed_as: 'failed' as const, error: 'no' },
  ];
  const made = board(given, { claims: [claim('e')] });
  const waiting = [
    { id: 'd', title: 'D | <x> @ann', reason: 'r', detail: 'see @bob', commands: ['gza unblock d'] },
  ];
  const summary = summarise(made, [{ id: 'M1', name: 'Core' }], waiting);

  test('counts what is dropped nowhere, and what was done elsewhere as progress', () => {
    expect(summary.tasks).toEqual({
      total: 5,
      completed: 1,
      unapproved: 0,
      pending: 1,
      in_progress: 1,
      failed: 1,
      skipped: 1,
      progress: '40%',
    });
    expect(summary).toMatchObject({
      current_task_id: 'e',
      in_flight_task_ids: ['e'],
      completed_task_ids: ['a'],
      failed_task_ids: ['f'],
      cost_usd: 1.5,
    });
    expect(summary.milestones[0]).toMatchObject({ id: 'M1', status: 'completed', progress: '100%' });
  });

  test('is text for people and Markdown in which nobody is called', () => {
    expect(summaryText(summary, plain)).toMatchInlineSnapshot(`
"40% of 5 tasks: 1 completed, 1 in_progress, 1 pending, 1 failed, 1 skipped
current: e
in flight: e
failed: f
spent: $1.50

Milestones
  100%  M1 Core: completed, 1 of 2

Groups
    0%  g: 1 in_progress, 1 pending

Waiting for a person
  ! d: D | <x> @ann (r)
      see @bob
      gza unblock d"
`);
    expect(summaryMarkdown(summary)).toMatchInlineSnapshot(`
"### 40% of 5 tasks

1 completed, 1 in_progress, 1 pending, 1 failed, 1 skipped

- Current: e
- In flight: e
- Failed: f
- Spent: $1.50

| | Progress | Completed | Pending | In progress | Failed |
| --- | ---: | ---: | ---: | ---: | ---: |
| Milestone M1 Core | 100% | 1 | 0 | 0 | 0 |
| g | 0% | 0 | 1 | 1 | 0 |

#### Waiting for a person

- **d** D \\| &lt;x> @​ann: see @​bob
  \`gza unblock d\`
"
`);
  });

  test('of nothing says so', () => {
    expect(summaryText(summarise(board([]), [], []), plain)).toBe('0% of 0 tasks: no tasks');
  });

  test('is watched on a screen that is never overrun', () => {
    const large = board(manyTasks(500).map((one) => ({ ...one, title: '漢字\u001b[2J'.repeat(40) })));
    for (const rows of [12, 24, 60]) {
      const options = { style: plain, columns: 80, rows, cyclesMax: () => 3, readiness: byBoard, source: '' };
      const lines = watchText(large, summarise(large, [], []), options).split('\n');
      expect(lines.length).toBeLessThanOrEqual(rows);
      expect(lines.join('').includes('\u001b')).toBe(false);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    }
  });
});
