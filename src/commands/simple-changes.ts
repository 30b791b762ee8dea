/** Verbs that are one event on one task, as a table: their files differ in nothing else. */
import type { OptionSpec } from '../core/command-spec.ts';
import type { Event } from '../core/event.ts';
import { changeTask } from './change-task.ts';
import type { Command } from './command.ts';

export interface SimpleChange {
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  readonly options?: readonly OptionSpec[];
  readonly shows: string;
  readonly event: (id: string, options: Readonly<Record<string, unknown>>) => EventBody;
  /** What is printed after `id: `. */
  readonly said: string;
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
      let id = args[0] as string;
      return changeTask(
        id,
        ports,
        (record, stamp) => {
          id = record?.id ?? id;
          return [{ ...event(id, given), ...stamp } as Event];
        },
        (view) => `${view.id}: ${said}`,
      );
    },
  };
}
