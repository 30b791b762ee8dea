import { expect, test } from '@jest/globals';
import { buildTree, currentPosition } from '../../src/core/board/items.ts';

const tree = buildTree([
  { id: 'auth' },
  { id: 'brainstorm', parent: 'auth' },
  { id: 'execute', parent: 'auth' },
  { id: 'finish', parent: 'auth' },
  { id: 'task-1', parent: 'execute' },
  { id: 'task-2', parent: 'execute' },
  { id: 'spec-review', parent: 'task-2' },
  { id: 'other', parent: 'not-here' },
]);

test('the tree is walked in pre-order, siblings as given', () => {
  expect(tree.preOrder).toEqual([
    'auth',
    'brainstorm',
    'execute',
    'task-1',
    'task-2',
    'spec-review',
    'finish',
    'other',
  ]);
  expect(tree.isAbove('execute', 'spec-review')).toBe(true);
  expect(tree.isAbove('execute', 'finish')).toBe(false);
  expect(tree.isAbove('execute', 'execute')).toBe(false);
});

test('the current position is the first open leaf in pre-order, not the shallowest', () => {
  const done = new Set(['brainstorm', 'task-1']);
  expect(currentPosition(tree, (id) => !done.has(id))).toBe('spec-review');
  expect(currentPosition(tree, () => false)).toBeUndefined();
});

test('a loop of parents is cut above its smallest id, whatever the order', () => {
  const nodes = [
    { id: 'b', parent: 'a' },
    { id: 'c', parent: 'b' },
    { id: 'a', parent: 'c' },
    { id: 'leaf', parent: 'c' },
    { id: 'own', parent: 'own' },
  ];
  for (const given of [nodes, nodes.toReversed()]) {
    const cut = buildTree(given);
    expect([...cut.preOrder].sort()).toEqual(['a', 'b', 'c', 'leaf', 'own']);
    expect(['a', 'b', 'c', 'leaf', 'own'].map((id) => cut.parent(id))).toEqual([
      undefined,
      'a',
      'b',
      'c',
      undefined,
    ]);
  }
});
