import type { Command } from '../../app/command.ts';
import { summariseProject } from '../../app/facts/summarise-project.ts';
import { loadProject } from '../../app/project.ts';
import { summaryMarkdown, summaryText } from '../../core/text/terminal/summary.ts';

export const command: Command = {
  spec: {
    name: 'summary',
    summary: 'progress in numbers: all tasks, milestones, groups, and what waits for a person',
    arguments: [],
    options: [{ name: 'markdown', type: 'flag', help: 'as Markdown, for a workflow summary or a comment' }],
    examples: [
      { command: 'gza summary', shows: '70% of 10 tasks: 7 completed, 2 pending, 1 failed' },
      { command: 'gza summary --markdown >> "$GITHUB_STEP_SUMMARY"', shows: 'the same on the page of a run' },
      { command: 'gza summary --json', shows: '{"tasks": {"total": 10, …, "progress": "70%"}, …}' },
    ],
  },
  run: async ({ options }, ports) => {
    const project = await loadProject(ports);
    const summary = await summariseProject(project);
    const text = options['markdown'] ? summaryMarkdown(summary) : summaryText(summary, ports.style);
    return { json: summary, text };
  },
};
