/** Files and ledgers, put together into the items of a board. */
import { isDefined, type TaskRecord } from '../ledger/record/record.ts';
import type { FileTask, Task } from '../task/task.ts';
import type { BoardItem } from './board.ts';

export interface AssembleInput {
  readonly files: readonly FileTask[];
  readonly rows: readonly { readonly branch: string; readonly record: TaskRecord }[];
  readonly base: string;
  /** What is wrong with a file task's definition, by id. */
  readonly invalid?: ReadonlyMap<string, string>;
}

/** Tasks from files are older than filed ones; among filed ones the time of filing counts. */
export function assembleItems({ files, rows, base, invalid }: AssembleInput): BoardItem[] {
  if (files.length === 0 && rows.every(({ branch }) => branch === rows[0]?.branch))
    return repointSplits(filedItems(rows, 0));
  const records = latestRecords(rows, base);
  const items: BoardItem[] = [];
  for (const file of files) {
    const found = records.get(file.task.id);
    records.delete(file.task.id);
    const wrong = invalid?.get(file.task.id);
    items.push({
      task: taskOf(file, found?.record),
      record: found?.record ?? null,
      branch: found?.branch ?? null,
      file: file.file,
      position: items.length,
      ...(wrong !== undefined && !(found && isDefined(found.record)) ? { invalid: wrong } : {}),
    });
  }
  return repointSplits(items.concat(filedItems([...records.values()], items.length)));
}

/** Until the first claim a task is what its file says, but who may do it is what was said last. */
function taskOf({ task }: FileTask, record: TaskRecord | undefined): Task {
  if (record && isDefined(record)) return record;
  const holder = record?.assigned_agent ?? task.assigned_agent;
  return holder === task.assigned_agent || holder === undefined ? task : { ...task, assigned_agent: holder };
}

type Row = AssembleInput['rows'][number];

function filedItems(rows: readonly Row[], first: number): BoardItem[] {
  const sorted = rows.toSorted((a, b) => byTime(a.record, b.record));
  return sorted.map(({ record, branch }, at) => {
    const position = first + at;
    return record.file === undefined
      ? { task: record, record, branch, position }
      : { task: record, record, branch, file: record.file, position };
  });
}

function byTime(a: TaskRecord, b: TaskRecord): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** A task that entered a lane is told of twice: the lane knows better until it is folded. */
function latestRecords(
  rows: AssembleInput['rows'],
  base: string,
): Map<string, AssembleInput['rows'][number]> {
  const records = new Map<string, AssembleInput['rows'][number]>();
  for (const row of rows) {
    const other = records.get(row.record.id);
    if (!other || other.branch === base) records.set(row.record.id, row);
  }
  return records;
}

/**
 * What waits for a split task waits for its last segment. Files cannot be rewritten when a task is split at its
 * start, and branches are stacked on what a task depends on: so it is worked out where tasks are put together.
 */
export function repointSplits(items: BoardItem[]): BoardItem[] {
  if (!items.some(({ record }) => record?.closed_as === 'split')) return items;
  const last = lastSegments(items);
  return items.map((item) => {
    const { depends_on } = item.task;
    if (!depends_on?.some((id) => last.has(id))) return item;
    const ends = [...new Set(depends_on.flatMap((id) => endsOf(id, last, new Set())))];
    return { ...item, task: { ...item.task, depends_on: ends } };
  });
}

type Segments = ReadonlyMap<string, readonly string[]>;

/** Split task → its children that none of their siblings waits for. */
function lastSegments(items: readonly BoardItem[]): Segments {
  const children = new Map<string, Task[]>();
  for (const { task, record } of items) if (record?.closed_as === 'split') children.set(task.id, []);
  for (const { task } of items) children.get(task.parent ?? '')?.push(task);
  return new Map(
    [...children].flatMap(([id, all]) => {
      const waited = new Set(all.flatMap(({ depends_on = [] }) => depends_on));
      const last = all.map((one) => one.id).filter((one) => !waited.has(one));
      return last.length > 0 ? [[id, last] as const] : [];
    }),
  );
}

/** A segment may have been split again. */
function endsOf(id: string, last: Segments, seen: Set<string>): readonly string[] {
  const segments = last.get(id);
  if (!segments || seen.has(id)) return [id];
  seen.add(id);
  return segments.flatMap((one) => endsOf(one, last, seen));
}
