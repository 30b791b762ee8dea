import type { TaskView } from '../core/board.ts';
import { taskJson } from '../core/task-json.ts';
import { shownSettings, taskOutcome, wholeView, writeToTask } from './change-task.ts';
import { heldBy } from './claim.ts';
import type { Command, Outcome, Ports } from './command.ts';
import { findTask } from './find-task.ts';
import { isInFile } from './fixed.ts';
import { openProject, type Project } from './project.ts';

export const command: Command = {
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
    const project = await openProject(ports);
    const view = findTask(project.board, args[0] as string);
    if (view.claim) throw heldBy(view.claim, ports);
    if (view.record?.closed_as === 'dropped') {
      return taskOutcome(project, view.id, ports, () => `${view.id}: deleted (already)`);
    }
    const inFile = await isInFile(project, view);
    const whole = inFile && !view.record ? await wholeView(project, view.id) : null;
    if (inFile) await deleteFromFile(project, view, ports);
    if (whole) return deletedFile(project, whole);
    const reason = (options['reason'] as string | undefined) || 'deleted';
    await writeToTask(project, view.id, ports, (_record, stamp) => [
      { kind: 'close', ...stamp, id: view.id, as: 'dropped', reason },
    ]);
    return taskOutcome(project, view.id, ports, () => `${view.id}: deleted${waiting(project, view)}`);
  },
};

async function deleteFromFile(project: Project, view: TaskView, ports: Ports): Promise<void> {
  const { deleteTaskFromFile } = await import('../lazy.ts');
  const root = project.repository.workTree ?? ports.cwd;
  deleteTaskFromFile({ root, file: view.file as string, id: view.id });
}

/** It was only ever in its file, so nothing of it is left but this answer. */
function deletedFile(project: Project, view: TaskView): Outcome {
  const json = taskJson({ ...view, status: 'skipped' }, shownSettings(project, view.task));
  return {
    json: { ...json, closed_as: 'dropped' },
    text: `${view.id}: deleted from ${view.file}${waiting(project, view)}`,
  };
}

const namedMax = 5;

function waiting({ board }: Project, { id }: TaskView): string {
  const ids = [...board.views.values()]
    .filter((view) => view.record?.closed_at === undefined && view.task.depends_on?.includes(id))
    .map((view) => view.id);
  const more = ids.length > namedMax ? ` and ${ids.length - namedMax} more` : '';
  return ids.length === 0 ? '' : ` (now blocked: ${ids.slice(0, namedMax).join(', ')}${more})`;
}
