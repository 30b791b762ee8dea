import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { writeToTask } from '../../app/tasks/change-task.ts';
import { findTask } from '../../app/tasks/find-task.ts';
import { GzaError } from '../../core/errors.ts';
import { openToWork } from '../../engine/work-ports.ts';
import { agentOptions } from '../agent-options.ts';
import { requestOf, runWork, workOutcome } from './work.ts';

export const command: Command = {
  spec: {
    name: 'resume',
    summary: 'go on with a task that was stopped, paused or failed, from what it left',
    forPeople: true,
    arguments: [{ name: 'id', required: true, completes: 'id' }],
    options: [{ name: 'offline', type: 'flag', help: 'claim here only' }, ...agentOptions],
    examples: [{ command: 'gza resume task-a3f8', shows: 'the failed phase, from its last commit' }],
  },
  run: async (invocation, ports) => {
    const opened = await openToWork(ports);
    const project = await loadProject(ports, opened);
    const view = findTask(project.board, invocation.args[0] as string);
    const { record } = view;
    if (record?.closed_at && record.closed_as !== 'failed') {
      throw new GzaError('input', `${view.id} is over (${record.closed_as}), so there is nothing to resume`, {
        hint: `gza improve ${view.id} "what to do" works on it further; gza reopen ${view.id} begins anew.`,
      });
    }
    await writeToTask(project, view.id, ports, (_record, stamp) => {
      const isFailed = record?.closed_as === 'failed';
      return [{ kind: isFailed ? 'retry' : 'unblock', ...stamp, id: view.id }];
    });
    const request = await requestOf(opened, { ...invocation, args: [view.id] }, ports);
    const resumed = { ...request, choice: { ...request.choice, resume: true } };
    return workOutcome(await runWork(opened, resumed, ports, invocation.options['json'] === true), ports);
  },
};
