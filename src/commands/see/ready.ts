import type { Command, Invocation, Outcome } from '../../app/command.ts';
import type { Project } from '../../app/project.ts';
import { isReady } from '../../core/board/board.ts';
import { inOrder } from '../../core/board/board-order.ts';
import { taskRow } from '../../core/task/task-json.ts';
import { readyText } from '../../core/text/terminal/lists.ts';
import { answer } from '../answer.ts';
import { filterOptions, selectViews } from '../select.ts';

export const command: Command = {
  spec: {
    name: 'ready',
    summary: 'pending tasks that nothing blocks, first to run first',
    arguments: [],
    details: 'In order of priority, milestone, longest remaining chain, age.',
    options: [{ name: 'max', type: 'number', value: '<n>', help: 'at most n tasks' }, ...filterOptions],
    examples: [{ command: 'gza ready --json | head', shows: 'the next tasks for a script' }],
  },
  run: (invocation, ports) => answer(ports, (project) => ready(invocation, project)),
};

function ready(invocation: Invocation, { board }: Project): Outcome {
  const views = selectViews(board, invocation);
  const max = (invocation.options['max'] as number | undefined) ?? Number.POSITIVE_INFINITY;
  const first = inOrder(views.filter(isReady), board).slice(0, max);
  const blocked = views.filter((view) => view.status === 'blocked' && view.children.length === 0);
  return { json: first.map(taskRow), text: readyText(first, blocked) };
}
