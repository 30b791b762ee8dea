import type { Command } from '../../app/command.ts';
import { localFacts } from '../../app/facts/facts.ts';
import { loadProject } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import { findTask } from '../../app/tasks/find-task.ts';
import { decideTask, type Facts } from '../../core/policy/decide.ts';
import { whyText } from '../../core/text/terminal/why.ts';

export const command: Command = {
  spec: {
    name: 'why',
    summary: 'the rule that decides about a task, what it saw, and what would change it',
    arguments: [{ name: 'id', required: true, completes: 'id' }],
    options: [],
    examples: [{ command: 'gza why task-a3f8', shows: 'rule: dependency-failed …' }],
  },
  run: async ({ args }, ports) => {
    const project = await loadProject(ports);
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
