import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { buildGraph, type GraphNode } from '../../src/core/board/graph/graph.ts';
import { longestChains, type OrderFact, readyOrder } from '../../src/core/board/ready-order.ts';
import { compareText, naturalCompare } from '../../src/core/natural-compare.ts';
import { priorities } from '../../src/core/task/task.ts';

const same: OrderFact = { chain: 0, age: 0 };
const order = (facts: Record<string, Partial<OrderFact>>, milestones: string[] = []) =>
  readyOrder(Object.keys(facts), { milestones, of: (id) => ({ ...same, ...facts[id] }) });

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
  expect(order({ t10: {}, t9: {}, old: { age: -1 }, chained: { chain: 3, age: 5 } })).toEqual([
    'chained',
    'old',
    't9',
    't10',
  ]);
});

test('the order does not depend on the order asked in', () => {
  const fact = fc.record({
    priority: fc.option(fc.constantFrom(...priorities), { nil: undefined }),
    milestone: fc.option(fc.constantFrom('M1', 'M2', 'M10'), { nil: undefined }),
    chain: fc.nat(3),
    age: fc.nat(3),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string(), { maxLength: 8 }),
      fc.array(fact, { minLength: 8, maxLength: 8 }),
      (ids, facts) => {
        const of = (id: string) => facts[ids.indexOf(id)]!;
        const milestones = ['M2'];
        expect(readyOrder(ids.toReversed(), { milestones, of })).toEqual(readyOrder(ids, { milestones, of }));
      },
    ),
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
