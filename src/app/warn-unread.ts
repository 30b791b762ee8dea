/** Task files that no task could be read from: they are on no board, so whoever looks at one is told of them. */

import { configMistakes } from '../core/config/config.ts';
import type { Problem } from '../core/yaml/problem.ts';
import type { Ports } from './command.ts';
import type { OpenedProject } from './project.ts';

const shownMax = 3;

export function unreadFiles({ tasks, problems }: OpenedProject['read']): Problem[] {
  if (problems.length === 0) return [];
  const held = new Set(tasks.map(({ file }) => file));
  const told = new Set(configMistakes(problems));
  return problems.filter(
    (problem) =>
      problem.severity === 'error' &&
      problem.task === undefined &&
      !held.has(problem.file) &&
      !told.has(problem),
  );
}

export function warnUnread({ read }: Pick<OpenedProject, 'read'>, ports: Pick<Ports, 'progress'>): void {
  const unread = unreadFiles(read);
  for (const { file, line, message } of unread.slice(0, shownMax))
    ports.progress(`warning: ${file}:${line}: ${message}`);
  const more = unread.length - shownMax;
  if (more > 0) ports.progress(`warning: ${more} more like it`);
  if (unread.length > 0) ports.progress('warning: no task was read there; gza check says what was expected.');
}
