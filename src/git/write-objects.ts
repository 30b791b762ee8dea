/**
 * Writes loose objects by itself, as git does it: a temporary file in the objects folder, renamed into place.
 * Measured against `git fast-import` and `hash-object` + `mktree` + `commit-tree`: those cost one to four
 * processes a write (4 to 20 ms) and bring traps of their own (crash files, scratch refs to clean up, branch
 * names as commands); this costs none. The format is fixed by git for ever, and an object that is not
 * referenced does no harm: whatever goes wrong here, no ref moves.
 */
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { GzaError } from '../core/errors.ts';

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

export interface WriterOptions {
  readonly objectsDir: string;
  readonly objectFormat: 'sha1' | 'sha256';
  /** `core.sharedRepository`: others write here too. */
  readonly shared?: 'group' | 'all' | undefined;
  /** What lies there under the same id may be damaged, and is replaced. */
  readonly replaces?: boolean | undefined;
}

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
    // The name begins as git's own do, so that `git gc` sweeps what a killed process leaves.
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

/** Like git, makes an object that is used again look new, so that a pruning gc leaves it alone. */
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

/** A `git gc` beside this takes away the folders that are empty. */
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

/** git sorts a folder as if its name ended in a slash. */
function sortKey({ mode, name }: TreeEntry): Buffer {
  return Buffer.from(mode === '40000' ? `${name}/` : name);
}

/** Null when the bytes are no tree: they may come from anyone. */
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
