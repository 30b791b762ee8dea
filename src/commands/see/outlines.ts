import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { taskRow } from '../../core/task/task-json.ts';
import {
  contextText,
  inTreeOrder,
  positionIn,
  positionPath,
  treeText,
} from '../../core/text/terminal/outline.ts';
import { filterOptions, selectViews } from '../select.ts';
import { spoolInstead } from '../spool-instead.ts';

export const tree: Command = {
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

export const where: Command = {
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

const bytesMax = 1000;

export const context: Command = {
  spec: {
    name: 'context',
    summary: 'the Markdown that is put before an agent: tasks and the current position',
    arguments: [],
    options: [
      { name: 'all', type: 'flag', help: 'the whole list, however long; by default under 1 KB' },
      ...filterOptions,
    ],
    examples: [{ command: 'gza context', shows: '## Current Tasks, with <-- current' }],
  },
  run: async (invocation, ports) => {
    const spooled = await spoolInstead('context', invocation, ports);
    if (spooled) return spooled;
    const { board } = await loadProject(ports);
    const ids = new Set(selectViews(board, invocation).map((view) => view.id));
    const markdown = contextText(board, ids, {
      bytesMax: invocation.options['all'] ? null : bytesMax,
    });
    return { json: { markdown, current: positionIn(board, ids) }, text: markdown };
  },
};
