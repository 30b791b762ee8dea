import type { Command } from '../../app/command.ts';
import { loadProject, type Project, type Scored, scorer } from '../../app/project.ts';
import { findTask, isInFile, stampOf, wholeView } from '../../app/tasks/change-task.ts';
import { planSplit, splitInFile, splitInLedger } from '../../app/tasks/split-task.ts';
import { wholeViews } from '../../app/whole-tasks.ts';
import { oldestFirst, type TaskView } from '../../core/board/board.ts';
import { levelActions } from '../../core/sizing/score.ts';
import { shorten } from '../../core/text/terminal/lines.ts';
import { describeScore, describeSplit, scoreLines } from '../../core/text/terminal/score.ts';

export const score: Command = {
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

/** Tasks to measure. Leaves out parents, since their subtasks are measured. */
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

export const split: Command = {
  spec: {
    name: 'split',
    summary: 'a task that is too large into a chain of smaller ones',
    forPeople: true,
    arguments: [{ name: 'task', required: true, completes: 'id' }],
    details:
      'Shows the split; --write makes it. A task from a file is split in its file, comments kept; a filed one in its ledger. Tasks that waited for it then wait for the last segment.',
    options: [{ name: 'write', type: 'flag', help: 'make the split that is shown' }],
    examples: [
      { command: 'gza split task-a3f8', shows: 'the segments, their scores and what they wait for' },
      { command: 'gza split task-a3f8 --write', shows: 'the same, done' },
    ],
  },
  run: async ({ args, options }, ports) => {
    const project = await loadProject(ports);
    const view = await wholeView(project, findTask(project.board, args[0] as string).id);
    const split = planSplit(project, view);
    const text = describeSplit(view.id, split);
    if (split.kind === 'cannot') {
      return {
        exit: options['write'] === true ? 1 : 0,
        json: { id: view.id, ...split, written: false },
        text,
      };
    }
    const waiting = split.repointed.map(({ id }) => `#${id}`);
    const lines = waiting.length > 0 ? [`  ${waiting.join(', ')} then waits for the last`] : [];
    if (options['write'] !== true) {
      const json = { id: view.id, ...split, written: false, files: [] };
      return {
        json,
        text: [text, ...lines, `Nothing is written yet: gza split ${view.id} --write`].join('\n'),
      };
    }
    const stamp = stampOf(ports);
    const inFile = await isInFile(project, view);
    const files = inFile ? await splitInFile(project, view, split, stamp) : [];
    if (!inFile) await splitInLedger(project, view, split, stamp);
    const where = files.length > 0 ? `written to ${files.join(', ')}` : 'split in its ledger';
    return {
      json: { id: view.id, ...split, written: true, files },
      text: [text, ...lines, where].join('\n'),
    };
  },
};
