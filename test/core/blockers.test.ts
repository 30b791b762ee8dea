import { expect, test } from '@jest/globals';
import { blockersOf, type DependencyState } from '../../src/core/blockers.ts';
import { buildGraph } from '../../src/core/graph.ts';
import { describeBlocker, describeCycle } from '../../src/core/text/blockers.ts';

test('each kind of blocker is named as what it is, and what a person must settle comes first', () => {
  const ids: Record<string, DependencyState> = {
    met: 'met',
    slow: 'waiting',
    bad: 'failed',
    gone: 'dropped',
  };
  const graph = buildGraph([
    ...Object.keys(ids).map((id) => ({ id, closed: false })),
    { id: 'maker', closed: false, files_to_create: ['src/a.ts'] },
    {
      id: 't',
      closed: false,
      depends_on: ['slow', 'met', 'bad', 'ghost', 'gone'],
      files_to_modify: ['src/a.ts'],
    },
  ]);
  const blockers = blockersOf(graph, 't', ({ id }) => ids[id] ?? 'failed');
  expect(blockers.map(describeBlocker)).toEqual([
    'blocked by #ghost, which does not exist',
    'blocked by #bad, which failed',
    'blocked by #gone, which was dropped',
    'blocked by #maker (it creates src/a.ts), which failed',
    'blocked by #slow',
  ]);
});

test('a cycle is shown as a path, and a long one is cut', () => {
  const graph = buildGraph([
    { id: 'a', closed: false, depends_on: ['b'] },
    { id: 'b', closed: false, depends_on: ['a'] },
  ]);
  expect(blockersOf(graph, 'b', () => 'met').map(describeBlocker)).toEqual(['waits for itself: a → b → a']);
  const long = Array.from({ length: 20 }, (_, i) => `t${i}`);
  expect(describeCycle(long)).toBe('t0 → t1 → t2 → t3 → t4 → t5 → t6 → t7 → (10 more) → t18 → t19');
});
