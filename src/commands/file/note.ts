import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { taskOutcome, writeToTask } from '../../app/tasks/change-task.ts';
import { findTask } from '../../app/tasks/find-task.ts';
import { spoolInstead } from '../spool-instead.ts';
import { taskText } from '../task-text.ts';

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
    const project = await loadProject(ports);
    const { id } = findTask(project.board, args[0] as string);
    const hint = `${ports.program} note ${id} "what should be known"`;
    const text = await taskText(args.slice(1).join(' '), { ports, hint });
    await writeToTask(project, id, ports, (_record, stamp) => [{ kind: 'note', ...stamp, id, text }]);
    return taskOutcome(project, id, ports, () => `${id}: noted`);
  },
};
