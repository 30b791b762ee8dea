/** A commit message under refs/tasks/ → what happened. */

import type { Reader } from '../../shape.ts';
import { line, list, object, word } from '../../shape.ts';
import type { LedgerEntry } from '../event.ts';
import { opensShape, readEvent, unknownKind } from '../event-shape.ts';

const entryEventsMax = 20_000;

export type ParsedEntry =
  | { readonly kind: 'entry'; readonly entry: LedgerEntry }
  | {
      readonly kind: 'bad';
      readonly why: string /** Of a kind that only a newer gza may know. */;
      readonly isNewer?: boolean;
    };

const droppedShape = object({ event: readEvent, why: line, by: word });

export const entryShape: Reader = object(
  { nonce: word, events: list(readEvent, entryEventsMax) },
  { opens: opensShape, dropped: list(droppedShape, entryEventsMax) },
);

export function parseEntry(message: string): ParsedEntry {
  const start = message.indexOf('\n\n');
  const body = start < 0 ? '' : message.slice(start + 2).trim();
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { kind: 'bad', why: 'its message does not end in an event' };
  }
  const problems: string[] = [];
  const entry = entryShape(value, (problem) => problems.push(problem)) as LedgerEntry | undefined;
  const unknown = problems.find((one) => one.startsWith(unknownKind));
  if (entry === undefined)
    return {
      kind: 'bad',
      why: unknown ?? problems.at(-1) ?? 'its message holds no event',
      ...(unknown ? { isNewer: true } : {}),
    };
  return { kind: 'entry', entry };
}
