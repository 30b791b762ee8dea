import { changeTask } from './change-task.ts';
import type { Command } from './command.ts';

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
    const holder = args[1] || null;
    return changeTask(
      args[0] as string,
      ports,
      (record, stamp) => [{ kind: 'assign', ...stamp, id: record?.id ?? (args[0] as string), agent: holder }],
      (view) => (holder ? `${view.id}: assigned to ${holder}` : `${view.id}: assigned to nobody`),
    );
  },
};
