import { expect, test } from '@jest/globals';
import { summarise } from '../../../src/core/board/summary.ts';
import { plain } from '../../../src/core/text/terminal/lines.ts';
import { drawing, watchText } from '../../../src/core/text/terminal/watch.ts';
import { manyTasks } from '../report-world.ts';
import { board, byBoard } from '../world.ts';

test('what is drawn is what changed: the screen anew on a terminal, one board after the other in a pipe', () => {
  expect(drawing('a', '', true)).toBe('\u001b[H\u001b[2Ja\n');
  expect(drawing('b', 'a', true)).toBe('\u001b[H\u001b[2Jb\n');
  expect([drawing('a', '', false), drawing('b', 'a', false)]).toEqual(['a\n', '\nb\n']);
  expect([drawing('a', 'a', true), drawing('a', 'a', false)]).toEqual(['', '']);
});

test('a board of any size fits the screen, and what does not fit is counted', () => {
  const of = board(manyTasks(10_000, (n) => ({ title: `\u001b[31mRed ${'x'.repeat(n % 200)}` })));
  for (const [columns, rows] of [
    [40, 8],
    [80, 24],
    [200, 60],
  ] as const) {
    const text = watchText(of, summarise(of, [], []), {
      style: plain,
      columns,
      rows,
      cyclesMax: () => 3,
      readiness: byBoard,
      source: '',
    });
    const lines = text.split('\n');
    expect(lines.length).toBeLessThan(rows);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/\u001b/);
  }
});
