/** What rules say most often. */
import type { Facts, Match } from './decide.ts';

export function wait(because: string, change: string, until?: string): Match {
  return { action: { kind: 'wait', ...(until ? { until } : {}) }, because, change };
}

export function askPerson(reason: string, detail: string, change: string, facts: Facts): Match {
  const stop = { reason, detail, at: facts.board.now };
  return { action: { kind: 'ask-person', stop }, because: detail, change };
}

/** How a person answers what an agent asked. */
export function howToAnswer(id: string): string {
  return `gza note ${id} "the answer", then gza resume ${id}; as a comment: gza work ${id} and the answer`;
}
