/** "blocked by #x, which failed": the words for what holds a task back. */
import type { Blocker } from '../blockers.ts';

export function describeBlocker(blocker: Blocker): string {
  switch (blocker.kind) {
    case 'waiting':
      return `blocked by #${blocker.id}${creates(blocker.file)}`;
    case 'failed':
      return `blocked by #${blocker.id}${creates(blocker.file)}, which failed`;
    case 'dropped':
      return `blocked by #${blocker.id}${creates(blocker.file)}, which was dropped`;
    case 'missing':
      return `blocked by #${blocker.id}, which does not exist`;
    case 'cycle':
      return blocker.path.length > 1
        ? `waits for itself: ${describeCycle(blocker.path)}`
        : 'waits for itself through a cycle of dependencies';
  }
}

/** A cycle of any length in one bounded line. */
export function describeCycle(path: readonly string[]): string {
  const shown =
    path.length <= 12 ? path : [...path.slice(0, 8), `(${path.length - 10} more)`, ...path.slice(-2)];
  return shown.join(' → ');
}

function creates(file: string | undefined): string {
  return file === undefined ? '' : ` (it creates ${file})`;
}
