import { checkBacklog } from '../core/check-backlog.ts';
import { printProblems } from '../core/problem.ts';
import { count } from '../core/text/lists.ts';
import type { Command } from './command.ts';
import { open } from './project.ts';

export const command: Command = {
  spec: {
    name: 'check',
    summary: 'validate all task files and the configuration; runs nothing',
    arguments: [],
    options: [],
    examples: [
      {
        command: 'gza check',
        shows: 'tasks/auth.yml:3:1: depend_on is not a field of a task: did you mean depends_on?',
      },
    ],
  },
  run: async (_invocation, ports) => {
    const opened = await open(ports);
    const whole = await opened.backlog.read({ whole: true });
    const view = await opened.ledger.view();
    const filed = new Map((await view.rows()).map(({ record }) => [record.id, record]));
    const { problems, tasks } = checkBacklog({
      tasks: whole.tasks,
      problems: whole.problems,
      filed,
      base: view.base,
    });
    const errors = problems.filter((problem) => problem.severity === 'error');
    const sum = `${count(tasks.length, 'task')} in files, ${count(errors.length, 'error')}, ${count(problems.length - errors.length, 'warning')}`;
    return {
      exit: errors.length > 0 ? 2 : 0,
      json: { tasks: tasks.length, problems },
      text: problems.length > 0 ? `${printProblems(problems)}\n${sum}` : `${sum}: all good`,
    };
  },
};
