import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { oldestFirst } from '../../core/board/board-order.ts';
import { deriveMilestones } from '../../core/task/milestones.ts';
import { milestonesText } from '../../core/text/terminal/lists.ts';

export const command: Command = {
  spec: {
    name: 'milestones',
    summary: 'milestones with their derived state',
    arguments: [],
    options: [],
    examples: [{ command: 'gza milestones', shows: 'in the order of gza.yaml' }],
  },
  run: async (_invocation, ports) => {
    const { board, read } = await loadProject(ports);
    const members = oldestFirst(board).map(({ id, task, status }) => ({
      id,
      milestone: task.milestone,
      status,
    }));
    const milestones = deriveMilestones(members, read.milestones);
    const json = milestones.map(({ id, name = null, description = null, ...rest }) => ({
      id,
      name,
      description,
      ...rest,
    }));
    return { json, text: milestonesText(milestones) };
  },
};
