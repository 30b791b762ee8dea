/** The tasks and the configuration of a repository, from its work tree or from a commit. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { TextDecoder } from 'node:util';
import { builtInConfig, type Config } from '../core/config/config.ts';
import { whyUnsafePath } from '../core/guard/paths.ts';
import { naturalCompare } from '../core/shape.ts';
import {
  declaredFiles,
  type FileTask,
  type Milestone,
  type Task,
  withoutLongFields,
} from '../core/task/task.ts';
import type { Problem } from '../core/yaml/problem.ts';
import { checksum } from '../system/cache.ts';
import { hashAt, type Snapshot, type Stamp, stampsOf } from './snapshot.ts';

export interface BacklogRead {
  /** Usable even if something in it is wrong: `problems` says what was left out. */
  readonly config: Config;
  /** Sorted by path, then position. Without content, user_story and acceptance_criteria unless read whole. */
  readonly tasks: readonly FileTask[];
  /** In the order of gza.yaml, then by id, with the names and descriptions that files give. */
  readonly milestones: readonly Milestone[];
  /** Problems inside the files; check-backlog.ts finds problems between tasks. */
  readonly problems: readonly Problem[];
  /**
   * Equal if the same is read from the same place: a checksum over all paths and digests of their contents.
   */
  readonly identity: string;
}

export interface Backlog {
  /** `whole` parses every file and includes the long texts. */
  read(options?: { readonly whole?: boolean }): Promise<BacklogRead>;
  /** One task with all its texts, from the present state of its file. */
  definition(id: string): Promise<FileTask | null>;
}

export const tasksFolder = 'tasks';
export const backlogFilesMax = 100_000;
export const fileBytesMax = 10 * 1024 * 1024;
export const backlogBytesMax = 100 * 1024 * 1024;

/** Whether a path under `tasks/` is a task file; hidden ones (an editor's lock, a `.git`) are not. */
export function isTaskFile(path: string): boolean {
  return /\.ya?ml$/.test(path) && !isIgnored(path);
}

export function isIgnored(path: string): boolean {
  return path.split('/').some((part) => part.startsWith('.') || part === 'node_modules');
}

/**
 * Links are refused, not followed: one that leads out of the repository would let a task file read anything.
 * The rule is the same in a commit, where the target of a link cannot be checked.
 */
export function linkProblem(path: string): Problem | null {
  const mayHoldTasks = (/\.ya?ml$/.test(path) || !/\.[^/.]*$/.test(path)) && !isIgnored(path);
  if (!mayHoldTasks && path !== '.project-config.json') return null;
  return fileProblem(
    path,
    'is a symbolic link and was not followed',
    'the file itself, inside the repository',
  );
}

export function fileProblem(file: string, what: string, expected: string): Problem {
  return {
    file,
    line: 1,
    column: 1,
    message: `${file} ${what}`,
    expected,
    severity: 'error',
    wholeFile: true,
  };
}

export function misnamedConfig(): Problem {
  return fileProblem('gza.yml', 'is not read', 'gza.yaml: rename the file');
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a file, or what is wrong with its bytes: never a text with replacement characters. */
export function decodeText(file: string, bytes: Buffer): string | Problem {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return fileProblem(file, 'is UTF-16', 'UTF-8: save it with that encoding');
  }
  try {
    return utf8.decode(bytes);
  } catch {
    const good = firstBadByte(bytes);
    const before = bytes.subarray(0, good).toString('latin1').split('\n');
    const found = `the byte 0x${(bytes[good] ?? 0).toString(16).padStart(2, '0')}`;
    const column = (before.at(-1)?.length ?? 0) + 1;
    return {
      ...fileProblem(file, 'is not UTF-8', 'UTF-8: save it with that encoding'),
      line: before.length,
      column,
      found,
    };
  }
}

function firstBadByte(bytes: Buffer): number {
  const again = Buffer.from(bytes.toString('utf8'), 'utf8');
  let at = 0;
  while (at < bytes.length && bytes[at] === again[at]) at++;
  return at;
}

/** Sizes of the files that tasks name, as they are in the work tree. Links are not followed. */

/** How many files one call checks: the rest count as of unknown size. */
const filesSizedMax = 50_000;

/** Empty if there is no work tree: then a file to modify counts as one of usual size. */
export function fileSizes(root: string | null, tasks: readonly Task[]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  if (root === null) return sizes;
  const seen = new Set<string>();
  for (const file of tasks.flatMap((task) => declaredFiles(task))) {
    if (seen.size >= filesSizedMax) break;
    if (seen.has(file) || whyUnsafePath(file) !== null) continue;
    seen.add(file);
    const stats = lstatSync(join(root, file), { throwIfNoEntry: false });
    if (stats?.isFile()) sizes.set(file, stats.size);
  }
  return sizes;
}

/**
 * Makes a snapshot from listed files and the last snapshot. Only what changed is loaded and parsed, and the
 * parsers (with zod and yaml) are loaded only then, because most reads find nothing changed.
 */
export interface ListedFile {
  readonly path: string;
  readonly stamp: Stamp;
  /** Index of the file in the last snapshot, if it is surely unchanged. */
  readonly known?: number;
}

export interface Listing {
  readonly files: readonly ListedFile[];
  readonly problems: readonly Problem[];
}

export interface Loaded {
  readonly path: string;
  readonly hash: string;
  /** Called only if it is needed; a problem if the content could not be read. */
  readonly content: () => Buffer | Problem;
}

/** Contents of listed files, in any order. A file that no longer exists is left out. */
type Load = (files: readonly ListedFile[]) => AsyncIterable<Loaded> | Iterable<Loaded>;

interface ReadFile {
  readonly path: string;
  readonly stamp: Stamp;
  readonly hash: string;
  readonly tasks: readonly FileTask[];
  readonly milestones: readonly Milestone[];
  readonly problems: readonly Problem[];
}

const configFiles = ['gza.yaml', '.project-config.json'];

/** Reads everything, with the long texts if `whole`. */
export async function readBacklog(
  listing: Listing,
  known: Snapshot | null,
  load: Load,
  { at, whole }: { at: number; whole: boolean },
): Promise<Snapshot> {
  const before = new KnownFiles(whole ? null : known);
  const files: ReadFile[] = [];
  const toLoad: ListedFile[] = [];
  for (const file of listing.files) {
    const same = file.known === undefined ? null : before.at(file.known, file.stamp);
    if (same) files.push(same);
    else toLoad.push(file);
  }
  const stamps = new Map(toLoad.map(({ path, stamp }) => [path, stamp]));
  let parsers: Parsers | undefined;
  for await (const loaded of load(toLoad)) {
    const stamp = stamps.get(loaded.path)!;
    const same = before.withHash(loaded.path, loaded.hash, stamp);
    if (same) files.push(same);
    else {
      parsers ??= await loadParsers();
      files.push(readFile(loaded, stamp, whole, parsers));
    }
  }
  files.sort((a, b) => naturalCompare(a.path, b.path));
  const config = await readConfig(files, before, known, load, listing);
  return snapshotOf(files, config, at);
}

interface Parsers {
  readonly parseTaskFile: typeof import('../core/task/parse-task-file.ts').parseTaskFile;
  readonly parseConfig: typeof import('../core/config/parse-config.ts').parseConfig;
}

async function loadParsers(): Promise<Parsers> {
  const { parseTaskFile, parseConfig } = await import('./lazy-backlog.ts');
  return { parseTaskFile, parseConfig };
}

/** The whole task from the bytes of its file; null if it is not in there (any more). */
export async function definitionOf(known: FileTask, bytes: Buffer): Promise<FileTask | null> {
  const text = decodeText(known.file, bytes);
  if (typeof text !== 'string') return null;
  const { parseTaskFile } = await loadParsers();
  const found = parseTaskFile(known.file, text).tasks.find(({ task }) => task.id === known.task.id);
  return found ? { ...found, order: known.order } : null;
}

function readFile({ path, hash, content }: Loaded, stamp: Stamp, whole: boolean, parsers: Parsers): ReadFile {
  const none = { path, hash, stamp, tasks: [], milestones: [] };
  if (configFiles.includes(path)) return { ...none, problems: [] };
  const bytes = content();
  const text = Buffer.isBuffer(bytes) ? decodeText(path, bytes) : bytes;
  if (typeof text !== 'string') return { ...none, problems: [text] };
  const { tasks, milestones, problems } = parsers.parseTaskFile(path, text);
  return { ...none, tasks: whole ? tasks : tasks.map(withoutLongFields), milestones, problems };
}

/** Both files together form the configuration, so a change of one reads both. */
async function readConfig(
  files: readonly ReadFile[],
  before: KnownFiles,
  known: Snapshot | null,
  load: Load,
  listing: Listing,
): Promise<{ config: Config; problems: readonly Problem[] }> {
  const here = files.filter(({ path }) => configFiles.includes(path));
  if (known && before.sameHashes(here)) {
    return {
      config: known.config,
      problems: known.problems.filter(({ file }) => configFiles.includes(file)),
    };
  }
  if (here.length === 0) return { config: builtInConfig, problems: [] };
  const texts: { gza?: string; project?: string } = {};
  const problems: Problem[] = [];
  for await (const { path, content } of load(
    listing.files.filter(({ path }) => configFiles.includes(path)),
  )) {
    const bytes = content();
    const text = Buffer.isBuffer(bytes) ? decodeText(path, bytes) : bytes;
    if (typeof text !== 'string') problems.push(text);
    else if (path === 'gza.yaml') texts.gza = text;
    else texts.project = text;
  }
  const { parseConfig } = await loadParsers();
  const read = parseConfig(texts);
  return { config: read.config, problems: [...problems, ...read.problems] };
}

/** The files of the last snapshot, each with its own part of it. */
class KnownFiles {
  readonly #snapshot: Snapshot | null;
  #index: Map<string, number> | undefined;
  #first: number[] | undefined;
  #problems: Map<string, Problem[]> | undefined;

  constructor(snapshot: Snapshot | null) {
    this.#snapshot = snapshot;
  }

  at(index: number, stamp: Stamp): ReadFile | null {
    const snapshot = this.#snapshot;
    if (!snapshot) return null;
    const path = snapshot.files.path[index]!;
    this.#first ??= firsts(snapshot.files.count);
    this.#problems ??= byFile(snapshot.problems);
    const first = this.#first[index]!;
    return {
      path,
      stamp,
      hash: hashAt(snapshot.files, index),
      tasks: snapshot.tasks.slice(first, first + snapshot.files.count[index]!),
      milestones: snapshot.milestones[path] ?? [],
      problems: configFiles.includes(path) ? [] : (this.#problems.get(path) ?? []),
    };
  }

  withHash(path: string, hash: string, stamp: Stamp): ReadFile | null {
    if (!this.#snapshot) return null;
    this.#index ??= new Map(this.#snapshot.files.path.map((path, index) => [path, index]));
    const index = this.#index.get(path);
    return index !== undefined && hashAt(this.#snapshot.files, index) === hash ? this.at(index, stamp) : null;
  }

  /** Whether the configuration was made from exactly these files. */
  sameHashes(here: readonly ReadFile[]): boolean {
    const files = this.#snapshot?.files;
    if (!files) return false;
    const then = files.path.filter((path) => configFiles.includes(path));
    return (
      then.length === here.length && here.every(({ path, hash, stamp }) => this.withHash(path, hash, stamp))
    );
  }
}

function firsts(counts: ArrayLike<number>): number[] {
  let next = 0;
  return Array.from(counts, (count) => {
    const first = next;
    next += count;
    return first;
  });
}

function byFile(problems: readonly Problem[]): Map<string, Problem[]> {
  const groups = new Map<string, Problem[]>();
  for (const problem of problems) groups.set(problem.file, [...(groups.get(problem.file) ?? []), problem]);
  return groups;
}

function snapshotOf(
  files: readonly ReadFile[],
  { config, problems }: { config: Config; problems: readonly Problem[] },
  at: number,
): Snapshot {
  const tasks = files.flatMap(({ tasks }) => tasks);
  const path = files.map((file) => file.path);
  const hashes = files.map(({ hash }) => hash).join('');
  return {
    at,
    identity: checksum(Buffer.from(JSON.stringify([path, hashes]))),
    files: {
      path,
      stamps: stampsOf(files.map(({ stamp }) => stamp)),
      hashes,
      count: files.map(({ tasks }) => tasks.length),
    },
    tasks: tasks.map((task, order) => (task.order === order ? task : { ...task, order })),
    config,
    problems: [...problems, ...files.flatMap(({ problems }) => problems)],
    milestones: Object.fromEntries(
      files
        .filter(({ milestones }) => milestones.length > 0)
        .map(({ path, milestones }) => [path, milestones]),
    ),
  };
}

/** What callers see of a snapshot and of the listing it was made from. */
export function backlogRead(snapshot: Snapshot, listing: Pick<Listing, 'problems'>): BacklogRead {
  return {
    config: snapshot.config,
    get tasks() {
      return snapshot.tasks;
    },
    get milestones() {
      return milestonesOf(snapshot);
    },
    problems: [...listing.problems, ...snapshot.problems],
    get identity() {
      return identityOf(snapshot, listing);
    },
  };
}

function identityOf({ identity }: Snapshot, { problems }: Pick<Listing, 'problems'>): string {
  return problems.length === 0 ? identity : JSON.stringify([identity, problems]);
}

function milestonesOf({ config, tasks, milestones }: Snapshot): Milestone[] {
  const described = new Map<string, Milestone>();
  for (const one of Object.values(milestones).flat())
    described.set(one.id, { ...described.get(one.id), ...one });
  const ids = new Set(described.keys());
  for (const { task } of tasks) if (task.milestone !== undefined) ids.add(task.milestone);
  const ordered = config.milestones.map((one) => ({ ...described.get(one.id), ...one }));
  for (const { id } of ordered) ids.delete(id);
  return [...ordered, ...[...ids].sort(naturalCompare).map((id) => described.get(id) ?? { id })];
}
