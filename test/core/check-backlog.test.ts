import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkBacklog, cyclesIn } from '../../src/core/task/check-backlog.ts';
import type { FileTask, Task } from '../../src/core/task/task.ts';
import { printProblems } from '../../src/core/yaml/problem.ts';

function backlog(...tasks: Partial<Task>[]): FileTask[] {
  return tasks.map((task, order) => ({
    task: { type: 'task', title: 'x', content: 'x', ...task, id: task.id ?? `t${order}` },
    defaults: {},
    file: 'tasks/a.yml',
    line: order + 1,
    column: 1,
    order,
  }));
}

const problemsOf = (tasks: FileTask[], more: object = {}) =>
  printProblems(checkBacklog({ tasks, ...more }).problems);

test('mistakes between tasks are told with their places', () => {
  const tasks = backlog(
    { id: 'login' },
    { id: 'a', depends_on: ['a'] },
    { id: 'b', depends_on: ['logn'] },
    { id: 'c', depends_on: ['d'] },
    { id: 'd', depends_on: ['e', 'login'] },
    { id: 'e', depends_on: ['c'] },
    { id: 'login' },
    { id: 'Login' },
    { id: 'f', branch: 'main' },
    { id: 'g', same_branch: true },
    { id: 'h', same_branch: true, depends_on: ['login', 'f'] },
    { id: 'i', parent: 'nobody' },
    { id: 'j', parent: 'j' },
    { id: 'k', parent: 'l' },
    { id: 'l', parent: 'k' },
  );
  expect(problemsOf(tasks, { base: 'main' })).toMatchInlineSnapshot(`
"tasks/a.yml:1:1: the id login is given twice; also in tasks/a.yml:7
    expected: another id for one of them
tasks/a.yml:1:1: the id login differs only in case from Login in tasks/a.yml:8
    expected: another id for one of them
tasks/a.yml:2:1: a depends on itself
tasks/a.yml:3:1: b depends on logn, which no file and no ledger has: did you mean login?
tasks/a.yml:4:1: c depends on itself in a circle: c → d → e → c
tasks/a.yml:5:1: d depends on itself in a circle: c → d → e → c
tasks/a.yml:6:1: e depends on itself in a circle: c → d → e → c
tasks/a.yml:7:1: the id login is given twice; also in tasks/a.yml:1
    expected: another id for one of them
tasks/a.yml:8:1: the id Login differs only in case from login in tasks/a.yml:1
    expected: another id for one of them
tasks/a.yml:9:1: the branch of f is the base branch main
    expected: a branch of its own
tasks/a.yml:10:1: g has same_branch, but depends on no task
    expected: tasks of exactly one branch in depends_on, or a \`branch\`
tasks/a.yml:11:1: h has same_branch, but depends on several branches
    expected: tasks of exactly one branch in depends_on, or a \`branch\`
    found:    2 branches, those of login, main
tasks/a.yml:12:1: the parent of i is nobody, which no file and no ledger has
tasks/a.yml:13:1: j is its own parent
tasks/a.yml:14:1: k is a part of itself: k → l → k
tasks/a.yml:15:1: l is a part of itself: k → l → k"
`);
});

test('a bad task holds back itself and its dependents only', () => {
  const tasks = backlog(
    { id: 'bad', depends_on: ['nobody'] },
    { id: 'next', depends_on: ['bad', 'fine'] },
    { id: 'last', depends_on: ['next'] },
    { id: 'fine' },
  );
  const { bad, heldBack } = checkBacklog({ tasks });
  expect([...bad.keys()]).toEqual(['bad']);
  expect([...heldBack]).toEqual([
    ['next', 'bad'],
    ['last', 'bad'],
  ]);
});

test('a bad file holds back all its tasks, a warning none', () => {
  const tasks = backlog({ id: 'a' }, { id: 'b' });
  const problem = { file: 'tasks/a.yml', line: 1, column: 1, message: 'x' };
  const badWith = (problem: object) => [...checkBacklog({ tasks, problems: [problem as never] }).bad.keys()];
  expect(badWith({ ...problem, severity: 'error', wholeFile: true })).toEqual(['a', 'b']);
  expect(badWith({ ...problem, severity: 'warning', wholeFile: true })).toEqual([]);
  expect(badWith({ ...problem, severity: 'error', file: 'gza.yaml', wholeFile: true })).toEqual([]);
});

test('dependencies may name filed tasks, also without task-', () => {
  const filed = new Map([
    ['task-a3f8', {}],
    ['old', { branch: 'x' }],
  ]);
  const tasks = backlog(
    { id: 'a', depends_on: ['a3f8', 'old'], parent: 'a3f8' },
    { id: 'b', depends_on: ['task-a3f8'] },
  );
  const checked = checkBacklog({ tasks, filed });
  expect(checked.problems).toEqual([]);
  expect(checked.tasks[0]!.task).toMatchObject({ depends_on: ['task-a3f8', 'old'], parent: 'task-a3f8' });
  expect(checked.tasks[1]).toBe(tasks[1]);
});

test('same_branch may follow several tasks of one lane', () => {
  const lane = backlog(
    { id: 'a' },
    { id: 'b', same_branch: true, depends_on: ['a'] },
    { id: 'c', same_branch: true, depends_on: ['b'] },
    { id: 'd', same_branch: true, depends_on: ['a', 'c'] },
    { id: 'e', branch: 'x' },
    { id: 'f', branch: 'x' },
    { id: 'g', same_branch: true, depends_on: ['e', 'f'] },
    { id: 'h', same_branch: true, branch: 'y' },
  );
  expect(problemsOf(lane)).toBe('');
});

test('a chain of a hundred thousand is checked, forwards and backwards, open and closed', () => {
  const size = 100_000;
  const chain = (to: (i: number) => number) =>
    backlog(
      ...Array.from({ length: size }, (_, i) => ({
        same_branch: true,
        branch: 'x',
        depends_on: [`t${to(i)}`],
      })),
    );
  const open = chain((i) => Math.max(0, i - 1));
  expect(checkBacklog({ tasks: open }).problems.map(({ message }) => message)).toEqual([
    't0 depends on itself',
  ]);
  const closed = chain((i) => (i + 1) % size);
  const { problems, bad } = checkBacklog({ tasks: closed });
  expect(bad.size).toBe(size);
  expect(problems[0]!.message).toBe(
    't0 depends on itself in a circle: t0 → t1 → t2 → t3 → t4 → t5 → … → t99996 → t99997 → t99998 → t99999 → t0',
  );
});

test('a task is on a cycle exactly when it can reach itself', () => {
  const graphs = fc.array(fc.uniqueArray(fc.nat({ max: 7 }), { maxLength: 3 }), {
    minLength: 8,
    maxLength: 8,
  });
  fc.assert(
    fc.property(graphs, (links) => {
      const graph = new Map(links.map((to, i) => [`${i}`, to.filter((one) => one !== i).map(String)]));
      const reaches = (from: string) => {
        const seen = new Set(graph.get(from));
        for (const id of seen) for (const to of graph.get(id) ?? []) seen.add(to);
        return seen.has(from);
      };
      const found = cyclesIn(graph, (to) => to);
      for (const id of graph.keys()) expect(found.has(id)).toBe(reaches(id));
      for (const path of found.values()) {
        expect(path[0]).toBe(path.at(-1));
        for (let i = 1; i < path.length; i++) expect(graph.get(path[i - 1]!)).toContain(path[i]);
      }
    }),
    { numRuns: 300 },
  );
});

test('the order of files changes no verdict', () => {
  const graphs = fc.array(fc.uniqueArray(fc.nat({ max: 9 }), { maxLength: 3 }), {
    minLength: 8,
    maxLength: 8,
  });
  fc.assert(
    fc.property(graphs, fc.nat(), (links, turn) => {
      const tasks = backlog(
        ...links.map((to, i) => ({ id: `t${i}`, depends_on: to.map((one) => `t${one}`) })),
      );
      const turned = [...tasks.slice(turn % 8), ...tasks.slice(0, turn % 8)].reverse();
      const verdict = (tasks: FileTask[]) => {
        const { bad, heldBack } = checkBacklog({ tasks });
        return [[...bad.keys()].sort(), [...heldBack.keys()].sort()];
      };
      expect(verdict(turned)).toEqual(verdict(tasks));
    }),
    { numRuns: 100 },
  );
});
