/** `same_branch` continues the one lane that the task depends on, so there must be exactly one. */

import { type Problem, shown } from '../yaml/problem.ts';
import type { FileTask } from './file-task.ts';
import { type LinkedTask, taskProblem } from './task-problem.ts';

const expected = 'tasks of exactly one branch in depends_on, or a `branch`';

/** `known` keeps the lanes that were found, for all calls on one graph. */
export function sameBranchProblems(
  one: FileTask,
  graph: ReadonlyMap<string, LinkedTask>,
  known: Map<string, string>,
): Problem[] {
  const { id, branch, depends_on = [] } = one.task;
  if (branch !== undefined || depends_on.length === 1) return [];
  if (depends_on.length === 0) {
    return [taskProblem(one, 'same_branch', `${id} has same_branch, but depends on no task`, { expected })];
  }
  const lanes = new Set(depends_on.map((to) => laneOf(to, graph, known)));
  if (lanes.size === 1) return [];
  const found = `${lanes.size} branches, those of ${[...lanes].slice(0, 5).map(shown).join(', ')}`;
  return [
    taskProblem(one, 'same_branch', `${id} has same_branch, but depends on several branches`, {
      expected,
      found,
    }),
  ];
}

/** The branch named by a task, or the first task of the chain of `same_branch` that it continues. */
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
