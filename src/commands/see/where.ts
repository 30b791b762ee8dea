import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { taskRow } from '../../core/task/task-json.ts';
import { positionIn, positionPath } from '../../core/text/terminal/outline.ts';
import { filterOptions, selectViews } from '../select.ts';

export const command: Command = {
  spec: {
    name: 'where',
    summary: 'the current position: the first incomplete leaf of the tree',
    arguments: [],
    options: filterOptions,
    examples: [{ command: 'gza where --plan docs/plans/auth.md', shows: 'where work in that plan stands' }],
  },
  run: async (invocation, ports) => {
    const { board } = await loadProject(ports);
    const ids = new Set(selectViews(board, invocation).map((view) => view.id));
    const id = positionIn(board, ids);
    const view = id === null ? undefined : board.views.get(id);
    if (!view) return { json: null, text: ids.size === 0 ? 'No tasks.' : 'Everything is complete.' };
    const path = positionPath(board, view.id);
    return { json: { ...taskRow(view), path }, text: `${view.id}: ${view.task.title}\n${path}` };
  },
};
