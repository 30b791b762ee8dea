import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Board, inOrder, longestChains, type TaskView } from '../../src/core/board/board.ts';
import { buildGraph, type GraphNode } from '../../src/core/board/graph.ts';
import { compareText, naturalCompare } from '../../src/core/shape.ts';
import { priorities, type Task } from '../../src/core/task/task.ts';

type Given = Partial<Task> & { readonly age?: number };

const order = (
  given: Readonly<Record<string, Given>>,
  milestones: string[] = [],
  ids = Object.keys(given),
) => {
  const views = new Map(
    Object.entries(given).map(([id, { age = 0, ...task }]) => {
      const view = { id, position: age, status: 'pending', task: { id, ...task }, children: [] };
      return [id, view as unknown as TaskView];
    }),
  );
  const graph = buildGraph([...views.values()].map(({ task }) => ({ ...task, closed: false })));
  const board = { views, graph, milestones } as unknown as Board;
  return inOrder(
    ids.map((id) => views.get(id)!),
    board,
  ).map(({ id }) => id);
};

test('priority goes first, and no priority is medium', () => {
  expect(
    order({
      low: { priority: 'low' },
      unset: { age: 1 },
      medium: { priority: 'medium' },
      critical: { priority: 'critical', age: 9 },
      high: { priority: 'high' },
    }),
  ).toEqual(['critical', 'high', 'medium', 'unset', 'low']);
});

test('then milestones: the configured order, then natural order of ids, then none', () => {
  const facts = {
    a: {},
    b: { milestone: 'M10' },
    c: { milestone: 'M2' },
    d: { milestone: 'later' },
    e: { milestone: 'now' },
  };
  expect(order(facts, ['now', 'later'])).toEqual(['e', 'd', 'c', 'b', 'a']);
});

test('then the longest remaining chain, then age, then id', () => {
  const given = {
    t10: {},
    t9: {},
    old: { age: -1 },
    chained: { age: 5 },
    after: { depends_on: ['chained'] },
  };
  expect(order(given, [], ['t10', 't9', 'old', 'chained'])).toEqual(['chained', 'old', 't9', 't10']);
});

test('the order does not depend on the order asked in', () => {
  const given = fc.record({
    priority: fc.constantFrom(...priorities),
    milestone: fc.constantFrom('M1', 'M2', 'M10'),
    age: fc.nat(3),
  });
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z0-9]{1,3}$/), given, { maxKeys: 8 }), (all) => {
      const ids = Object.keys(all);
      expect(order(all, ['M2'], ids.toReversed())).toEqual(order(all, ['M2'], ids));
    }),
  );
});

test('a chain counts open tasks only, through parents too, and a cycle counts nothing', () => {
  const nodes: (Partial<GraphNode> & { id: string })[] = [
    { id: 'a' },
    { id: 'b', depends_on: ['a'] },
    { id: 'c', depends_on: ['b'] },
    { id: 'parent' },
    { id: 'child', parent: 'parent' },
    { id: 'after', depends_on: ['parent'] },
    { id: 'x', depends_on: ['y'] },
    { id: 'y', depends_on: ['x', 'z'] },
    { id: 'z' },
  ];
  const graph = buildGraph(nodes.map((n) => ({ closed: false, ...n })));
  const all = longestChains(graph, () => true);
  expect(['a', 'b', 'c'].map((id) => all.get(id))).toEqual([2, 1, 0]);
  expect([all.get('child'), all.get('parent'), all.get('z'), all.get('x')]).toEqual([1, 1, 1, 0]);
  expect(longestChains(graph, (id) => id !== 'b').get('a')).toBe(0);
});

test('a chain is one more than the longest among what waits', () => {
  const lists = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 25 });
  fc.assert(
    fc.property(lists, (all) => {
      const nodes = all.map((list, i) => ({
        id: `n${i}`,
        closed: false,
        depends_on: i === 0 ? [] : list.map((x) => `n${x % i}`),
      }));
      const graph = buildGraph(nodes);
      const chains = longestChains(graph, () => true);
      for (const { id } of nodes) {
        const above = graph.dependents(id).map((d) => 1 + chains.get(d.id)!);
        expect(chains.get(id)).toBe(Math.max(0, ...above));
      }
    }),
  );
});

test('natural order puts M2 before M10 and is a total order', () => {
  expect(['M10', 'M2', 'M02', 'm1', 'M', 'M2b'].sort(naturalCompare)).toEqual([
    'M',
    'M02',
    'M2',
    'M2b',
    'M10',
    'm1',
  ]);
  const text = fc.string({ unit: fc.constantFrom('0', '1', '2', 'a', '-', 'é') });
  fc.assert(
    fc.property(text, text, text, (a, b, c) => {
      expect(Math.sign(naturalCompare(a, b)) + Math.sign(naturalCompare(b, a))).toBe(0);
      expect(naturalCompare(a, b) === 0).toBe(compareText(a, b) === 0);
      if (naturalCompare(a, b) <= 0 && naturalCompare(b, c) <= 0)
        expect(naturalCompare(a, c)).toBeLessThanOrEqual(0);
    }),
  );
});
