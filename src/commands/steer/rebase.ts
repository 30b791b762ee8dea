import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { askForRebase } from '../../app/tasks/ask-for-rebase.ts';
import { taskOutcome } from '../../app/tasks/change-task.ts';
import { findTask } from '../../app/tasks/find-task.ts';
import { GzaError } from '../../core/errors.ts';
import { porcelain } from '../../git/porcelain.ts';
import { holderName } from './claim.ts';

export const command: Command = {
  spec: {
    name: 'rebase',
    summary: 'ask for the branch of a task to be put on top of its base',
    forPeople: true,
    details:
      'The next pick on GitHub does it, when nothing works on the branch, and tells of it there; gza sync takes the wish there.',
    arguments: [{ name: 'id', required: true, completes: 'id' }],
    options: [],
    examples: [
      { command: 'gza rebase task-a3f8', shows: 'task-a3f8: the next pick puts gza/task-a3f8 on its base' },
    ],
  },
  run: async ({ args }, ports) => {
    const project = await loadProject(ports);
    const view = findTask(project.board, args[0] as string);
    const remotes = await porcelain(project.repository.git.cwd, (git) => git.getRemotes());
    if (remotes.length === 0)
      throw new GzaError('refused', 'no pick runs for a repository without a remote', {
        hint: 'Rebase the branch yourself: gza goes on from what it finds there.',
      });
    const by = await holderName(project, ports);
    const branch = await askForRebase(project, view, { at: ports.now(), by });
    if (branch === null)
      throw new GzaError('refused', `${view.id} has no branch to rebase`, { hint: `gza why ${view.id}` });
    return taskOutcome(project, view.id, ports, () => `${view.id}: the next pick puts ${branch} on its base`);
  },
};
