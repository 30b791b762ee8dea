import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { taskRow } from '../../core/task/task-json.ts';
import { inTreeOrder, positionIn, treeText } from '../../core/text/terminal/outline.ts';
import { filterOptions, selectViews } from '../select.ts';

export const command: Command = {
  spec: {
    name: 'tree',
    summary: 'tasks under their parents, with the current position',
    arguments: [],
    options: filterOptions,
    examples: [{ command: 'gza tree --plan docs/plans/auth.md', shows: 'the tasks of one plan' }],
  },
  run: async (invocation, ports) => {
    const { board } = await loadProject(ports);
    const ids = new Set(selectViews(board, invocation).map((view) => view.id));
    const current = positionIn(board, ids);
    const json = inTreeOrder(board, ids).map(({ view, depth }) => ({
      ...taskRow(view),
      depth,
      current: view.id === current,
    }));
    return { json, text: treeText(board, ids) };
  },
};
