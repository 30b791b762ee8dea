/**
 * What waits for a split task waits for its last segment. Files cannot be rewritten when a task is split at its
 * start, and branches are stacked on what a task depends on: so it is worked out where tasks are put together.
 */

import type { Task } from '../task/task.ts';
import type { BoardItem } from './board.ts';

export function repointSplits(items: BoardItem[]): BoardItem[] {
  if (!items.some(({ record }) => record?.closed_as === 'split')) return items;
  const last = lastSegments(items);
  return items.map((item) => {
    const { depends_on } = item.task;
    if (!depends_on?.some((id) => last.has(id))) return item;
    const ends = [...new Set(depends_on.flatMap((id) => endsOf(id, last, new Set())))];
    return { ...item, task: { ...item.task, depends_on: ends } };
  });
}

type Segments = ReadonlyMap<string, readonly string[]>;

/** Split task → its children that none of their siblings waits for. */
function lastSegments(items: readonly BoardItem[]): Segments {
  const children = new Map<string, Task[]>();
  for (const { task, record } of items) if (record?.closed_as === 'split') children.set(task.id, []);
  for (const { task } of items) children.get(task.parent ?? '')?.push(task);
  return new Map(
    [...children].flatMap(([id, all]) => {
      const waited = new Set(all.flatMap(({ depends_on = [] }) => depends_on));
      const last = all.map((one) => one.id).filter((one) => !waited.has(one));
      return last.length > 0 ? [[id, last] as const] : [];
    }),
  );
}

/** A segment may have been split again. */
function endsOf(id: string, last: Segments, seen: Set<string>): readonly string[] {
  const segments = last.get(id);
  if (!segments || seen.has(id)) return [id];
  seen.add(id);
  return segments.flatMap((one) => endsOf(one, last, seen));
}
