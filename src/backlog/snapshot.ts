/**
 * A backlog as it was read, as one text for the cache. It has columns and not rows: ten thousand tasks must
 * load in a few milliseconds, and JSON.parse reads arrays of texts fastest. Fields that few tasks set are
 * stored with the numbers of those tasks.
 */
import type { Config } from '../core/config/config.ts';
import { type FileTask, type Milestone, type Task, type TaskSettings, taskTypes } from '../core/task/task.ts';
import { fieldRows } from '../core/task/task-fields.ts';
import { version } from '../core/version.ts';
import type { Problem } from '../core/yaml/problem.ts';
import type { Cache } from '../system/cache.ts';

/** The file's attributes when it was read: if none of them changed, neither did its content. */
export interface Stamp {
  readonly size: number;
  readonly mtime: number;
  readonly ctime: number;
  readonly ino: number;
}

export interface Snapshot {
  /** When reading began, in milliseconds. */
  readonly at: number;
  /** Equal as long as paths and contents are. */
  readonly identity: string;
  readonly files: SnapshotFiles;
  readonly tasks: readonly FileTask[];
  readonly config: Config;
  readonly problems: readonly Problem[];
  /** By the file that describes them. */
  readonly milestones: Readonly<Record<string, readonly Milestone[]>>;
}

export interface SnapshotFiles {
  readonly path: readonly string[];
  /** Four numbers per file: size, mtime, ctime, ino. */
  readonly stamps: Float64Array;
  /** Forty characters per file. */
  readonly hashes: string;
  /** The number of tasks per file. */
  readonly count: ArrayLike<number>;
}

export function hashAt({ hashes }: SnapshotFiles, index: number): string {
  return hashes.slice(index * hashLength, (index + 1) * hashLength);
}

export function stampsOf(stamps: readonly Stamp[]): Float64Array {
  return Float64Array.from(stamps.flatMap(({ size, mtime, ctime, ino }) => [size, mtime, ctime, ino]));
}

interface Column {
  /** Absent if every task has it. */
  rows?: string;
  values: unknown[];
}

/** The first line: what shows whether anything changed, and the configuration. */
interface StoredFiles {
  at: number;
  identity: string;
  path: readonly string[];
  hashes: string;
  /** Numbers are stored as bytes in base64, because reading digits takes longer than everything else. */
  stamps: string;
  count: string;
  config: Config;
  problems: readonly Problem[];
  milestones: Snapshot['milestones'];
}

/** The second line, read only when tasks are needed. */
interface StoredTasks {
  line: string;
  column: string;
  type: string;
  id: string[];
  title: string[];
  fields: Record<string, Column>;
  defaults: TaskSettings[];
  /** File → index in `defaults`; 0 for the others. */
  defaultsOf: Record<number, number>;
}

const hashLength = 40;

export function printSnapshot(snapshot: Snapshot): string {
  const { at, identity, files, tasks, config, problems, milestones } = snapshot;
  const storedFiles: StoredFiles = {
    at,
    identity,
    path: files.path,
    hashes: files.hashes,
    stamps: base64(files.stamps),
    count: base64(Int32Array.from(files.count)),
    config,
    problems,
    milestones,
  };
  const stored: StoredTasks = {
    line: base64(Int32Array.from(tasks, ({ line }) => line)),
    column: base64(Int32Array.from(tasks, ({ column }) => column)),
    type: base64(Int32Array.from(tasks, ({ task }) => taskTypes.indexOf(task.type))),
    id: tasks.map(({ task }) => task.id),
    title: tasks.map(({ task }) => task.title),
    fields: {},
    ...defaultsOf(snapshot),
  };
  for (const name of fieldNames(tasks)) {
    stored.fields[name] = columnOf(tasks.map(({ task }) => task[name as keyof Task]));
  }
  return `${JSON.stringify(storedFiles)}\n${JSON.stringify(stored)}`;
}

/** The part of a printed snapshot that shows whether anything changed; it does not contain the tasks. */
export function filesOfSnapshot(text: string): string {
  return text.slice(0, text.indexOf('\n') + 1);
}

function base64({ buffer, byteOffset, byteLength }: Float64Array | Int32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

function bytesOf(text: string): ArrayBuffer {
  const bytes = Buffer.from(text, 'base64');
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
}

function integers(text: string): Int32Array {
  return new Int32Array(bytesOf(text));
}

function fieldNames(tasks: readonly FileTask[]): string[] {
  const names = new Set<string>();
  for (const { task } of tasks) for (const name in task) names.add(name);
  for (const name of ['id', 'title', 'type', 'content']) names.delete(name);
  return [...names].sort();
}

function columnOf(all: readonly unknown[]): Column {
  const rows: number[] = [];
  for (const [row, value] of all.entries()) if (value !== undefined) rows.push(row);
  if (rows.length === all.length) return { values: [...all] };
  return { rows: base64(Int32Array.from(rows)), values: rows.map((row) => all[row]) };
}

function defaultsOf({ files, tasks }: Snapshot): Pick<StoredTasks, 'defaults' | 'defaultsOf'> {
  const defaults: TaskSettings[] = [{}];
  const byFile: Record<number, number> = {};
  let first = 0;
  for (let file = 0; file < files.count.length; file++) {
    const count = files.count[file]!;
    const settings = tasks[first]?.defaults ?? {};
    if (count > 0 && Object.keys(settings).length > 0) byFile[file] = defaults.push(settings) - 1;
    first += count;
  }
  return { defaults, defaultsOf: byFile };
}

/** Throws if the text is not what printSnapshot wrote; the caller then assumes that nothing is known. */
function parseSnapshot(text: string): Snapshot {
  const end = text.indexOf('\n');
  const stored = JSON.parse(text.slice(0, end)) as StoredFiles;
  const { at, identity, path, hashes, config, problems, milestones } = stored;
  const files = {
    path,
    hashes,
    stamps: new Float64Array(bytesOf(stored.stamps)),
    count: integers(stored.count),
  };
  if (files.count.length !== path.length || files.stamps.length !== path.length * 4)
    throw new Error('not a snapshot');
  let tasks: FileTask[] | undefined;
  return {
    at,
    identity,
    files,
    get tasks() {
      return (tasks ??= tasksOf(JSON.parse(text.slice(end + 1)) as StoredTasks, files));
    },
    config,
    problems,
    milestones,
  };
}

function tasksOf(stored: StoredTasks, { path, count }: SnapshotFiles): FileTask[] {
  const { id, title, defaults, defaultsOf } = stored;
  const [line, column, type] = [integers(stored.line), integers(stored.column), integers(stored.type)];
  const result: FileTask[] = [];
  for (let index = 0; index < path.length; index++) {
    const shared = defaults[defaultsOf[index] ?? 0]!;
    const file = path[index]!;
    for (let left = count[index]!; left > 0; left--) {
      const order = result.length;
      const task: Task = {
        id: id[order]!,
        type: taskTypes[type[order]!]!,
        title: title[order]!,
        content: '',
      };
      result.push({ task, defaults: shared, file, line: line[order]!, column: column[order]!, order });
    }
  }
  for (const [name, column] of Object.entries(stored.fields)) setField(result, name, column);
  return result;
}

function setField(tasks: readonly FileTask[], name: string, { rows, values }: Column): void {
  const at = rows === undefined ? null : integers(rows);
  for (let i = 0; i < values.length; i++) {
    (tasks[at ? at[i]! : i]!.task as unknown as Record<string, unknown>)[name] = values[i];
  }
}

/** Raised when a change of the parsers or of the format makes older snapshots wrong. */
const snapshotFormat = 3;

const fields = Object.keys(fieldRows).join();

/** A cached snapshot is used only if the same program wrote it for the same place. */
export function snapshotKey(place: string): string {
  return JSON.stringify([snapshotFormat, version, fields, place]);
}

/** The last snapshot from the cache; null if there is none that can be read. */
export function knownSnapshot(cache: Cache, name: string, key: string): Snapshot | null {
  const text = cache.get(name, key);
  if (text === null) return null;
  try {
    return parseSnapshot(text);
  } catch {
    return null;
  }
}
