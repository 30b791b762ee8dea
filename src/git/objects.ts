/**
 * Reads and writes objects of the repository. Loose objects, which gza itself writes, are read without git.
 * Packed, borrowed, damaged and too large ones are requested from one `git cat-file --batch` that is kept
 * running: only git knows packs, alternates and partial clones. It is started when first needed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import { GzaError } from '../core/errors.ts';
import { isKeptFromInterrupts, safeGitArguments, safeGitEnvironment, unreadableRepository } from './git.ts';

/**
 * Larger files, folders and messages of a ledger are not read, because anyone who can push may put one there.
 */
export const objectBytesMax = 32 << 20;

interface GitObject {
  readonly oid: string;
  readonly type: string;
  readonly data: Buffer;
}

export interface ObjectReader {
  /** An object by its id, or by `<id>:<path>` and the like; null if there is none. */
  read(name: string): Promise<GitObject | null>;
  close(): void;
}

const answerMs = 120_000;

type Ask = (name: string) => Promise<GitObject | null>;

interface Waiting {
  readonly name: string;
  resolve(object: GitObject | null | Promise<GitObject | null>): void;
  reject(error: unknown): void;
}

export function openObjectReader(cwd: string, objectsDir: string): ObjectReader {
  let open: Conversation | null = null;
  const conversation = () => {
    if (!open || open.ended) open = new Conversation(cwd, ask);
    return open;
  };
  const ask: Ask = (name) => conversation().ask(name);
  return {
    read: async (name) => looseObject(objectsDir, name) ?? ask(name),
    close() {
      open?.end();
      open = null;
    },
  };
}

class Conversation {
  ended = false;
  #child: ChildProcess;
  #waiting: Waiting[] = [];
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Bytes that must have arrived before parsing is worth another try. */
  #needed = 1;
  #said = '';
  #timer: NodeJS.Timeout | undefined;
  /** Asks the process that replaces this one. */
  readonly #askAgain: Ask;

  constructor(cwd: string, askAgain: Ask) {
    this.#askAgain = askAgain;
    this.#child = spawn('git', [...safeGitArguments, 'cat-file', '--batch'], {
      cwd,
      env: safeGitEnvironment(),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: isKeptFromInterrupts(),
    });
    this.#child.stdin?.on('error', () => {});
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      if (this.#said.length < 4_000) this.#said += chunk.toString('utf8');
    });
    this.#child.on('error', (cause) => this.#fail(`git could not be started: ${cause.message}`));
    this.#child.on('close', () => this.#fail(this.#said.trim() || 'git cat-file ended'));
    this.#letGo();
  }

  ask(name: string): Promise<GitObject | null> {
    if (/[\n\0]/.test(name)) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ name, resolve, reject });
      this.#hold();
      this.#child.stdin?.write(`${name}\n`);
    });
  }

  end(): void {
    this.ended = true;
    clearTimeout(this.#timer);
    this.#child.stdin?.end();
    this.#letGo();
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    while (this.#bytes >= this.#needed && this.#waiting.length > 0) if (!this.#takeOne()) break;
    if (this.#waiting.length === 0) this.#letGo();
  }

  /** Takes one complete answer off the front; false if more bytes are needed. */
  #takeOne(): boolean {
    const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    const end = all.indexOf(10);
    if (end < 0) {
      this.#needed = this.#bytes + 1;
      return false;
    }
    const header = all.toString('utf8', 0, end);
    const match = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(header);
    const size = match ? Number(match[3]) : 0;
    if (size > objectBytesMax) {
      // git sends the size first, so a too large object is never received. The other objects are requested
      // again.
      this.#child.kill('SIGKILL');
      this.#end(tooLarge(match?.[1] ?? '', size));
      return false;
    }
    const total = match ? end + 1 + size + 1 : end + 1;
    if (this.#bytes < total) {
      this.#needed = total;
      return false;
    }
    const data = match ? all.subarray(end + 1, end + 1 + size) : null;
    this.#drop(all, total);
    const waiting = this.#waiting.shift();
    waiting?.resolve(match && data ? { oid: match[1] as string, type: match[2] as string, data } : null);
    return true;
  }

  #drop(all: Buffer, bytes: number): void {
    this.#chunks = bytes < all.length ? [all.subarray(bytes)] : [];
    this.#bytes = all.length - bytes;
    this.#needed = 1;
  }

  #fail(why: string): void {
    const unreadable = unreadableRepository(why);
    const hint = why.includes('ENOENT') ? { hint: 'Install git 2.34 or newer.' } : {};
    const name = this.#waiting[0]?.name ?? 'an object';
    this.#end(unreadable ?? new GzaError('world', `git could not read ${name}: ${why}`, hint));
  }

  /** git stops at a damaged object: its caller gets the error, and the other objects are requested again. */
  #end(error: GzaError): void {
    clearTimeout(this.#timer);
    this.ended = true;
    const waiting = this.#waiting.splice(0);
    const others = error.data['damaged'] === undefined ? [] : waiting.splice(1);
    for (const one of others) one.resolve(this.#askAgain(one.name));
    for (const one of waiting) one.reject(error);
  }

  /** An idle reader must not keep the program from ending, but one with open requests must. */
  #letGo(): void {
    clearTimeout(this.#timer);
    for (const part of this.#parts()) part.unref?.();
  }

  #hold(): void {
    for (const part of this.#parts()) part.ref?.();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#child.kill('SIGKILL');
      this.#fail(`no answer within ${answerMs / 1000} s`);
    }, answerMs);
  }

  #parts(): { ref?: () => void; unref?: () => void }[] {
    const { stdin, stdout, stderr } = this.#child;
    return [this.#child, stdin, stdout, stderr].filter((part) => part !== null) as { ref?: () => void }[];
  }
}

function tooLarge(damaged: string, bytes: number): GzaError {
  return new GzaError('world', `the object ${damaged} has ${megabytes(bytes)} MB`, {
    hint: `gza reads ${megabytes(objectBytesMax)} MB of a ledger's file at most. \`gza fsck\` tells what it belongs to, and what to do.`,
    data: { damaged, bytes },
  });
}

export function megabytes(bytes: number): number {
  return Math.ceil(bytes / (1 << 20));
}

const pathDepthMax = 8;
const types = ['blob', 'tree', 'commit', 'tag'];

/** `<id>`, `<id>^{tree}` or `<id>:<path>`. */
const nameShape = /^([0-9a-f]{40}|[0-9a-f]{64})(?:(\^\{tree\})|:([^\n\0]+))?$/;

export function looseObject(objectsDir: string, name: string): GitObject | null {
  const [, oid = '', ofTree, path] = nameShape.exec(name) ?? [];
  if (oid === '') return null;
  const self = readLoose(objectsDir, oid);
  if (!self || (!ofTree && path === undefined)) return self;
  const root = treeOf(objectsDir, self);
  return path === undefined ? root : entryAt(objectsDir, root, path.split('/'));
}

function treeOf(objectsDir: string, object: GitObject): GitObject | null {
  if (object.type !== 'commit') return null;
  const tree = /^tree ([0-9a-f]+)\n/.exec(object.data.toString('latin1', 0, 80))?.[1];
  return tree ? readLoose(objectsDir, tree) : null;
}

function entryAt(objectsDir: string, root: GitObject | null, path: readonly string[]): GitObject | null {
  let object = root;
  if (path.length > pathDepthMax) return null;
  for (const part of path) {
    if (object?.type !== 'tree') return null;
    const entries = parseTree(object.data, object.oid.length === 40 ? 'sha1' : 'sha256');
    const entry = entries?.find(({ name }) => name === part);
    object = entry ? readLoose(objectsDir, entry.oid) : null;
  }
  return object;
}

function readLoose(objectsDir: string, oid: string): GitObject | null {
  try {
    const packed = readSmall(join(objectsDir, oid.slice(0, 2), oid.slice(2)));
    const bytes = inflateSync(packed, { maxOutputLength: objectBytesMax });
    const end = bytes.indexOf(0);
    const [type = '', size = ''] = bytes.toString('latin1', 0, Math.min(Math.max(end, 0), 32)).split(' ');
    const data = bytes.subarray(end + 1);
    return types.includes(type) && Number(size) === data.length ? { oid, type, data } : null;
  } catch {
    return null;
  }
}

function readSmall(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    if (fstatSync(file).size > objectBytesMax) throw new Error('too large');
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

export interface TreeEntry {
  readonly mode: string;
  readonly name: string;
  readonly oid: string;
}

export interface ObjectWriter {
  blob(text: string | Buffer): string;
  tree(entries: readonly TreeEntry[]): string;
  commit(text: string): string;
}

interface WriterOptions {
  readonly objectsDir: string;
  readonly objectFormat: 'sha1' | 'sha256';
  /** `core.sharedRepository`: others write here too. */
  readonly shared?: 'group' | 'all' | undefined;
  /** The existing object with this id may be damaged, so it is replaced. */
  readonly replaces?: boolean | undefined;
}

/**
 * Writes as git does: a temporary file in the objects folder, renamed into place. `git fast-import`, or
 * `hash-object` with `mktree` and `commit-tree`, would cost one to four processes per write (4 to 20 ms) and
 * bring crash files, scratch refs and branch names that are read as commands. An object that nothing points
 * to does no harm.
 */
export function openObjectWriter(options: WriterOptions): ObjectWriter {
  const write = (type: string, data: Buffer) => writeObject(options, type, data);
  return {
    blob: (text) => write('blob', Buffer.from(text)),
    tree: (entries) => write('tree', treeBytes(entries)),
    commit: (text) => write('commit', Buffer.from(text)),
  };
}

function writeObject(options: WriterOptions, type: string, data: Buffer): string {
  const whole = Buffer.concat([Buffer.from(`${type} ${data.length}\0`), data]);
  const oid = createHash(options.objectFormat).update(whole).digest('hex');
  const dir = join(options.objectsDir, oid.slice(0, 2));
  const path = join(dir, oid.slice(2));
  try {
    if (!options.replaces && isThere(path)) return oid;
    // The name begins like git's own, so that `git gc` removes what a killed process leaves.
    const scratch = join(dir, `tmp_obj_${process.pid}_${randomBytes(6).toString('hex')}`);
    const packed = deflateSync(whole, { level: 6 });
    writeScratch(scratch, dir, packed, options.shared);
    try {
      renameSync(scratch, path);
    } catch (cause) {
      rmSync(scratch, { force: true });
      throw cause;
    }
    return oid;
  } catch (cause) {
    throw notWritten(options.objectsDir, cause as NodeJS.ErrnoException);
  }
}

/** Like git, gives an object that is used again a new time, so that a pruning gc keeps it. */
function isThere(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat || stat.size === 0) return false;
  try {
    const now = new Date();
    utimesSync(path, now, now);
    return true;
  } catch {
    return Date.now() - stat.mtimeMs < 3_600_000;
  }
}

/** A concurrent `git gc` removes empty folders, so making one is tried several times. */
const foldersMax = 20;

function makeFolder(dir: string, shared: WriterOptions['shared']): void {
  mkdirSync(dir, { recursive: true });
  if (shared) chmodSync(dir, shared === 'group' ? 0o2770 : 0o2775);
}

function writeScratch(scratch: string, dir: string, bytes: Buffer, shared: WriterOptions['shared']): void {
  const mode = shared === 'group' ? 0o440 : 0o444;
  for (let tries = 1; ; tries++) {
    try {
      writeFileSync(scratch, bytes, { mode, flag: 'wx' });
      break;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT' || tries > foldersMax) throw cause;
      makeFolder(dir, shared);
    }
  }
  if (shared) chmodSync(scratch, mode);
}

function treeBytes(entries: readonly TreeEntry[]): Buffer {
  const sorted = [...entries].sort((a, b) => Buffer.compare(sortKey(a), sortKey(b)));
  return Buffer.concat(
    sorted.flatMap(({ mode, name, oid }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]),
  );
}

/** git sorts folders as if their names ended in a slash. */
function sortKey({ mode, name }: TreeEntry): Buffer {
  return Buffer.from(mode === '40000' ? `${name}/` : name);
}

/** Null if the bytes are not a tree: they may come from anyone. */
export function parseTree(data: Buffer, objectFormat: 'sha1' | 'sha256'): TreeEntry[] | null {
  const idBytes = objectFormat === 'sha1' ? 20 : 32;
  const entries: TreeEntry[] = [];
  let at = 0;
  while (at < data.length) {
    const space = data.indexOf(32, at);
    const end = data.indexOf(0, space);
    if (space < 0 || end < 0 || end + 1 + idBytes > data.length) return null;
    entries.push({
      mode: data.toString('latin1', at, space),
      name: data.toString('utf8', space + 1, end),
      oid: data.toString('hex', end + 1, end + 1 + idBytes),
    });
    at = end + 1 + idBytes;
  }
  return entries;
}

function notWritten(dir: string, cause: NodeJS.ErrnoException): GzaError {
  const why =
    cause.code === 'EROFS'
      ? 'the file system is read-only'
      : cause.code === 'EACCES' || cause.code === 'EPERM'
        ? 'no permission'
        : cause.code === 'ENOSPC' || cause.code === 'EDQUOT'
          ? 'the disk is full'
          : cause.message;
  return new GzaError('world', `nothing was recorded: ${dir} cannot be written (${why})`, {
    hint: 'Reading works; to record something, make the repository writable for you.',
    data: { code: cause.code },
    cause,
  });
}
