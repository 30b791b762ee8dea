import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { longestChains } from '../../src/core/board/board.ts';
import { buildGraph, creatorsMax, type Graph, type GraphNode } from '../../src/core/board/graph.ts';

type Partly = Partial<GraphNode> & { id: string };
const node = (partly: Partly): GraphNode => ({ closed: false, ...partly });
const graph = (...nodes: Partly[]) => buildGraph(nodes.map(node));

describe('dependencies', () => {
  test('a task that modifies a file waits for every task that creates it, however the path is written', () => {
    const g = graph(
      { id: 'model', files_to_create: ['src/user.ts'] },
      { id: 'other', files_to_create: ['src//user.ts'] },
      { id: 'login', files_to_modify: ['./src/user.ts', 'src/app.ts'] },
    );
    expect(g.dependencies('login')).toEqual([
      { id: 'model', why: 'file', file: 'src/user.ts' },
      { id: 'other', why: 'file', file: 'src/user.ts' },
    ]);
    expect(g.dependents('model')).toEqual([{ id: 'login', why: 'file', file: 'src/user.ts' }]);
    expect(g.order).toEqual(['model', 'other', 'login']);
  });

  test('a written dependency hides the file-based one on the same task', () => {
    const g = graph(
      { id: 'a', files_to_create: ['x'] },
      { id: 'b', depends_on: ['a', 'a'], files_to_modify: ['x'] },
    );
    expect(g.dependencies('b')).toEqual([{ id: 'a', why: 'explicit' }]);
  });

  test('a file-based dependency is not made on a closed creator, on itself, or between a parent and its child', () => {
    const g = graph(
      { id: 'old', files_to_create: ['x'], closed: true },
      { id: 'both', files_to_create: ['y'], files_to_modify: ['y', 'x'] },
      { id: 'parent', files_to_create: ['z'] },
      { id: 'child', parent: 'parent', files_to_modify: ['z'] },
    );
    for (const id of ['both', 'parent', 'child']) expect(g.dependencies(id)).toEqual([]);
    expect(g.warnings).toEqual([]);
  });

  test('a dependency that names no task is missing, not waited for', () => {
    const g = graph({ id: 'a', depends_on: ['ghost', 'b', 'ghost'] }, { id: 'b' });
    expect(g.missing('a')).toEqual(['ghost']);
    expect(g.dependencies('a')).toEqual([{ id: 'b', why: 'explicit' }]);
    expect(g.missing('nobody')).toEqual([]);
  });

  test('a file with very many creators is bounded, and says so', () => {
    const creators = Array.from({ length: creatorsMax + 5 }, (_, i) => ({
      id: `c${i}`,
      files_to_create: ['x'],
    }));
    const g = graph(...creators, { id: 'm', files_to_modify: ['x'] });
    expect(g.dependencies('m')).toHaveLength(creatorsMax);
    expect(g.warnings.map((w) => w.message)).toEqual([
      '55 tasks create x; only the first 50 by id are waited for by tasks that modify it',
    ]);
  });
});

describe('cycles', () => {
  test('a cycle is reported once, as a path from its smallest id', () => {
    const g = graph(
      { id: 'c', depends_on: ['a'] },
      { id: 'b', depends_on: ['c'] },
      { id: 'a', depends_on: ['b'] },
    );
    expect(g.cycles).toEqual([['a', 'b', 'c', 'a']]);
  });

  test('a task that depends on itself is a cycle, and so is one that waits for its own parent', () => {
    const g = graph(
      { id: 'self', depends_on: ['self'] },
      { id: 'top' },
      { id: 'sub', parent: 'top', depends_on: ['top'] },
    );
    expect(g.cycles).toEqual([
      ['self', 'self'],
      ['sub', 'top', 'sub'],
    ]);
  });

  test('what waits behind a cycle is not in it, and both come last', () => {
    const g = graph(
      { id: 'behind', depends_on: ['a'] },
      { id: 'a', depends_on: ['b'] },
      { id: 'b', depends_on: ['a'] },
      { id: 'free' },
    );
    expect(g.order.slice(0, 1)).toEqual(['free']);
    expect(g.order.at(-1)).toBe('behind');
    expect(['a', 'b', 'behind', 'free'].map((id) => g.inCycle(id))).toEqual([true, true, false, false]);
  });

  test('a closed member breaks the cycle', () => {
    const g = graph({ id: 'a', depends_on: ['b'], closed: true }, { id: 'b', depends_on: ['a'] });
    expect(g.cycles).toEqual([]);
    expect(g.order).toEqual(['a', 'b']);
  });

  test('of two tasks that modify what the other creates, one waits and the other is warned about', () => {
    const g = graph(
      { id: 't2', files_to_create: ['y'], files_to_modify: ['x'] },
      { id: 't1', files_to_create: ['x'], files_to_modify: ['y'] },
    );
    expect(g.dependencies('t1')).toEqual([]);
    expect(g.dependencies('t2')).toEqual([{ id: 't1', why: 'file', file: 'x' }]);
    expect(g.warnings).toEqual([
      {
        id: 't1',
        message:
          '#t1 modifies y, which #t2 creates, but waiting for it would close a cycle: it does not wait',
      },
    ]);
    expect(g.cycles).toEqual([]);
  });

  test('a file-based dependency gives way to a written one, also a long way round', () => {
    const g = graph(
      { id: 'a', files_to_modify: ['x'] },
      { id: 'b', depends_on: ['a'] },
      { id: 'c', depends_on: ['b'], files_to_create: ['x'] },
    );
    expect(g.dependencies('a')).toEqual([]);
    expect(g.warnings).toHaveLength(1);
    expect(g.order).toEqual(['a', 'b', 'c']);
  });
});

const names = Array.from({ length: 12 }, (_, i) => `t${i}`);
const files = fc.subarray(['p', 'q', 'r'], { maxLength: 2 });
const anyNodes = fc
  .tuple(
    ...names.map((id) =>
      fc.record({
        id: fc.constant(id),
        depends_on: fc.subarray([...names, 'ghost'], { maxLength: 2 }),
        files_to_create: files,
        files_to_modify: files,
        closed: fc.boolean(),
        parent: fc.option(fc.constantFrom(...names), { nil: '', freq: 6 }),
      }),
    ),
  )
  .map((nodes): GraphNode[] => nodes);

/** Everything but the order of ties. */
function meaning(g: Graph) {
  const sorted = (list: readonly { id: string }[]) => list.map((d) => JSON.stringify(d)).sort();
  const of = names.map((id) => [
    id,
    sorted(g.dependencies(id)),
    sorted(g.dependents(id)),
    g.missing(id),
    g.inCycle(id),
  ]);
  return { of, cycles: g.cycles, warnings: g.warnings.map((w) => w.message).sort() };
}

describe('laws', () => {
  test('the order is a permutation, and every task outside cycles stands after what it waits for', () => {
    fc.assert(
      fc.property(anyNodes, (nodes) => {
        const g = buildGraph(nodes);
        expect([...g.order].sort()).toEqual([...names].sort());
        const at = new Map(g.order.map((id, i) => [id, i]));
        const closed = new Set(nodes.filter((n) => n.closed).map((n) => n.id));
        for (const id of names) {
          for (const on of [...g.dependencies(id).map((d) => d.id), ...g.tree.children(id)]) {
            const free = closed.has(id) && !closed.has(on);
            if (free || g.inCycle(id) || (closed.has(id) && closed.has(on))) continue;
            expect(at.get(on)).toBeLessThan(at.get(id)!);
          }
        }
      }),
    );
  });

  test('the order in which tasks are given changes nothing but ties', () => {
    fc.assert(
      fc.property(anyNodes, fc.infiniteStream(fc.nat()), (nodes, keys) => {
        const shuffled = nodes.map((n) => ({ n, key: keys.next().value })).sort((a, b) => a.key - b.key);
        expect(meaning(buildGraph(shuffled.map(({ n }) => n)))).toEqual(meaning(buildGraph(nodes)));
      }),
    );
  });

  test('file-based dependencies never add to the cycles that were written', () => {
    fc.assert(
      fc.property(anyNodes, (nodes) => {
        const bare = nodes.map(({ id, depends_on, parent, closed }) =>
          node({ id, depends_on: depends_on!, parent: parent!, closed }),
        );
        expect(buildGraph(nodes).cycles).toEqual(buildGraph(bare).cycles);
      }),
    );
  });

  test('every reported cycle is one: each member waits for the next', () => {
    fc.assert(
      fc.property(anyNodes, (nodes) => {
        const g = buildGraph(nodes);
        for (const path of g.cycles) {
          expect(path[0]).toBe(path.at(-1));
          for (const [i, id] of path.slice(0, -1).entries()) {
            const next = path[i + 1]!;
            const waits = g.dependencies(id).some((d) => d.id === next) || g.tree.children(id).includes(next);
            expect(waits).toBe(true);
          }
        }
      }),
    );
  });

  test('a task given in topological order keeps its place', () => {
    const acyclic = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(acyclic, (lists) => {
        const nodes = lists.map((list, i) =>
          node({ id: `n${i}`, depends_on: i === 0 ? [] : list.map((x) => `n${x % i}`) }),
        );
        expect(buildGraph(nodes).order).toEqual(nodes.map((n) => n.id));
      }),
    );
  });
});

describe('a hundred thousand tasks', () => {
  const many = 100_000;
  const chain = (last: string[]) =>
    Array.from({ length: many }, (_, i) =>
      node({ id: `t${i}`, depends_on: i + 1 < many ? [`t${i + 1}`] : last }),
    );

  test('a chain is ordered and measured', () => {
    const g = buildGraph(chain([]));
    expect(g.order[0]).toBe(`t${many - 1}`);
    expect(longestChains(g, () => true).get(`t${many - 1}`)).toBe(many - 1);
  });

  test('one cycle through all of them is found', () => {
    const g = buildGraph(chain(['t0']));
    expect(g.cycles.map((path) => path.length)).toEqual([many + 1]);
  });

  test('all modify what one creates, and each is a subtask of the one before', () => {
    const nodes = Array.from({ length: many }, (_, i) =>
      node({ id: `t${i}`, files_to_modify: ['x'], parent: `t${i - 1}` }),
    );
    const g = buildGraph([...nodes, node({ id: 'maker', files_to_create: ['x'] })]);
    expect(g.dependents('maker')).toHaveLength(many);
    expect(g.tree.isAbove('t0', `t${many - 1}`)).toBe(true);
  });
});
