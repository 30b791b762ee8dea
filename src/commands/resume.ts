import { agentOptions } from './agent-options.ts';
import { stampOf, writeToTask } from './change-task.ts';
import type { Command } from './command.ts';
import { findTask } from './find-task.ts';
import { look, open } from './project.ts';
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
    const opened = await open(ports);
    const project = await look(opened, ports);
    const view = findTask(project.board, invocation.args[0] as string);
    await writeToTask(project, view.id, ports, () => {
      const { at } = stampOf(ports);
      return view.record?.closed_as === 'failed'
        ? [{ kind: 'retry', at, id: view.id }]
        : [{ kind: 'unblock', at, id: view.id }];
    });
    const request = await requestOf(opened, { ...invocation, args: [view.id] }, ports);
    return workOutcome(await runWork(opened, request, ports, invocation.options['json'] === true), ports);
  },
};
