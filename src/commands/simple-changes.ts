/** Verbs that are one event on one task, as a table: their files differ in nothing else. */

import type { Command, Invocation } from '../app/command.ts';
import { loadProject } from '../app/project.ts';
import { taskOutcome, writeToTask } from '../app/tasks/change-task.ts';
import { findTask } from '../app/tasks/find-task.ts';
import type { OptionSpec } from '../core/arguments/command-spec.ts';
import type { TaskView } from '../core/board/board.ts';
import type { Event } from '../core/ledger/event.ts';

export interface SimpleChange {
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  readonly options?: readonly OptionSpec[];
  readonly shows: string;
  readonly event: (id: string, options: Invocation['options']) => EventBody;
  /** What is printed after `id: `. */
  readonly said: string;
  /** What is printed when there is nothing to do; undefined when there is. */
  readonly already?: (view: TaskView) => string | undefined;
}

/** An event without its time and actor. */
export type EventBody = Event extends infer One
  ? One extends Event
    ? Omit<One, 'at' | 'by'>
    : never
  : never;

export const reasonOption: OptionSpec = { name: 'reason', type: 'text', value: '<text>', help: 'why' };

export function simpleChange({
  name,
  summary,
  details,
  options = [],
  shows,
  event,
  said,
  already,
}: SimpleChange): Command {
  return {
    spec: {
      name,
      summary,
      forPeople: true,
      arguments: [{ name: 'id', required: true, completes: 'id' }],
      ...(details ? { details } : {}),
      options,
      examples: [{ command: `gza ${name} task-a3f8`, shows }],
    },
    run: async ({ args, options: given }, ports) => {
      const project = await loadProject(ports);
      const view = findTask(project.board, args[0] as string);
      const before = already?.(view);
      if (before === undefined) {
        const change = event(view.id, given);
        await writeToTask(project, view.id, ports, (_record, stamp) => [{ ...change, ...stamp }]);
      }
      return taskOutcome(project, view.id, ports, () => `${view.id}: ${before ?? said}`);
    },
  };
}
