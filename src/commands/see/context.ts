import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { contextText, positionIn } from '../../core/text/terminal/outline.ts';
import { filterOptions, selectViews } from '../select.ts';
import { spoolInstead } from '../spool-instead.ts';

const bytesMax = 1000;

export const command: Command = {
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
