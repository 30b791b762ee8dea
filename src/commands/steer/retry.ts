import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { taskOutcome, writeToTask } from '../../app/tasks/change-task.ts';
import { findTask } from '../../app/tasks/find-task.ts';
import type { Board, TaskView } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';

export const command: Command = {
  spec: {
    name: 'retry',
    summary: 'the failed phase again, in a fresh session',
    forPeople: true,
    arguments: [{ name: 'id', required: true, completes: 'id' }],
    details: 'Earlier phases are kept. A definition that changed in its file since the claim is taken anew.',
    options: [{ name: 'from-start', type: 'flag', help: 'the implementation again, on the same branch' }],
    examples: [{ command: 'gza retry task-a3f8', shows: 'task-a3f8: will be tried again' }],
  },
  run: async ({ args, options }, ports) => {
    const project = await loadProject(ports);
    const view = findTask(project.board, args[0] as string);
    refuseParent(view, project.board);
    const file = await project.backlog.definition(view.id);
    await writeToTask(project, view.id, ports, (_record, stamp) => {
      const event: Event = { kind: 'retry', ...stamp, id: view.id };
      if (options['from-start']) event.from_start = true;
      if (file && view.record) event.redefined = { ...file.defaults, ...file.task };
      return [event];
    });
    const how = options['from-start'] ? ' from the start' : '';
    return taskOutcome(project, view.id, ports, () => `${view.id}: will be tried again${how}`);
  },
};

/** Nothing was done for it alone, so there is nothing to do again: its subtasks are tried. */
function refuseParent({ id, children, record }: TaskView, { views }: Board): void {
  if (children.length === 0 || record?.closed_as === 'failed' || record?.steps?.length) return;
  const failed = children.filter((child) => views.get(child)?.status === 'failed');
  throw new GzaError('refused', `${id} is what its subtasks are: there is nothing of its own to try again`, {
    hint: (failed.length > 0 ? failed : children)
      .slice(0, 5)
      .map((child) => `gza retry ${child}`)
      .join('\n'),
  });
}
