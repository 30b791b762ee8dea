import type { Command } from './command.ts';
import { changeTask } from './change-task.ts';
import { spoolInstead } from './spool-instead.ts';
import { taskText } from './task-text.ts';

export const command: Command = {
  spec: {
    name: 'note',
    summary: 'append a note to a task',
    arguments: [
      { name: 'id', required: true, completes: 'id' },
      { name: 'text', many: true },
    ],
    details: 'Notes are never edited. A note that begins with "blocked:" during a step ends it for a person.',
    options: [],
    examples: [
      {
        command: 'gza note task-a3f8 "blocked: no access to the staging database"',
        shows: 'task-a3f8: noted',
      },
    ],
  },
  run: async (invocation, ports) => {
    const spooled = await spoolInstead('note', invocation, ports);
    if (spooled) return spooled;
    const { args } = invocation;
    const text = await taskText(args.slice(1).join(' '), {
      ports,
      hint: `${ports.program} note ${args[0]} "what should be known"`,
    });
    return changeTask(
      args[0] as string,
      ports,
      (record, stamp) => [{ kind: 'note', ...stamp, id: record?.id ?? (args[0] as string), text }],
      (view) => `${view.id}: noted`,
    );
  },
};
