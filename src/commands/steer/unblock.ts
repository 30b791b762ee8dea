import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { taskOutcome, writeToTask } from '../../app/tasks/change-task.ts';
import { findTask } from '../../app/tasks/find-task.ts';
import type { Event } from '../../core/ledger/event.ts';

export const command: Command = {
  spec: {
    name: 'unblock',
    summary: 'clear what makes a task wait for a person, or a time',
    forPeople: true,
    details: 'A task that is too complex to start unasked starts as it is, as after gza approve.',
    arguments: [{ name: 'id', required: true, completes: 'id' }],
    options: [],
    examples: [{ command: 'gza unblock task-a3f8', shows: 'task-a3f8: unblocked' }],
  },
  run: async ({ args }, ports) => {
    const project = await loadProject(ports);
    const view = findTask(project.board, args[0] as string);
    const isComplex = view.blockers.some(({ kind }) => kind === 'complex');
    await writeToTask(project, view.id, ports, (_record, stamp) => {
      const events: Event[] = [{ kind: 'unblock', ...stamp, id: view.id }];
      return isComplex ? [...events, { kind: 'approve', ...stamp, id: view.id }] : events;
    });
    return taskOutcome(project, view.id, ports, () => `${view.id}: unblocked`);
  },
};
