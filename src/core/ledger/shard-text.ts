/** The text of a shard or of a lane's tasks.jsonl: one record a line, sorted by id. */

import { compareText } from '../natural-compare.ts';
import { ledgerIdPattern } from '../task/branch-name.ts';
import { printRecord, recordShape, type TaskRecord } from './record/record.ts';

interface ParsedShard {
  readonly records: ReadonlyMap<string, TaskRecord>;
  readonly problems: readonly string[];
}

/** All records, or those with one of these ids. */
export function parseShard(text: string, only?: ReadonlySet<string>): ParsedShard {
  const records = new Map<string, TaskRecord>();
  const problems: string[] = [];
  let number = 0;
  for (const line of text.split('\n')) {
    number++;
    if (line === '' || (only && !only.has(idOfLine(line) ?? ''))) continue;
    const parsed = parseRecord(line);
    if (parsed.kind === 'bad') {
      problems.push(`line ${number}${named(line)}: ${parsed.why}`);
      continue;
    }
    const { record } = parsed;
    for (const problem of parsed.problems) problems.push(`line ${number} (${record.id}): ${problem}`);
    if (records.has(record.id))
      problems.push(`line ${number}: ${record.id} is there twice; the first counts`);
    else records.set(record.id, record);
  }
  return { records, problems };
}

function named(line: string): string {
  const id = idOfLine(line) ?? '';
  return ledgerIdPattern.test(id) ? ` (${id})` : '';
}

/**
 * The text with records replaced, added, or (null) removed. Lines that are not touched stay as they are, byte
 * for byte: another version may know more about them. Lines that cannot be read are kept at the end.
 */
export function editShard(text: string, changes: ReadonlyMap<string, TaskRecord | null>): string {
  const lines = new Map<string, string>();
  const unreadable: string[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const id = idOfLine(line);
    if (id === null) unreadable.push(line);
    else if (!lines.has(id)) lines.set(id, line);
  }
  for (const [id, record] of changes) {
    if (record) lines.set(id, printRecord(record));
    else lines.delete(id);
  }
  const sorted = [...lines.keys()].sort(compareText).map((id) => lines.get(id) as string);
  const all = [...sorted, ...unreadable];
  return all.length > 0 ? `${all.join('\n')}\n` : '';
}

const recordLineMax = 4 << 20;

type ParsedRecord =
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
  const record = recordShape(value, (problem) => problems.push(problem));
  if (record === undefined) return { kind: 'bad', why: problems.at(-1) ?? 'the line is not a task' };
  return { kind: 'record', record, problems };
}

/** The id at the start of a line as `printRecord` writes it, without parsing the rest; null when unusual. */
function idOfLine(line: string): string | null {
  const match = /^\{"id":"([^"\\]{1,300})"/.exec(line);
  if (match) return match[1] as string;
  const parsed = parseRecord(line);
  return parsed.kind === 'record' ? parsed.record.id : null;
}

/**
 * Which part of the base ledger holds a task. Fixed for ever: the shard is in the path, and a write must know
 * it from the id alone. FNV-1a over the id's UTF-16 units, folded to six bits.
 */
export const shardCount = 64;

export const shardNames: readonly string[] = Array.from({ length: shardCount }, (_, n) =>
  n.toString(16).padStart(2, '0'),
);

export function shardOf(id: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) {
    hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193) >>> 0;
  }
  return shardNames[(hash ^ (hash >>> 16)) & (shardCount - 1)] as string;
}
