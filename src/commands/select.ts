/** Filters for lists and trees. */

import type { Invocation } from '../app/command.ts';
import type { OptionSpec } from '../core/arguments/command-spec.ts';
import { nearestWord } from '../core/arguments/nearest-word.ts';
import { type Board, oldestFirst, type TaskView } from '../core/board/board.ts';
import { GzaError } from '../core/errors.ts';
import { taskTypes } from '../core/task/task.ts';
import { branchOf } from '../core/task/task-json.ts';

export const labelOptions: readonly OptionSpec[] = [
  { name: 'group', type: 'text', value: '<group>', help: 'of this group ("" for those without one)' },
  { name: 'milestone', type: 'text', value: '<id>', help: 'of this milestone' },
];

export const filterOptions: readonly OptionSpec[] = [
  ...labelOptions,
  { name: 'type', short: 't', type: 'text', value: '<type>', help: 'of this type', choices: taskTypes },
  { name: 'tag', type: 'text', value: '<tag>', help: 'with this tag' },
  { name: 'branch', type: 'text', value: '<branch>', help: 'on this branch' },
  { name: 'agent', type: 'text', value: '<name>', help: 'held by it, or assigned to it ("" for nobody’s)' },
  { name: 'plan', type: 'text', value: '<file>', help: 'of this plan file' },
  { name: 'project', type: 'text', value: '<name>', help: 'of this project' },
];

type Label = 'group' | 'milestone' | 'tag' | 'plan' | 'project';

/**
 * Tasks that pass all given filters, oldest first. A label that no task has is an error, not an empty list.
 */
export function selectViews(board: Board, { options }: Invocation): TaskView[] {
  const views = oldestFirst(board);
  const tests: ((view: TaskView) => boolean)[] = [];
  const add = (name: string, of: (view: TaskView) => string | undefined | null) => {
    const value = options[name] as string | undefined;
    if (value !== undefined) tests.push((view) => (of(view) ?? '') === value);
  };
  const label = (name: Label, of: (view: TaskView) => readonly string[], more: readonly string[] = []) => {
    const given = options[name] as string | undefined;
    if (given === undefined) return;
    const value = given === '(ungrouped)' ? '' : given;
    if (value !== '') knownName(name, value, [...new Set([...views.flatMap(of), ...more])]);
    tests.push((view) => (value === '' ? of(view).length === 0 : of(view).includes(value)));
  };
  label('group', (view) => listOf(view.task.group));
  label('milestone', (view) => listOf(view.task.milestone), board.milestones);
  label('plan', (view) => listOf(inherited(board, view, 'plan_file')));
  label('project', (view) => listOf(inherited(board, view, 'project')));
  label('tag', (view) => view.task.tags ?? []);
  add('type', (view) => view.task.type);
  add('agent', (view) => view.claim?.holder ?? view.task.assigned_agent);
  add('branch', (view) => branchOf(view) ?? view.branch);
  return views.filter((view) => tests.every((test) => test(view)));
}

function listOf(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}

/** The value of the task or its nearest ancestor: children belong to their parent's plan and project. */
function inherited(board: Board, view: TaskView, field: 'plan_file' | 'project'): string | undefined {
  for (let at: TaskView | undefined = view; at; ) {
    const value = at.task[field];
    if (value !== undefined) return value;
    const parent = board.tree.parent(at.id);
    at = parent === undefined ? undefined : board.views.get(parent);
  }
  return undefined;
}

/** A label on the command line, such as a group, must exist. */
export function knownName(kind: Label, name: string, known: readonly string[]): string {
  if (known.includes(name)) return name;
  const near = nearestWord(name, known);
  throw new GzaError(
    'input',
    `no task ${kind === 'tag' ? 'has' : 'is in'} ${kind} "${name}"${near ? `: did you mean ${near}?` : ''}`,
    {
      hint:
        known.length > 0
          ? `Known: ${known.slice(0, 20).join(', ')}${known.length > 20 ? ', …' : ''}`
          : `No task has a ${kind}.`,
    },
  );
}
