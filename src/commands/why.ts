import { decideTask, type Facts } from '../core/decide.ts';
import { whyText } from '../core/text/why.ts';
import { wholeView } from './change-task.ts';
import type { Command } from './command.ts';
import { localFacts } from './facts.ts';
import { findTask } from './find-task.ts';
import { openProject } from './project.ts';

export const command: Command = {
  spec: {
    name: 'why',
    summary: 'the rule that decides about a task, what it saw, and what would change it',
    arguments: [{ name: 'id', required: true, completes: 'id' }],
    options: [],
    examples: [{ command: 'gza why task-a3f8', shows: 'rule: dependency-failed …' }],
  },
  run: async ({ args }, ports) => {
    const project = await openProject(ports);
    const found = findTask(project.board, args[0] as string);
    const facts: Facts = await localFacts(project);
    const view = await wholeView(project, found.id);
    const decision = decideTask(view, facts);
    return {
      json: { ...decision, status: view.status, blockers: view.blockers },
      text: whyText(view, decision),
    };
  },
};
