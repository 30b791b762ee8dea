import type { Command } from '../../app/command.ts';
import { loadProject, type Project } from '../../app/project.ts';
import { taskOutcome, writeToTask } from '../../app/tasks/change-task.ts';
import { findTask } from '../../app/tasks/find-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import { isDefined } from '../../core/ledger/record/record.ts';
import { shorten } from '../../core/text/terminal/task-line.ts';

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
    const project = await loadProject(ports);
    const view = findTask(project.board, args[0] as string);
    const { id } = view;
    const agent = args[1] || null;
    if (agent === null) await refuseInFile(project, view);
    await writeToTask(project, id, ports, (_record, stamp) => [{ kind: 'assign', ...stamp, id, agent }]);
    return taskOutcome(project, id, ports, () => `${id}: assigned to ${agent ? shorten(agent) : 'nobody'}`);
  },
};

/** Until the first claim its file would assign it again at the next look. */
async function refuseInFile({ backlog }: Project, { id, record }: TaskView): Promise<void> {
  if (record && isDefined(record)) return;
  const file = await backlog.definition(id);
  if (!file?.task.assigned_agent) return;
  throw new GzaError('input', `${file.file} assigns ${id} to ${shorten(file.task.assigned_agent)}`, {
    hint: 'Take assigned_agent out there.',
  });
}
