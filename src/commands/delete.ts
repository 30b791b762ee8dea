import { GzaError } from '../core/errors.ts';
import { changeTask } from './change-task.ts';
import type { Command } from './command.ts';
import { findTask } from './find-task.ts';
import { openProject } from './project.ts';

export const command: Command = {
  spec: {
    name: 'delete',
    summary: 'drop a task: its record stays, its dependents are blocked with that reason',
    forPeople: true,
    arguments: [{ name: 'id', required: true, completes: 'id' }],
    options: [{ name: 'reason', type: 'text', value: '<text>', help: 'why' }],
    examples: [{ command: 'gza delete task-a3f8 --reason "no longer wanted"', shows: 'task-a3f8: deleted' }],
  },
  run: async ({ args, options }, ports) => {
    const project = await openProject(ports);
    const view = findTask(project.board, args[0] as string);
    if (view.claim) {
      throw new GzaError('lost', `${view.id} is held by ${view.claim.holder} until ${view.claim.until}`, {
        hint: `gza release ${view.id} takes it back first.`,
        data: { holder: view.claim.holder },
      });
    }
    if (view.file !== undefined && view.record === null) {
      const { deleteTaskFromFile } = await import('../lazy.ts');
      deleteTaskFromFile({ root: project.repository.workTree ?? ports.cwd, file: view.file, id: view.id });
      const text = `${view.id}: deleted from ${view.file}`;
      return {
        json: {
          id: view.id,
          type: view.task.type,
          title: view.task.title,
          status: 'deleted',
          file: view.file,
        },
        text,
      };
    }
    const reason = (options['reason'] as string | undefined) ?? 'deleted';
    return changeTask(
      view.id,
      ports,
      (_record, stamp) => [{ kind: 'close', ...stamp, id: view.id, as: 'dropped', reason }],
      () => `${view.id}: deleted`,
    );
  },
};
