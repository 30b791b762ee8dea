import { expect, test } from '@jest/globals';
import { decide } from '../../../src/core/policy/decide.ts';
import { printStepSummary } from '../../../src/core/text/github/step-summary.ts';
import { manyTasks } from '../report-world.ts';
import { board, factsOf } from '../world.ts';

test('the summary of a job says what the job did, and nothing that the board says', () => {
  const rows = [{ task: 'a', step: 'implement', outcome: 'started', agent: 'claude', reserved_usd: 2 }];
  expect(printStepSummary({ job: 'pick', said: 'Started 1 of 3 ready tasks.', rows })).toBe(`## gza pick

Started 1 of 3 ready tasks.

| Task | Step | Outcome | Agent | Reserved |
| :-- | :-- | :-- | :-- | --: |
| a | implement | started | claude | $2.00 |
`);
});

test('a summary of ten thousand tasks is one that GitHub shows', () => {
  const long = 'ж'.repeat(80);
  const of = board(manyTasks(10_000, (n) => ({ title: `${long}${n}`, group: `${long}${n}` })));
  const rows = Array.from({ length: 3000 }, (_, n) => ({ task: `t${n}`, step: 'implement', outcome: long }));
  const facts = { board: of, decisions: decide(factsOf(of)) };
  const text = printStepSummary({ job: 'pick', said: 'Nothing was ready to start.', rows, board: facts });
  expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
  expect(text).toContain('… and 2500 more rows');
  expect(text).toMatch(/- … and \d+ more tasks/);
});
