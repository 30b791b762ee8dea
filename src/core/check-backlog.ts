/**
 * What is wrong between tasks: ids, dependencies, parents, branches. Linear in tasks and links, and without
 * recursion, so that a chain of a hundred thousand is checked like any other.
 */
import type { FileTask } from './file-task.ts';
import { nearestWord } from './nearest-word.ts';
import { type Problem, shown } from './problem.ts';
import type { Task } from './task.ts';

export interface BacklogToCheck {
  readonly tasks: readonly FileTask[];
  /** What is wrong inside the files. */
  readonly problems?: readonly Problem[];
  /** Tasks that live in a ledger, open or closed. A file task that was claimed is in both. */
  readonly filed?: ReadonlyMap<string, Links>;
  /** The base branch. */
  readonly base?: string;
}

export interface CheckedBacklog {
  /** With dependencies and parents by their full ids (`task-` may be left out in a file). */
  readonly tasks: readonly FileTask[];
  /** All problems, those given included. */
  readonly problems: readonly Problem[];
  /** Task → the first of its own problems. */
  readonly bad: ReadonlyMap<string, Problem>;
  /** Task without a problem of its own → the bad one that it waits for. */
  readonly heldBack: ReadonlyMap<string, string>;
}

type LinkField = 'depends_on' | 'parent' | 'branch' | 'same_branch';
type Links = Pick<Task, LinkField>;

export function checkBacklog({ tasks, problems = [], filed = new Map(), base }: BacklogToCheck): CheckedBacklog {
  const all: Problem[] = [...problems];
  const byId = firstOfEachId(tasks, all);
  const known = (id: string) => byId.has(id) || filed.has(id);
  const resolved = tasks.map((one) => withFullIds(one, known));
  const graph = new Map<string, Links>(filed);
  for (const { task } of resolved) graph.set(task.id, task);
  const words = new LazyWords(graph);
  for (const one of resolved) all.push(...linkProblems(one, known, words, base));
  const places = new Map(resolved.map((one) => [one.task.id, one]));
  const dependencies = new Map([...graph].map(([id, { depends_on }]) => [id, (depends_on ?? []).filter((to) => to !== id)]));
  const parents = new Map([...graph].map(([id, { parent }]) => [id, parent === undefined || parent === id ? [] : [parent]]));
  all.push(...cycleProblems(dependencies, places, 'depends on itself in a circle'));
  all.push(...cycleProblems(parents, places, 'is a part of itself'));
  for (const one of resolved) all.push(...sameBranchProblems(one, graph));
  const bad = badTasks(resolved, all);
  return { tasks: resolved, problems: all, bad, heldBack: dependentsOf(bad, dependencies) };
}

function problem(one: FileTask, field: string, message: string, more: Partial<Problem> = {}): Problem {
  const { file, line, column, lines, task } = one;
  const at = lines?.[field];
  return { file, line: at ?? line, column: at ? 1 : column, message, severity: 'error', task: task.id, ...more };
}

/** Ids that differ only in case are one on many disks, where a branch is a file. */
function firstOfEachId(tasks: readonly FileTask[], problems: Problem[]): Map<string, FileTask> {
  const seen = new Map<string, FileTask>();
  const byId = new Map<string, FileTask>();
  for (const one of tasks) {
    const { id } = one.task;
    const first = seen.get(id.toLowerCase());
    if (first) {
      const same = first.task.id === id;
      const says = (other: FileTask) => (same ? `the id ${id} is given twice; also in` : `the id differs only in case from ${other.task.id} in`);
      problems.push(problem(one, 'id', `${says(first)} ${first.file}:${first.line}`));
      problems.push(problem(first, 'id', `${says(one)} ${one.file}:${one.line}`));
    } else seen.set(id.toLowerCase(), one);
    if (!byId.has(id)) byId.set(id, one);
  }
  return byId;
}

function withFullIds(one: FileTask, known: (id: string) => boolean): FileTask {
  const full = (id: string) => (!known(id) && known(`task-${id}`) ? `task-${id}` : id);
  const { depends_on, parent } = one.task;
  const sameDependencies = depends_on?.every((id) => full(id) === id) ?? true;
  if (sameDependencies && (parent === undefined || full(parent) === parent)) return one;
  const task: Task = { ...one.task };
  if (depends_on) task.depends_on = [...new Set(depends_on.map(full))];
  if (parent !== undefined) task.parent = full(parent);
  return { ...one, task };
}

/** The list of known ids, made once and only when a wrong one needs a suggestion. */
class LazyWords {
  readonly #graph: ReadonlyMap<string, unknown>;
  #asked = 0;

  constructor(graph: ReadonlyMap<string, unknown>) {
    this.#graph = graph;
  }

  near(id: string): Pick<Problem, 'near'> {
    // Each asks all ids: a file full of wrong ones must not take the square of that.
    if (++this.#asked > 50) return {};
    const near = nearestWord(id, this.#graph.keys());
    return near && near !== id ? { near } : {};
  }
}

function linkProblems(
  one: FileTask,
  known: (id: string) => boolean,
  words: LazyWords,
  base: string | undefined,
): Problem[] {
  const { id, depends_on = [], parent, branch } = one.task;
  const problems: Problem[] = [];
  for (const to of depends_on) {
    if (to === id) problems.push(problem(one, 'depends_on', `${id} depends on itself`));
    else if (!known(to)) {
      const message = `${id} depends on ${shown(to)}, which no file and no ledger has`;
      problems.push(problem(one, 'depends_on', message, words.near(to)));
    }
  }
  if (parent === id) problems.push(problem(one, 'parent', `${id} is its own parent`));
  else if (parent !== undefined && !known(parent)) {
    const message = `the parent of ${id} is ${shown(parent)}, which no file and no ledger has`;
    problems.push(problem(one, 'parent', message, words.near(parent)));
  }
  if (branch !== undefined && branch === base) {
    problems.push(problem(one, 'branch', `the branch of ${id} is the base branch ${base}`, { expected: 'a branch of its own' }));
  }
  return problems;
}

/**
 * Every task on a cycle is reported, each cycle once, at the first of its tasks in the backlog. Iterative
 * Tarjan: strongly connected components, then one path through each.
 */
function cycleProblems(
  links: ReadonlyMap<string, readonly string[]>,
  places: ReadonlyMap<string, FileTask>,
  what: string,
): Problem[] {
  return components(links)
    .filter((members) => members.length > 1)
    .flatMap((members) => {
      const path = cycleThrough(members, links, places);
      const text = path.length > 12 ? [...path.slice(0, 6), '…', ...path.slice(-5)] : path;
      return members.flatMap((id) => {
        const one = places.get(id);
        return one ? [problem(one, 'depends_on', `${id} ${what}: ${text.join(' → ')}`)] : [];
      });
    });
}

function cycleThrough(
  members: readonly string[],
  links: ReadonlyMap<string, readonly string[]>,
  places: ReadonlyMap<string, FileTask>,
): string[] {
  const inside = new Set(members);
  const age = (id: string) => places.get(id)?.order ?? Number.MAX_SAFE_INTEGER;
  let at = members.reduce((first, id) => (age(id) < age(first) || (age(id) === age(first) && id < first) ? id : first));
  const index = new Map<string, number>();
  const path: string[] = [];
  while (!index.has(at)) {
    index.set(at, path.length);
    path.push(at);
    // Inside a component every task has a link that stays in it.
    at = links.get(at)!.find((to) => inside.has(to))!;
  }
  return [...path.slice(index.get(at)), at];
}

/** Strongly connected components, without recursion. */
export function components(links: ReadonlyMap<string, readonly string[]>): string[][] {
  const found = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const result: string[][] = [];
  const enter = (id: string) => {
    found.set(id, found.size);
    low.set(id, found.get(id)!);
    stack.push(id);
    onStack.add(id);
    return { id, next: 0 };
  };
  for (const start of links.keys()) {
    if (found.has(start)) continue;
    const work = [enter(start)];
    while (work.length > 0) {
      const top = work.at(-1)!;
      const to = links.get(top.id)?.[top.next++];
      if (to !== undefined) {
        if (!links.has(to)) continue;
        if (!found.has(to)) work.push(enter(to));
        else if (onStack.has(to)) low.set(top.id, Math.min(low.get(top.id)!, found.get(to)!));
        continue;
      }
      work.pop();
      const above = work.at(-1);
      if (above) low.set(above.id, Math.min(low.get(above.id)!, low.get(top.id)!));
      if (low.get(top.id) === found.get(top.id)) {
        const members = stack.splice(stack.lastIndexOf(top.id));
        for (const id of members) onStack.delete(id);
        result.push(members);
      }
    }
  }
  return result;
}

/** `same_branch` continues the one lane that the task depends on. */
function sameBranchProblems(one: FileTask, graph: ReadonlyMap<string, Links>): Problem[] {
  const { id, same_branch, branch, depends_on = [] } = one.task;
  if (!same_branch || branch !== undefined) return [];
  const expected = 'exactly one task in depends_on, or a `branch`';
  if (depends_on.length === 0) {
    return [problem(one, 'same_branch', `${id} has same_branch, but depends on no task`, { expected })];
  }
  const lanes = new Set(depends_on.map((to) => laneOf(to, graph)));
  if (lanes.size <= 1) return [];
  const found = `${lanes.size} branches, those of ${[...lanes].slice(0, 5).map(shown).join(', ')}`;
  return [problem(one, 'same_branch', `${id} has same_branch, but depends on tasks of several branches`, { expected, found })];
}

/** The branch named by a task, or the first task of the chain of `same_branch` that it continues. */
function laneOf(id: string, graph: ReadonlyMap<string, Links>): string {
  const seen = new Set<string>();
  let at = id;
  while (!seen.has(at)) {
    seen.add(at);
    const { branch, same_branch, depends_on = [] } = graph.get(at) ?? {};
    if (branch !== undefined) return branch;
    const [first] = depends_on;
    if (!same_branch || first === undefined) return at;
    at = first;
  }
  return at;
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
  links: ReadonlyMap<string, readonly string[]>,
): Map<string, string> {
  const held = new Map<string, string>();
  if (bad.size === 0) return held;
  const dependents = new Map<string, string[]>();
  for (const [id, targets] of links) {
    for (const to of targets) {
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
