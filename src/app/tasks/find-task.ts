/** From the word a person typed to the one task they mean. */

import { nearestWord } from '../../core/arguments/nearest-word.ts';
import type { Board, TaskView } from '../../core/board/board.ts';
import { circleThrough, type Links } from '../../core/board/graph.ts';
import { printCycle } from '../../core/board/strong-components.ts';
import { GzaError } from '../../core/errors.ts';
import { shorten } from '../../core/text/terminal/task-line.ts';

const candidatesMax = 10;

/** An exact id wins over a prefix; `task-` and a leading `#` may be left out. */
export function findTask(board: Board, word: string): TaskView {
  const name = word.replace(/^#/, '');
  const exact = board.views.get(name) ?? board.views.get(`task-${name}`);
  if (exact) return exact;
  const found = name === '' ? [] : withPrefix(board, name);
  if (found.length === 1) return found[0] as TaskView;
  throw found.length > 1 ? ambiguous(word, found) : unknown(board, word);
}

function withPrefix(board: Board, name: string): TaskView[] {
  const matches = (id: string) => id.startsWith(name) || id.startsWith(`task-${name}`);
  return [...board.views.values()].filter((view) => matches(view.id) || view.record?.was === name);
}

function ambiguous(word: string, found: readonly TaskView[]): GzaError {
  const lines = found.slice(0, candidatesMax).map((view) => `${view.id}: ${shorten(view.task.title)}`);
  const more = found.length > candidatesMax ? [`and ${found.length - candidatesMax} more`] : [];
  return new GzaError('input', `"${word}" could be ${found.length} tasks`, {
    hint: [...lines, ...more].join('\n'),
    data: { candidates: found.slice(0, 100).map((view) => view.id) },
  });
}

function unknown(board: Board, word: string): GzaError {
  const ids = [...board.views.keys()];
  const near = nearestWord(word, ids.slice(0, 20_000));
  const open = ids.filter((id) => board.views.get(id)?.record?.closed_at === undefined);
  return new GzaError('input', `there is no task "${word}"${near ? `: did you mean ${near}?` : ''}`, {
    hint:
      open.length > 0
        ? open
            .slice(0, candidatesMax)
            .map((id) => `${id}: ${shorten(board.views.get(id)?.task.title ?? '')}`)
            .join('\n')
        : 'No task is open. File one: gza add "What should be done"',
    data: { candidates: near ? [near] : [] },
  });
}

/** What would wait for itself never starts: a task waits for what it depends on, and a parent for its parts. */
export function refuseCircle(board: Board, changed: Links): void {
  const isOpen = (one: string) => {
    const record = board.views.get(one)?.record;
    return record?.closed_at === undefined || record.closed_as === 'split';
  };
  const circle = circleThrough(changed, { ...board, isOpen });
  if (circle === null) return;
  throw new GzaError('usage', `${changed.id} would wait for itself: ${printCycle(circle)}`, {
    hint: 'A task waits for what it depends on, and a parent for its parts. Nothing was changed.',
  });
}
