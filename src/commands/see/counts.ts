import type { Command } from '../../app/command.ts';
import { summariseProject } from '../../app/facts/facts.ts';
import { loadProject } from '../../app/project.ts';
import { wholeViews } from '../../app/whole-tasks.ts';
import { oldestFirst } from '../../core/board/board.ts';
import { milestoneMember } from '../../core/board/summary.ts';
import { boardCosts } from '../../core/policy/cost.ts';
import { deriveMilestones } from '../../core/task/task.ts';
import {
  countGroups,
  groupsText,
  milestonesText,
  summaryMarkdown,
  summaryText,
} from '../../core/text/terminal/lists.ts';

export const groups: Command = {
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

export const milestones: Command = {
  spec: {
    name: 'milestones',
    summary: 'milestones with their derived state',
    arguments: [],
    options: [],
    examples: [{ command: 'gza milestones', shows: 'in the order of gza.yaml' }],
  },
  run: async (_invocation, ports) => {
    const { board, read } = await loadProject(ports);
    const milestones = deriveMilestones(oldestFirst(board).map(milestoneMember), read.milestones);
    const json = milestones.map(({ id, name = null, description = null, ...rest }) => ({
      id,
      name,
      description,
      ...rest,
    }));
    return { json, text: milestonesText(milestones) };
  },
};

const costsMax = 1_000;

export const summary: Command = {
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
    const costs = boardCosts(await wholeViews(project, oldestFirst(project.board)));
    const text = options['markdown'] ? summaryMarkdown(summary) : summaryText(summary, ports.style, costs);
    return { json: { ...summary, costs: costs.slice(0, costsMax) }, text };
  },
};
