/**
 * Splits a task where it is defined. In a file, the original stays as the parent, without its files and
 * criteria, and the segments follow it. In a ledger, one transaction closes the original as split and adds
 * the segments as children. In both cases, tasks that waited for the original now wait for the last
 * segment.
 */
import { fileSizes } from '../../backlog/backlog.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { Event } from '../../core/ledger/event.ts';
import { scoreInput } from '../../core/sizing/score.ts';
import { type Split, splitTask } from '../../core/sizing/split.ts';
import { addTasksText, isTaskList } from '../../core/spool/add-tasks-text.ts';
import { editTaskText } from '../../core/task/edit-task-text.ts';
import type { Task, TaskSettings } from '../../core/task/task.ts';
import { taskFileText } from '../../core/task/task-file-text.ts';
import type { LedgerView, Plan } from '../../ledger/ledger.ts';
import type { Project } from '../project.ts';
import { adoption, filing, isFixed, isInFile, refusalError, type Stamp } from './change-task.ts';

export type Done = Extract<Split, { kind: 'split' }>;

/** Fields that move to the segments. */
const movedFields = {
  files_to_create: null,
  files_to_modify: null,
  test_files: null,
  acceptance_criteria: null,
} as const;

/** How a task would be split now. The task must be read whole. */
export function planSplit(project: Project, view: TaskView): Split {
  const state = splitRefusal(view);
  if (state !== null) return { kind: 'cannot', why: state };
  const { board, config, repository } = project;
  const dependents = [...board.views.values()].filter((one) => !isFixed(one)).map(({ task }) => task);
  return splitTask(view.task, dependents, {
    ...scoreInput(config, fileSizes(repository.workTree, [view.task])),
    taken: (id) => board.views.has(id),
  });
}

function splitRefusal({ claim, record, children, invalid }: TaskView): string | null {
  if (invalid) return `its definition is not valid: ${invalid}`;
  if (record?.closed_as === 'split') return 'it was split already';
  if (record?.closed_at) return `it is closed (${record.closed_as})`;
  if (claim || record?.started_at) return 'it has been started; a claimed definition is fixed';
  return children.length > 0 ? `it has ${children.length} subtasks already` : null;
}

/** Splits a task of a file. Returns the files that were written. */
export async function splitInFile(
  project: Project,
  view: TaskView,
  split: Done,
  stamp: Stamp,
): Promise<string[]> {
  const { changeTaskFile, writeNewTaskFile } = await import('../../backlog/lazy-backlog.ts');
  const root = project.repository.workTree as string;
  const file = view.file as string;
  const changed = new Set([file]);
  const defaults = (await project.backlog.definition(view.id))?.defaults ?? {};
  let beside: string | null = null;
  changeTaskFile({ root, file }, (text) => {
    const trimmed = editTaskText(file, text, view.id, movedFields);
    if (isTaskList(file, text)) return addTasksText(file, trimmed, split.segments);
    beside = file.replace(/(\.ya?ml)$/, '-parts$1');
    writeNewTaskFile({ root, file: beside }, besideText(view.id, split.segments, defaults));
    return trimmed;
  });
  if (beside !== null) changed.add(beside);
  for (const { id, depends_on } of split.repointed) {
    const other = project.board.views.get(id);
    if (!other || !(await isInFile(project, other))) continue;
    const place = other.file as string;
    changeTaskFile({ root, file: place }, (text) =>
      // A single dependency is written without a list, as a person would.
      editTaskText(place, text, id, { depends_on: depends_on.length === 1 ? depends_on[0] : depends_on }),
    );
    changed.add(place);
  }
  await writeRecords(project, view, split, stamp, view.record ? [edit(view.id, movedFields, stamp)] : []);
  return [...changed];
}

function besideText(id: string, tasks: readonly Task[], defaults: TaskSettings): string {
  const shared = Object.keys(defaults).length > 0 ? { defaults } : {};
  return taskFileText({ about: [`The parts of ${id}, which was too large for one task.`], shared, tasks });
}

function edit(id: string, set: Partial<Record<keyof Task, unknown>>, stamp: Stamp): Event {
  return { kind: 'edit', ...stamp, id, set };
}

/** Splits a task in its ledger: a filed task, or a task of a file for which an event is enough. */
export async function splitInLedger(
  project: Project,
  view: TaskView,
  split: Done,
  stamp: Stamp,
): Promise<void> {
  const children = split.segments.map((task) => ({ ...task, ...filing(stamp) }));
  await writeRecords(project, view, split, stamp, [{ kind: 'split', ...stamp, id: view.id, children }]);
}

/** Writes everything in one transaction, even if dependents are in other ledgers. */
async function writeRecords(
  project: Project,
  view: TaskView,
  split: Done,
  stamp: Stamp,
  own: readonly Event[],
): Promise<void> {
  const adopted = own.length > 0 ? await adoption(project, view.id, stamp) : null;
  const written = await project.ledger.write(async (ledgers) => {
    const changes = await repointing(ledgers, split, stamp);
    if (own.length > 0) {
      const home = await ledgers.task(view.id);
      const branch = home?.branch ?? ledgers.base;
      const first = home || !adopted ? [] : [adopted];
      changes.set(branch, [...first, ...own, ...(changes.get(branch) ?? [])]);
    }
    const plan: Plan = { changes: [...changes].map(([branch, events]) => ({ branch, events })) };
    return plan.changes.length > 0 ? plan : null;
  });
  if (written.kind === 'refused') throw refusalError(written);
}

/** A task that has begun keeps its dependencies, because they were fulfilled already. */
async function repointing(ledgers: LedgerView, split: Done, stamp: Stamp): Promise<Map<string, Event[]>> {
  const changes = new Map<string, Event[]>();
  for (const { id, depends_on } of split.repointed) {
    const located = await ledgers.task(id);
    if (!located || located.record.started_at || located.record.closed_at) continue;
    const event = edit(id, { depends_on }, stamp);
    changes.set(located.branch, [...(changes.get(located.branch) ?? []), event]);
  }
  return changes;
}
