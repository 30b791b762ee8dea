import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { countGroups, groupsText } from '../../core/text/terminal/lists.ts';

export const command: Command = {
  spec: {
    name: 'groups',
    summary: 'groups with their counts',
    arguments: [],
    options: [],
    examples: [{ command: 'gza groups', shows: 'each group, and the ungrouped tasks' }],
  },
  run: async (_invocation, ports) => {
    const { board } = await loadProject(ports);
    const groups = countGroups(board);
    return { json: groups, text: groupsText(groups) };
  },
};
