import type { Command } from '../../app/command.ts';
import { loadProject, scorer } from '../../app/project.ts';
import { wholeViews } from '../../app/whole-tasks.ts';
import { oldestFirst } from '../../core/board/board.ts';
import { statsOf } from '../../core/report/stats.ts';
import { statsText } from '../../core/text/terminal/stats.ts';

export const stats: Command = {
  spec: {
    name: 'stats',
    summary: 'looking back: approvals, cycles, time and cost by agent, model, type and size',
    arguments: [],
    details:
      'Which agent is best on this repository: how often its work was approved at the first review, how many cycles it took, and what it cost. Sizes are levels of complexity, as in gza score. Costs and times of agents are those of the last 40 steps of each task.',
    options: [],
    examples: [
      { command: 'gza stats', shows: 'Best here so far: codex, with 5 of 6 approved at once' },
      { command: 'gza stats --json', shows: '{"total": {…}, "agents": [{"name": "codex", …}], …}' },
    ],
  },
  run: async (_invocation, ports) => {
    const project = await loadProject(ports);
    const views = await wholeViews(project, oldestFirst(project.board));
    const score = scorer(
      project,
      views.map(({ task }) => task),
    );
    const json = statsOf(views, ({ task }) => score(task).score.level);
    return { json, text: statsText(json, ports.style) };
  },
};
