import { expect, test } from '@jest/globals';
import { summarise } from '../../../src/core/board/summary.ts';
import { decide } from '../../../src/core/policy/decide.ts';
import { printStepSummary } from '../../../src/core/text/github/step-summary.ts';
import { manyTasks } from '../report-world.ts';
import { board, factsOf, type Given } from '../world.ts';

function summaryOf(
  given: readonly Given[],
  rows: Parameters<typeof printStepSummary>[0]['rows'] = [],
): string {
  const of = board(given);
  const decisions = decide(factsOf(of));
  const said = '2 of the ready tasks were started.';
  return printStepSummary({ board: of, decisions, job: 'pick', said, rows, summary: summarise(of, [], []) });
}

test('the summary of a job has progress, cost and time of tasks, the board and the graph', () => {
  const text = summaryOf([
    {
      id: 'a',
      title: 'Add login',
      group: 'g|h',
      milestone: 'M1',
      cost_usd: 0.5,
      seconds: 60,
      closed_at: '2026-01-02T11:00:00Z',
      closed_as: 'done',
    },
    { id: 'b', title: 'Show @team <b>it</b>', group: 'g|h', depends_on: ['a'], cost_usd: 1.25, seconds: 600 },
    { id: 'c', title: 'Then this', depends_on: ['b'] },
  ]);
  expect(text).toContain('### 33% of 3 tasks');
  expect(text).toContain('- Spent: $1.75, 11 min');
  expect(text).toContain('| Milestone M1 | 100% | 1 | 0 | 0 | 0 |');
  expect(text).toMatch(/\| g\\\|h \| 50% \| 1 \| 1 \| 0 \| 0 \|/);
  // The most costly first.
  expect(text).toMatch(
    /### Cost and time\n\n.*\n.*\n\| b Show ＠team &lt;b>it&lt;\/b> \| pending \| \$1.25 \| 10 min \|\n\| a Add login \| completed \| \$0.50 \| 60 s \|\n\| \*\*Total\*\* \| {2}\| \*\*\$1.75\*\* \| \*\*11 min\*\* \|/,
  );
  expect(text).toMatch(/### Ready\n\n- \*\*b: [^]*### Blocked\n\n- \*\*c: Then this/);
  expect(text).toMatch(/```mermaid\ngraph LR\n[^]*t0 --> t1/);
});

test('a summary of ten thousand tasks is one that GitHub shows', () => {
  const long = 'ж'.repeat(80);
  const tasks = manyTasks(10_000, (n) => ({ title: `${long}${n}`, group: `${long}${n}` }));
  const rows = Array.from({ length: 3000 }, (_, n) => ({ task: `t${n}`, step: 'implement', outcome: long }));
  const text = summaryOf(tasks, rows);
  expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
  expect(text).toContain('of 10000 tasks');
  expect(text).toMatch(/\| … and 99\d\d more \| \| \| \| \| \|/);
  expect(text).toContain('more tasks |');
});
