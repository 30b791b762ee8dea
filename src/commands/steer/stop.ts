import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { taskOutcome, writeToTask } from '../../app/tasks/change-task.ts';
import { findTask } from '../../app/tasks/find-task.ts';
import { GzaError } from '../../core/errors.ts';
import { holderName } from './claim.ts';

export const command: Command = {
  spec: {
    name: 'stop',
    summary: 'stop a task: what runs on GitHub is cancelled by the next pick, and nothing new starts',
    forPeople: true,
    details: 'It waits for a person then: gza resume goes on. What runs on a laptop ends there, with Ctrl-C.',
    arguments: [{ name: 'id', required: true, completes: 'id' }],
    options: [],
    examples: [{ command: 'gza stop task-a3f8', shows: 'task-a3f8: stopped' }],
  },
  run: async ({ args }, ports) => {
    const project = await loadProject(ports);
    const { id, record, claim } = findTask(project.board, args[0] as string);
    if (record?.closed_at && !claim)
      throw new GzaError('refused', `${id} is closed (${record.closed_as}), and nothing works on it`);
    const detail = `stopped by ${await holderName(project, ports)}`;
    await writeToTask(project, id, ports, (_record, stamp) => [
      { kind: 'stop', ...stamp, id, stop: { reason: 'stopped', detail, at: stamp.at } },
    ]);
    return taskOutcome(project, id, ports, () => `${id}: stopped`);
  },
};
