import type { Command, Invocation, Outcome } from '../../app/command.ts';
import type { Project } from '../../app/project.ts';
import { isReady } from '../../core/board/board.ts';
import { inOrder } from '../../core/board/board-order.ts';
import { taskRow } from '../../core/task/task-json.ts';
import { nextText } from '../../core/text/terminal/lists.ts';
import { answer } from '../answer.ts';
import { filterOptions, selectViews } from '../select.ts';

export const command: Command = {
  spec: {
    name: 'next',
    summary: 'runnable tasks in order, and how many are blocked',
    arguments: [],
    options: [{ name: 'all', type: 'flag', help: 'also blocked ones, oldest first' }, ...filterOptions],
    examples: [{ command: 'gza next --all', shows: 'all pending tasks, with what blocks them' }],
  },
  run: (invocation, ports) => answer(ports, (project) => next(invocation, project)),
};

function next(invocation: Invocation, { board }: Project): Outcome {
  const views = selectViews(board, invocation).filter((view) => view.children.length === 0);
  const blocked = views.filter((view) => view.status === 'blocked');
  const all = invocation.options['all'] === true;
  const shown = all
    ? views.filter((view) => view.status === 'pending' || view.status === 'blocked')
    : inOrder(views.filter(isReady), board);
  return { json: shown.map(taskRow), text: nextText(shown, blocked.length, all) };
}
