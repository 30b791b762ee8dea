import type { Command } from '../../app/command.ts';
import { type Scored, scorer } from '../../app/facts/scorer.ts';
import { loadProject, type Project } from '../../app/project.ts';
import { findTask } from '../../app/tasks/find-task.ts';
import { wholeViews } from '../../app/whole-tasks.ts';
import type { TaskView } from '../../core/board/board.ts';
import { oldestFirst } from '../../core/board/board-order.ts';
import { levelActions } from '../../core/sizing/score.ts';
import { describeScore, scoreLines } from '../../core/text/terminal/score.ts';
import { shorten } from '../../core/text/terminal/task-line.ts';

export const command: Command = {
  spec: {
    name: 'score',
    summary: 'how complex tasks are, from 0 to 13, and what made them so',
    arguments: [{ name: 'task', many: true, completes: 'id' }],
    details:
      'Without tasks: those that have not begun, the most complex first. The words, files and layers that gave points are printed for tasks that are named, and with --json for all.',
    options: [{ name: 'all', type: 'flag', help: 'all tasks, sorted, also those begun or closed' }],
    examples: [
      { command: 'gza score task-a3f8', shows: 'component, points, and what gave them' },
      { command: 'gza score --all', shows: 'a line for each task, the most complex first' },
    ],
  },
  run: async ({ args, options }, ports) => {
    const project = await loadProject(ports);
    const named = args.map((word) => findTask(project.board, word));
    const isList = named.length === 0;
    const wanted = isList ? listed(project, options['all'] === true) : named;
    const scored = await scoreViews(project, wanted);
    if (isList) scored.sort((a, b) => b.score.total - a.score.total);
    const json = scored.map(({ view, score, warnings }) => ({
      id: view.id,
      title: view.task.title,
      ...score,
      action: levelActions[score.level],
      warnings,
    }));
    const none = 'No task has yet to begin. gza score --all shows the others too.';
    return { json, text: isList ? scoreLines(scored) || none : scored.map(whole).join('\n\n') };
  },
};

/** A task with subtasks is what they are. */
function listed({ board }: Project, all: boolean): TaskView[] {
  const isNew = ({ record }: TaskView) => !record?.started_at && !record?.closed_at;
  return oldestFirst(board).filter((view) => view.children.length === 0 && (all || isNew(view)));
}

interface ScoredView extends Scored {
  readonly view: TaskView;
}

async function scoreViews(
  project: Pick<Project, 'backlog' | 'view' | 'config' | 'repository'>,
  views: readonly TaskView[],
): Promise<ScoredView[]> {
  const whole = await wholeViews(project, views);
  const score = scorer(
    project,
    whole.map(({ task }) => task),
  );
  return whole.map((view) => ({ view, ...score(view.task) }));
}

function whole({ view, score, warnings }: ScoredView): string {
  const title = `${view.id}: ${shorten(view.task.title, 80)}`;
  return [title, describeScore(score), ...warnings.map(({ message }) => `  warning: ${message}`)].join('\n');
}
