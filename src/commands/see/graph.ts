import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { isReady } from '../../core/board/board.ts';
import { dotGraph, mermaidGraph, textGraph } from '../../core/text/terminal/graph.ts';
import { filterOptions, selectViews } from '../select.ts';

const formats = ['text', 'mermaid', 'dot'] as const;

export const command: Command = {
  spec: {
    name: 'graph',
    summary: 'the dependency graph',
    arguments: [],
    options: [
      {
        name: 'format',
        short: 'f',
        type: 'text',
        value: '<format>',
        help: 'how to draw it',
        choices: formats,
      },
      { name: 'open', type: 'flag', help: 'only tasks that are not closed' },
      ...filterOptions,
    ],
    examples: [
      { command: 'gza graph --format mermaid', shows: 'for Markdown on GitHub' },
      { command: 'gza graph --format dot | dot -Tsvg > graph.svg', shows: 'a picture' },
    ],
  },
  run: async (invocation, ports) => {
    const { board } = await loadProject(ports);
    const open = invocation.options['open'] === true;
    const views = selectViews(board, invocation).filter(
      (view) => !open || (view.status !== 'completed' && view.status !== 'skipped'),
    );
    const draw = { text: textGraph, mermaid: mermaidGraph, dot: dotGraph };
    const format = (invocation.options['format'] as (typeof formats)[number] | undefined) ?? 'text';
    const json = {
      nodes: views.map((view) => ({
        id: view.id,
        title: view.task.title,
        status: view.status,
        ready: isReady(view),
      })),
      edges: views.flatMap((view) =>
        board.graph
          .dependencies(view.id)
          .map(({ id, why, file }) => ({ from: id, to: view.id, why, file: file ?? null })),
      ),
      cycles: board.graph.cycles,
    };
    return { json, text: draw[format](views, board) };
  },
};
