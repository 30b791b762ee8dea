import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { taskOutcome, writeToTask } from '../../app/tasks/change-task.ts';
import { findTask } from '../../app/tasks/find-task.ts';
import type { Event } from '../../core/ledger/event.ts';

export const command: Command = {
  spec: {
    name: 'approve',
    summary: 'approve a plan, a task too complex to start unasked, or else the head of a reviewed task',
    forPeople: true,
    arguments: [
      { name: 'id', required: true, completes: 'id' },
      { name: 'reason', many: true },
    ],
    options: [],
    examples: [{ command: 'gza approve task-a3f8', shows: 'its dependents may go on' }],
  },
  run: async ({ args }, ports) => {
    const project = await loadProject(ports);
    const view = findTask(project.board, args[0] as string);
    const reason = args.slice(1).join(' ');
    const settings = project.settings(view.task);
    const isPlan =
      settings.approval === 'required' ||
      view.task.type === 'plan' ||
      view.task.type === 'explore' ||
      view.blockers.some(({ kind }) => kind === 'complex');
    await writeToTask(project, view.id, ports, (_record, stamp) => {
      const approve: Event = { kind: 'approve', ...stamp, id: view.id, ...(reason ? { reason } : {}) };
      return isPlan ? [approve] : [{ kind: 'verdict', ...stamp, id: view.id, verdict: 'APPROVED' }, approve];
    });
    return taskOutcome(project, view.id, ports, () => `${view.id}: approved`);
  },
};
