/**
 * Checks the links between tasks: ids, dependencies, parents, branches. It runs before every pick, so a sound
 * backlog of ten thousand tasks must cost only a few milliseconds: the time is linear in tasks and links.
 * Nothing recurses, so that a chain of a hundred thousand tasks cannot overflow the stack.
 */

import { nearestWord } from '../arguments/nearest-word.ts';
import { findCycles, type NumberedEdge, printCycle, strongComponents } from '../board/strong-components.ts';
import { type Problem, shown } from '../yaml/problem.ts';
import type { FileTask, Task } from './task.ts';

/** The fields that link a task to others. */
type LinkedTask = Pick<Task, 'depends_on' | 'parent' | 'branch' | 'same_branch'> & {
  readonly closed_at?: string | undefined;
};

export interface BacklogToCheck {
  readonly tasks: readonly FileTask[];
  /** Problems found inside the files. */
  readonly problems?: readonly Problem[];
  /** Tasks that live in a ledger, open or closed. A file task that was claimed is in both. */
  readonly filed?: ReadonlyMap<string, LinkedTask>;
  /** The base branch. */
  readonly base?: string;
}

export interface CheckedBacklog {
  /** With full ids in dependencies and parents (a file may leave out `task-`). */
  readonly tasks: readonly FileTask[];
  /** All problems, including those passed in. */
  readonly problems: readonly Problem[];
  /** Task → the first of its own problems. */
  readonly bad: ReadonlyMap<string, Problem>;
  /** A task without a problem of its own → the bad task that it waits for. */
  readonly heldBack: ReadonlyMap<string, string>;
}

const nobody: ReadonlyMap<string, LinkedTask> = new Map();

export function checkBacklog({ tasks, problems = [], filed = nobody, base }: BacklogToCheck): CheckedBacklog {
  const all: Problem[] = [...problems];
  const graph = new Map<string, LinkedTask>();
  for (const [id, task] of filed) graph.set(id, task);
  for (const { task } of tasks) graph.set(task.id, task);
  duplicateProblems(tasks, all);
  const known = (id: string) => graph.has(id);
  const resolved = tasks.map((one) => withFullIds(one, known));
  for (const one of resolved) if (graph.get(one.task.id) !== one.task) graph.set(one.task.id, one.task);
  const check = new LinkCheck(graph, base, all);
  for (const one of resolved) check.task(one);
  cycleProblems(graph, resolved, all);
  const lanes = new Map<string, string>();
  for (const one of resolved) if (one.task.same_branch) all.push(...sameBranchProblems(one, graph, lanes));
  const bad = badTasks(resolved, all);
  return { tasks: resolved, problems: all, bad, heldBack: dependentsOf(bad, graph) };
}

/** Ids that differ only in case collide on many disks, where a branch is a file. */
function duplicateProblems(tasks: readonly FileTask[], problems: Problem[]): void {
  const seen = new Map<string, FileTask>();
  for (const one of tasks) {
    const key = one.task.id.toLowerCase();
    const first = seen.get(key);
    if (first) problems.push(duplicate(one, first), duplicate(first, one));
    else seen.set(key, one);
  }
}

function duplicate(one: FileTask, other: FileTask): Problem {
  const { id } = one.task;
  const place = `${other.file}:${other.line}`;
  const message =
    other.task.id === id
      ? `the id ${id} is given twice; also in ${place}`
      : `the id ${id} differs only in case from ${other.task.id} in ${place}`;
  return taskProblem(one, 'id', message, { expected: 'another id for one of them' });
}

function withFullIds(one: FileTask, known: (id: string) => boolean): FileTask {
  const { depends_on, parent } = one.task;
  const isShort = (id: string) => !known(id) && known(`task-${id}`);
  if (!depends_on?.some(isShort) && (parent === undefined || !isShort(parent))) return one;
  const full = (id: string) => (isShort(id) ? `task-${id}` : id);
  const task: Task = { ...one.task };
  if (depends_on) task.depends_on = [...new Set(depends_on.map(full))];
  if (parent !== undefined) task.parent = full(parent);
  return { ...one, task };
}

class LinkCheck {
  readonly #graph: ReadonlyMap<string, LinkedTask>;
  readonly #base: string | undefined;
  readonly #problems: Problem[];
  #suggestions = 0;

  constructor(graph: ReadonlyMap<string, LinkedTask>, base: string | undefined, problems: Problem[]) {
    this.#graph = graph;
    this.#base = base;
    this.#problems = problems;
  }

  task(one: FileTask): void {
    const { id, depends_on, parent, branch } = one.task;
    for (const to of depends_on ?? []) {
      if (to === id) this.#add(one, 'depends_on', `${id} depends on itself`);
      else if (!this.#graph.has(to)) {
        this.#add(
          one,
          'depends_on',
          `${id} depends on ${shown(to)}, which no file and no ledger has`,
          this.#near(to),
        );
      }
    }
    if (parent !== undefined && parent === id) this.#add(one, 'parent', `${id} is its own parent`);
    else if (parent !== undefined && !this.#graph.has(parent)) {
      const message = `the parent of ${id} is ${shown(parent)}, which no file and no ledger has`;
      this.#add(one, 'parent', message, this.#near(parent));
    }
    if (branch !== undefined && branch === this.#base) {
      this.#add(one, 'branch', `the branch of ${id} is the base branch ${branch}`, {
        expected: 'a branch of its own',
      });
    }
  }

  #add(one: FileTask, field: string, message: string, more?: Partial<Problem>): void {
    this.#problems.push(taskProblem(one, field, message, more));
  }

  /** Each suggestion compares against every id, so a file full of wrong ids would take quadratic time. */
  #near(id: string): Partial<Problem> {
    if (++this.#suggestions > 50) return {};
    const near = nearestWord(id, this.#graph.keys());
    return near && near !== id ? { near } : {};
  }
}

function cycleProblems(
  graph: ReadonlyMap<string, LinkedTask>,
  tasks: readonly FileTask[],
  problems: Problem[],
): void {
  // A closed task waits for nothing.
  const dependencies = cyclesIn(graph, ({ depends_on, closed_at }) => (closed_at ? [] : depends_on));
  const parents = cyclesIn(graph, ({ parent }) => (parent === undefined ? undefined : [parent]));
  if (dependencies.size === 0 && parents.size === 0) return;
  for (const one of tasks) {
    const { id } = one.task;
    const circle = dependencies.get(id);
    if (circle)
      problems.push(
        taskProblem(one, 'depends_on', `${id} depends on itself in a circle: ${printCycle(circle)}`),
      );
    const above = parents.get(id);
    if (above) problems.push(taskProblem(one, 'parent', `${id} is a part of itself: ${printCycle(above)}`));
  }
}

function badTasks(tasks: readonly FileTask[], problems: readonly Problem[]): Map<string, Problem> {
  const bad = new Map<string, Problem>();
  const files = new Map<string, Problem>();
  for (const one of problems) {
    if (one.severity === 'warning') continue;
    if (one.wholeFile && !files.has(one.file)) files.set(one.file, one);
    if (one.task !== undefined && !bad.has(one.task)) bad.set(one.task, one);
  }
  if (files.size === 0) return bad;
  for (const { task, file } of tasks) {
    const why = files.get(file);
    if (why && !bad.has(task.id)) bad.set(task.id, why);
  }
  return bad;
}

function dependentsOf(
  bad: ReadonlyMap<string, Problem>,
  graph: ReadonlyMap<string, LinkedTask>,
): Map<string, string> {
  const held = new Map<string, string>();
  if (bad.size === 0) return held;
  const dependents = new Map<string, string[]>();
  for (const [id, { depends_on = [] }] of graph) {
    for (const to of depends_on) {
      const known = dependents.get(to);
      if (known) known.push(id);
      else dependents.set(to, [id]);
    }
  }
  const queue = [...bad.keys()].map((id) => ({ id, why: id }));
  for (const { id, why } of queue) {
    for (const dependent of dependents.get(id) ?? []) {
      if (bad.has(dependent) || held.has(dependent)) continue;
      held.set(dependent, why);
      queue.push({ id: dependent, why });
    }
  }
  return held;
}

/**
 * Maps every node on a cycle to one cycle of its component, with the first node repeated at the end. Links to
 * unknown nodes, and links from a node to itself, are ignored.
 */
export function cyclesIn<Node>(
  graph: ReadonlyMap<string, Node>,
  linksOf: (node: Node) => readonly string[] | undefined,
): Map<string, readonly string[]> {
  const ids = [...graph.keys()];
  const index = new Map(ids.map((id, at) => [id, at]));
  const edges: NumberedEdge[] = [];
  let from = 0;
  for (const node of graph.values()) {
    for (const id of linksOf(node) ?? []) {
      const to = index.get(id);
      if (to !== undefined && to !== from) edges.push({ from, to });
    }
    from++;
  }
  const cycles = new Map<string, readonly string[]>();
  if (edges.length === 0) return cycles;
  const { of, sizes, order } = strongComponents(ids.length, edges);
  const knotted = order.filter((at) => sizes[of[at]!]! > 1);
  const byKnot = new Map(
    findCycles(ids, of, edges, knotted).map((cycle) => [of[index.get(cycle[0]!)!]!, cycle]),
  );
  for (const at of knotted) cycles.set(ids[at]!, byKnot.get(of[at]!)!);
  return cycles;
}

/** `same_branch` continues the branch of the dependencies, so they must be on exactly one. */
const oneBranch = 'tasks of exactly one branch in depends_on, or a `branch`';

/** `known` caches the lanes found so far. All calls on one graph share it. */
function sameBranchProblems(
  one: FileTask,
  graph: ReadonlyMap<string, LinkedTask>,
  known: Map<string, string>,
): Problem[] {
  const { id, branch, depends_on = [] } = one.task;
  if (branch !== undefined || depends_on.length === 1) return [];
  if (depends_on.length === 0) {
    return [
      taskProblem(one, 'same_branch', `${id} has same_branch, but depends on no task`, {
        expected: oneBranch,
      }),
    ];
  }
  const lanes = new Set(depends_on.map((to) => laneOf(to, graph, known)));
  if (lanes.size === 1) return [];
  const found = `${lanes.size} branches, those of ${[...lanes].slice(0, 5).map(shown).join(', ')}`;
  return [
    taskProblem(one, 'same_branch', `${id} has same_branch, but depends on several branches`, {
      expected: oneBranch,
      found,
    }),
  ];
}

/** The lane of a task: its `branch`, or the first task of the chain of `same_branch` that it continues. */
function laneOf(id: string, graph: ReadonlyMap<string, LinkedTask>, known: Map<string, string>): string {
  const seen = new Set<string>();
  let at = id;
  let lane = known.get(at);
  while (lane === undefined) {
    seen.add(at);
    const { branch, same_branch, depends_on = [] } = graph.get(at) ?? {};
    const [first] = depends_on;
    if (branch !== undefined) lane = branch;
    else if (!same_branch || first === undefined || seen.has(first)) lane = at;
    else {
      at = first;
      lane = known.get(at);
    }
  }
  for (const one of seen) known.set(one, lane);
  return lane;
}

/** A problem with a task as a whole, placed at one of its fields if that line is known. */
export function taskProblem(
  one: FileTask,
  field: string,
  message: string,
  more: Partial<Problem> = {},
): Problem {
  const { file, line, column, lines, task } = one;
  // A task's fields start in the same column as the task.
  return { file, line: lines?.[field] ?? line, column, message, severity: 'error', task: task.id, ...more };
}
