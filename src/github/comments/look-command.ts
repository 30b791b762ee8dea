/** `/gza status` and `/gza why`: of the lane it was asked on, of a task that was named, or of all. */
import type { Project } from '../../app/project.ts';
import type { TaskView } from '../../core/board/board.ts';
import { inOrder } from '../../core/board/board-order.ts';
import type { Decision } from '../../core/policy/decide.ts';
import { boardExcerpt } from '../../core/text/github/board-issue.ts';
import { whyAnswer } from '../../core/text/github/command-answer.ts';
import { pullStatusText } from '../../core/text/github/pull-body.ts';
import { done, type Said } from './obey-command.ts';

const tasksShown = 20;

export function lookAsked(
  { board }: Project,
  view: TaskView | null,
  verb: 'status' | 'why',
  all: readonly Decision[],
): Said {
  const branch = view?.record?.lane?.folded_at === undefined ? view?.record?.lane?.branch : undefined;
  const lane = [...board.views.values()].filter(
    ({ id, record }) => id === view?.id || (branch !== undefined && record?.lane?.branch === branch),
  );
  const tasks = view ? inOrder(lane, board) : [...board.views.values()];
  const ids = new Set(tasks.map(({ id }) => id));
  const decisions = all.filter(({ task }) => ids.has(task));
  if (verb === 'why')
    return done(
      'the rules that hold:',
      whyAnswer(decisions, (id) => board.views.has(id)),
    );
  const text = view
    ? pullStatusText({ board, tasks, decisions })
    : boardExcerpt({ board, decisions }, tasksShown);
  return done('as it is now:', text);
}
