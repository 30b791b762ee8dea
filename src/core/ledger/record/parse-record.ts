/** One line of a ledger → a task's record. Anyone who can push can write these lines. */

import type { TaskRecord } from './record.ts';
import { recordShape } from './record-shape.ts';

const recordLineMax = 4 << 20;

export type ParsedRecord =
  | { readonly kind: 'record'; readonly record: TaskRecord; readonly problems: readonly string[] }
  | { readonly kind: 'bad'; readonly why: string };

export function parseRecord(line: string): ParsedRecord {
  if (line.length > recordLineMax) return { kind: 'bad', why: `the line is longer than ${recordLineMax}` };
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: 'bad', why: 'the line is not JSON' };
  }
  const problems: string[] = [];
  const record = recordShape(value, (problem) => problems.push(problem)) as TaskRecord | undefined;
  if (record === undefined) return { kind: 'bad', why: problems.at(-1) ?? 'the line is not a task' };
  return { kind: 'record', record, problems };
}

/** The id at the start of a line as `printRecord` writes it, without parsing the rest; null when unusual. */
export function idOfLine(line: string): string | null {
  const match = /^\{"id":"([^"\\]{1,300})"/.exec(line);
  if (match) return match[1] as string;
  const parsed = parseRecord(line);
  return parsed.kind === 'record' ? parsed.record.id : null;
}
