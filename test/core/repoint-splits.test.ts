import { expect, test } from '@jest/globals';
import type { BoardItem } from '../../src/core/board/board.ts';
import { repointSplits } from '../../src/core/board/items.ts';
import { earlier, type Given, item } from './world.ts';

const repointed = (...given: Given[]) =>
  Object.fromEntries(
    repointSplits(given.map((one, at): BoardItem => item(one, at))).map(({ task }) => [
      task.id,
      task.depends_on,
    ]),
  );
const split = { closed_at: earlier, closed_as: 'split' } as const;

test('what waits for a split task waits for its last segment, also when that was split again', () => {
  const big = { id: 'big', ...split };
  const [a, b] = [
    { id: 'big-a', parent: 'big' },
    { id: 'big-b', parent: 'big', depends_on: ['big-a'] },
  ];
  const after = { id: 'after', depends_on: ['x', 'big'] };
  expect(repointed(big, a, b, after)['after']).toEqual(['x', 'big-b']);
  const again = [
    { ...b, ...split },
    { id: 'c', parent: 'big-b' },
    { id: 'd', parent: 'big-b', depends_on: ['c'] },
  ];
  expect(repointed(after, big, a, ...again)['after']).toEqual(['x', 'd']);
});

test('a task that is only the parent of others is waited for itself', () => {
  const given = [{ id: 'big' }, { id: 'part', parent: 'big' }, { id: 'after', depends_on: ['big'] }];
  expect(repointed(...given)['after']).toEqual(['big']);
  expect(repointed({ id: 'big', ...split }, { id: 'after', depends_on: ['big'] })['after']).toEqual(['big']);
});
