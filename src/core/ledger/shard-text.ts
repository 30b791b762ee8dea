/** The text of a shard or of a lane's tasks.jsonl: one record a line, sorted by id. */
import { ledgerIdPattern } from '../task/branch-name.ts';
import { idOfLine, parseRecord } from './record/parse-record.ts';
import { printRecord } from './record/print-record.ts';
import type { TaskRecord } from './record/record.ts';

export interface ParsedShard {
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
  const sorted = [...lines.keys()].sort(compareIds).map((id) => lines.get(id) as string);
  const all = [...sorted, ...unreadable];
  return all.length > 0 ? `${all.join('\n')}\n` : '';
}

/** By code units: the same on every machine. */
function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
