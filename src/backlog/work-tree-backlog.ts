/**
 * The backlog in the work tree. A file counts as unchanged if its size, times and inode are those of the last
 * read and it was not touched around that read (git's rule for its index). Any other file is read again and
 * compared by content.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
} from 'node:fs';
import { relative } from 'node:path';
import type { FileTask } from '../core/task/task.ts';
import type { Problem } from '../core/yaml/problem.ts';
import { type Cache, noCache } from '../system/cache.ts';
import {
  type Backlog,
  type BacklogRead,
  backlogBytesMax,
  backlogFilesMax,
  backlogRead,
  definitionOf,
  fileBytesMax,
  fileProblem,
  isIgnored,
  isTaskFile,
  type ListedFile,
  type Listing,
  type Loaded,
  linkProblem,
  misnamedConfig,
  readBacklog,
  tasksFolder,
} from './backlog.ts';
import { type FileIndex, worthwhileFiles } from './file-index.ts';
import { filesOfSnapshot, knownSnapshot, printSnapshot, type Snapshot, snapshotKey } from './snapshot.ts';

export interface WorkTreeBacklogOptions {
  /** The repository's top folder. */
  readonly root: string;
  readonly cache?: Cache;
  /** Milliseconds; the clock that file times come from. */
  readonly now?: () => number;
}

/** A file touched this close to the moment of reading may change again without a new time. */
const racyMs = 2000;
const depthMax = 32;
const cacheName = 'backlog';
/** The first line of the same snapshot, which is all that most calls need. */
const filesCacheName = 'backlog-files';
const indexCacheName = 'backlog-index';

export function workTreeBacklog({ root, cache = noCache, now = Date.now }: WorkTreeBacklogOptions): Backlog {
  let last: BacklogRead | undefined;
  const read = async (whole: boolean): Promise<BacklogRead> => {
    const at = now();
    const key = keyOf(root);
    const known = whole ? null : knownSnapshot(cache, cacheName, key);
    const listing = listWorkTree(root, known);
    if (known && isUnchanged(known, listing)) return backlogRead(known, listing);
    const load = (files: readonly ListedFile[]) => loadFiles(root, files);
    const snapshot = await readBacklog(listing, known, load, { at, whole });
    if (!whole) {
      const text = printSnapshot(snapshot);
      cache.put(cacheName, key, text);
      cache.put(filesCacheName, key, filesOfSnapshot(text));
    }
    return backlogRead(snapshot, listing);
  };
  return {
    async read({ whole = false } = {}) {
      const result = await read(whole);
      if (!whole) last = result;
      return result;
    },
    async definition(id) {
      const found = last ? await definitionIn(root, last, id) : null;
      if (found) return found;
      last = await read(false);
      return definitionIn(root, last, id);
    },
  };
}

function keyOf(root: string): string {
  return snapshotKey(`work tree ${root}`);
}

function isUnchanged(known: Snapshot, { files }: Listing): boolean {
  return files.length === known.files.path.length && files.every((file) => file.known !== undefined);
}

export interface UnchangedOptions {
  readonly root: string;
  readonly cache: Cache;
  /** For checking very many files at once. */
  readonly index: FileIndex;
}

export type Unchanged = Pick<BacklogRead, 'config' | 'identity'>;

/** What an index stands for; `name` is null if there can be none. */
export interface Noted extends Unchanged {
  readonly name: string | null;
}

/** What the last index stands for; valid if git says that nothing changed since. */
export function notedBacklog({ root, cache }: UnchangedOptions): Noted | null {
  const noted = parseNoted(cache.get(indexCacheName, keyOf(root)));
  return noted?.name ? noted : null;
}

/**
 * What is known of a work tree if surely nothing changed in it since it was read, else null. Reads no task.
 */
export async function unchangedBacklog({ root, cache, index }: UnchangedOptions): Promise<Unchanged | null> {
  const key = keyOf(root);
  const known = knownSnapshot(cache, filesCacheName, key);
  const look = () => known && listWorkTree(root, known);
  const listing = look();
  if (!known || !listing || !isUnchanged(known, listing)) return null;
  const { config, identity } = backlogRead(known, listing);
  if (listing.files.length >= worthwhileFiles && !isHopeless(cache.get(indexCacheName, key), identity)) {
    const name = listing.problems.length === 0 ? await index.keep() : null;
    // A file may have changed while the index was made, but the index must stand for what was read.
    const again = look();
    if (!again || !isUnchanged(known, again)) return null;
    cache.put(indexCacheName, key, JSON.stringify({ name, config, identity } satisfies Noted));
  }
  return { config, identity };
}

/** Whether git was already asked about these very files, and saw more than files. */
function isHopeless(text: string | null, identity: string): boolean {
  const noted = parseNoted(text);
  return noted?.name === null && noted.identity === identity;
}

function parseNoted(text: string | null): Noted | null {
  try {
    return text === null ? null : (JSON.parse(text) as Noted);
  } catch {
    return null;
  }
}

async function definitionIn(root: string, { tasks }: BacklogRead, id: string): Promise<FileTask | null> {
  const known = tasks.find(({ task }) => task.id === id);
  if (!known) return null;
  const [loaded] = loadFiles(root, [{ path: known.file, stamp: noStamp }]);
  const bytes = loaded?.content();
  return Buffer.isBuffer(bytes) ? definitionOf(known, bytes) : null;
}

const noStamp = { size: 0, mtime: 0, ctime: 0, ino: 0 };

/** Every task file and configuration file, with the index of those that are surely unchanged. */
function listWorkTree(root: string, known: Snapshot | null): Listing {
  // A path from the current folder takes half as long to resolve, which counts for ten thousand files.
  const fromHere = relative(process.cwd(), root);
  const prefix = fromHere === '' ? '' : fromHere.startsWith('..') ? `${root}/` : `${fromHere}/`;
  const walk = new Walk(prefix, known);
  for (const name of ['gza.yaml', '.project-config.json']) walk.file(name);
  walk.folder(tasksFolder, 0);
  if (lstatSync(`${prefix}gza.yml`, { throwIfNoEntry: false })) walk.problems.push(misnamedConfig());
  return walk;
}

class Walk implements Listing {
  readonly files: ListedFile[] = [];
  readonly problems: Problem[] = [];
  readonly #prefix: string;
  readonly #known: Snapshot | null;
  readonly #index: Map<string, number>;
  #bytes = 0;

  constructor(prefix: string, known: Snapshot | null) {
    this.#prefix = prefix;
    this.#known = known;
    this.#index = new Map();
    const paths = known?.files.path ?? [];
    for (let index = 0; index < paths.length; index++) this.#index.set(paths[index]!, index);
  }

  folder(path: string, depth: number): void {
    const stats = lstatSync(this.#prefix + path, { throwIfNoEntry: false });
    if (stats) this.#entry(path, stats, depth);
  }

  file(path: string): void {
    const stats = lstatSync(this.#prefix + path, { throwIfNoEntry: false });
    if (!stats) return;
    if (stats.isFile()) this.#add(path, stats);
    else this.#refuse(path, stats);
  }

  #entry(path: string, stats: Stats, depth: number): void {
    if (stats.isDirectory()) this.#names(path, depth);
    else if (stats.isFile()) {
      if (this.#index.has(path) || isTaskFile(path)) this.#add(path, stats);
    } else this.#refuse(path, stats);
  }

  #names(path: string, depth: number): void {
    if (depth > depthMax) {
      this.problems.push(fileProblem(path, 'is nested too deeply', `at most ${depthMax} folders`));
      return;
    }
    const names = readdirSync(this.#prefix + path);
    if (depth > 0 && names.includes('.git')) {
      this.problems.push(
        fileProblem(path, 'is a repository of its own and was not read', 'task files of this one'),
      );
      return;
    }
    for (const name of names) {
      const inner = `${path}/${name}`;
      if (!this.#index.has(inner) && isIgnored(name)) continue;
      const stats = lstatSync(this.#prefix + inner, { throwIfNoEntry: false });
      if (stats) this.#entry(inner, stats, depth + 1);
    }
  }

  #add(path: string, stats: Stats): void {
    this.#bytes += stats.size;
    if (this.files.length >= backlogFilesMax || this.#bytes > backlogBytesMax) {
      const expected = `at most ${backlogFilesMax} files and ${backlogBytesMax >> 20} MB`;
      if (this.problems.at(-1)?.file !== tasksFolder) {
        this.problems.push(fileProblem(tasksFolder, 'holds too much; the rest was not read', expected));
      }
      return;
    }
    const { size, mtimeMs: mtime, ctimeMs: ctime, ino } = stats;
    const index = this.#index.get(path);
    const stamp = { size, mtime, ctime, ino };
    if (index !== undefined && this.#isSame(index, stats)) this.files.push({ path, stamp, known: index });
    else this.files.push({ path, stamp });
  }

  #isSame(index: number, { size, mtimeMs, ctimeMs, ino }: Stats): boolean {
    const { files, at } = this.#known!;
    const first = index * 4;
    const { stamps } = files;
    if (stamps[first] !== size || stamps[first + 1] !== mtimeMs) return false;
    if (stamps[first + 2] !== ctimeMs || stamps[first + 3] !== ino) return false;
    return Math.max(mtimeMs, ctimeMs) < at - racyMs;
  }

  #refuse(path: string, stats: Stats): void {
    const problem = stats.isSymbolicLink()
      ? linkProblem(path)
      : isTaskFile(path)
        ? fileProblem(path, 'is not a regular file', 'a file')
        : null;
    if (problem) this.problems.push(problem);
  }
}

function* loadFiles(root: string, files: readonly ListedFile[]): Generator<Loaded> {
  for (const { path } of files) {
    const bytes = readRegular(root, path);
    if (bytes === null) continue;
    const hash = createHash('sha1')
      .update(Buffer.isBuffer(bytes) ? bytes : bytes.message)
      .digest('hex');
    yield { path, hash, content: () => bytes };
  }
}

/** Never follows a link and never waits on a pipe, even if the file was swapped since it was listed. */
function readRegular(root: string, path: string): Buffer | Problem | null {
  let file: number;
  try {
    file = openSync(`${root}/${path}`, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT'
      ? null
      : fileProblem(path, `cannot be read (${code})`, 'a file that you may read');
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return fileProblem(path, 'is not a regular file', 'a file');
    if (stats.size > fileBytesMax) {
      return fileProblem(path, 'is larger than 10 MB', 'at most 10 MB; split it into several files');
    }
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
