/** Task files that no task could be read from: they are on no board, so whoever looks at one is told of them. */

import type { Ports } from './command.ts';
import type { Opened } from './project.ts';

const shownMax = 3;

export function warnUnread({ read }: Pick<Opened, 'read'>, ports: Pick<Ports, 'progress'>): void {
  const held = new Set(read.tasks.map(({ file }) => file));
  const unread = read.problems.filter(
    ({ severity, task, file }) => severity === 'error' && task === undefined && !held.has(file),
  );
  for (const { file, line, message } of unread.slice(0, shownMax))
    ports.progress(`warning: ${file}:${line}: ${message}`);
  const more = unread.length - shownMax;
  if (more > 0) ports.progress(`warning: ${more} more like it`);
  if (unread.length > 0) ports.progress('warning: no task was read there; gza check says what was expected.');
}
