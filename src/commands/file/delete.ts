import type { Command, Outcome, Ports } from '../../app/command.ts';
import { loadProject, type Project } from '../../app/project.ts';
import {
  findTask,
  isInFile,
  shownSettings,
  taskOutcome,
  wholeView,
  writeToTask,
} from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { taskJson } from '../../core/task/task-json.ts';
import { heldBy } from '../steer/claim.ts';

export const deleteTask: Command = {
  spec: {
    name: 'delete',
    summary: 'drop a task: its record stays, its dependents are blocked with that reason',
    forPeople: true,
    arguments: [{ name: 'id', required: true, completes: 'id' }],
    details: 'A task from a file is taken out of its file until it is claimed.',
    options: [{ name: 'reason', type: 'text', value: '<text>', help: 'why' }],
    examples: [{ command: 'gza delete task-a3f8 --reason "no longer wanted"', shows: 'task-a3f8: deleted' }],
  },
  run: async ({ args, options }, ports) => {
    const project = await loadProject(ports);
    const view = findTask(project.board, args[0] as string);
    if (view.claim) throw heldBy(view.claim, ports);
    if (view.record?.closed_as === 'dropped') {
      if (await isLeftInFile(project, view)) await deleteFromFile(project, view, ports);
      return taskOutcome(project, view.id, ports, () => `${view.id}: deleted (already)`);
    }
    const inFile = await isInFile(project, view);
    const held = waiting(project, view);
    const isNamed = held !== '' || view.children.length > 0;
    if (inFile && !view.record && !isNamed) return deletedFile(project, view, ports);
    if (inFile) await refuse(project, view, ports);
    const reason = (options['reason'] as string | undefined) || 'deleted';
    await writeToTask(project, view.id, ports, (_record, stamp) => [
      { kind: 'close', ...stamp, id: view.id, as: 'dropped', reason },
    ]);
    if (inFile) await deleteFromFile(project, view, ports);
    const from = inFile && !view.record ? ` from ${view.file}` : '';
    return taskOutcome(project, view.id, ports, () => `${view.id}: deleted${from}${held}`);
  },
};

async function deleteFromFile(project: Project, view: TaskView, ports: Ports): Promise<void> {
  const { deleteTaskFromFile } = await import('../../backlog/lazy-backlog.ts');
  deleteTaskFromFile(placeOf(project, view, ports));
}

/** Throws if the task cannot be deleted from its file. Called before the ledger records it as dropped. */
async function refuse(project: Project, view: TaskView, ports: Ports): Promise<void> {
  const { refuseDeletion } = await import('../../backlog/lazy-backlog.ts');
  refuseDeletion(placeOf(project, view, ports));
}

function placeOf({ repository }: Project, { file, id }: TaskView, { cwd }: Ports) {
  return { root: repository.workTree ?? cwd, file: file as string, id };
}

/** Whether an earlier deletion was interrupted before it removed the task from its file. */
async function isLeftInFile({ backlog, repository }: Project, view: TaskView): Promise<boolean> {
  if (repository.workTree === null || view.file === undefined || view.record?.started_at) return false;
  return (await backlog.definition(view.id)) !== null;
}

/** The task existed only in its file and no other task names it, so only this answer mentions it. */
async function deletedFile(project: Project, { id, file }: TaskView, ports: Ports): Promise<Outcome> {
  const whole = await wholeView(project, id);
  await deleteFromFile(project, whole, ports);
  const json = taskJson({ ...whole, status: 'skipped' }, shownSettings(project, whole.task));
  return { json: { ...json, closed_as: 'dropped' }, text: `${id}: deleted from ${file}` };
}

const namedMax = 5;

function waiting({ board }: Project, { id }: TaskView): string {
  const ids = [...board.views.values()]
    .filter((view) => view.record?.closed_at === undefined && view.task.depends_on?.includes(id))
    .map((view) => view.id);
  const more = ids.length > namedMax ? ` and ${ids.length - namedMax} more` : '';
  return ids.length === 0 ? '' : ` (now blocked: ${ids.slice(0, namedMax).join(', ')}${more})`;
}
