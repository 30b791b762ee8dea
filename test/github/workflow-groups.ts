/**
 * Concurrency groups, across all runs of the repository. One holds the group, one waits; another that comes
 * cancels the one that waits. With `queue: max` up to a hundred wait.
 */
import { asText } from './expressions.ts';

interface Waiter {
  start(): void;
  cancel(reason: string): void;
}

interface Group {
  holder: Waiter;
  readonly waiting: Waiter[];
}

export interface Groups {
  /** Starts or queues the waiter; what it returns leaves the group. */
  enter(setting: unknown, waiter: Waiter): () => void;
}

export function createGroups(): Groups {
  const groups = new Map<string, Group>();
  const leave = (name: string, waiter: Waiter) => {
    const group = groups.get(name);
    if (!group) return;
    const at = group.waiting.indexOf(waiter);
    if (at >= 0) group.waiting.splice(at, 1);
    if (group.holder !== waiter) return;
    const next = group.waiting.shift();
    if (!next) groups.delete(name);
    else {
      group.holder = next;
      next.start();
    }
  };
  return {
    enter(setting, waiter) {
      const options = typeof setting === 'string' ? { group: setting } : (setting as Record<string, unknown>);
      const name = asText(options['group']).toLowerCase();
      if (!name) {
        waiter.start();
        return () => {};
      }
      const group = groups.get(name);
      if (!group) {
        groups.set(name, { holder: waiter, waiting: [] });
        waiter.start();
      } else join(group, name, options, waiter);
      return () => leave(name, waiter);
    },
  };
}

function join(group: Group, name: string, options: Record<string, unknown>, waiter: Waiter): void {
  const most = options['queue'] === 'max' ? 100 : 1;
  while (group.waiting.length >= most) {
    const oldest = most === 1 ? group.waiting.shift() : undefined;
    if (!oldest) return waiter.cancel(`Canceling since 100 are waiting in ${name}`);
    oldest.cancel(`Canceling since a higher priority waiting request for ${name} exists`);
  }
  group.waiting.push(waiter);
  const isInstead = options['cancel-in-progress'] === true || options['cancel-in-progress'] === 'true';
  if (isInstead) group.holder.cancel(`Canceling since a higher priority waiting request for ${name} exists`);
}
