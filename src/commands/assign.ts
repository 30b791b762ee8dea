import { shorten } from '../core/text/task-line.ts';
import { taskOutcome, writeToTask } from './change-task.ts';
import type { Command } from './command.ts';
import { findTask } from './find-task.ts';
import { openProject } from './project.ts';

export const command: Command = {
  spec: {
    name: 'assign',
    summary: 'say who alone may claim a task; "" for anyone',
    forPeople: true,
    arguments: [
      { name: 'id', required: true, completes: 'id' },
      { name: 'holder', required: true },
    ],
    details: 'Assigning does not start it. A task assigned to a person is not picked.',
    options: [],
    examples: [{ command: 'gza assign task-a3f8 ann', shows: 'only ann may claim it' }],
  },
  run: async ({ args }, ports) => {
    const project = await openProject(ports);
    const { id } = findTask(project.board, args[0] as string);
    const agent = args[1] || null;
    await writeToTask(project, id, ports, (_record, stamp) => [{ kind: 'assign', ...stamp, id, agent }]);
    return taskOutcome(project, id, ports, () => `${id}: assigned to ${agent ? shorten(agent) : 'nobody'}`);
  },
};
