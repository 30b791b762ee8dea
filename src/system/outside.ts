/**
 * Careful reading of what others wrote. Files that an agent may have replaced must be plain and of bounded
 * size: links, pipes and devices are not followed. No text is processed for longer than a deadline.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createContext, runInContext } from 'node:vm';
import { GzaError, isGzaError } from '../core/errors.ts';
import { isRecord } from '../core/shape.ts';

/** Added to the flags when such a file is opened. On systems that do not know them they are 0. */
export const plainFlags = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Null if it does not exist. */
export async function readPlainFile(path: string, bytesMax: number): Promise<Buffer | null> {
  const file = await open(path, constants.O_RDONLY | plainFlags).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw notPlain(path, error);
  });
  if (file === null) return null;
  try {
    const { size } = checkPlain(path, await file.stat());
    if (size > bytesMax) throw new GzaError('refused', `${path} has ${size} bytes; ${bytesMax} is the limit`);
    return await readUpTo(file, size);
  } finally {
    await file.close();
  }
}

/** Reads what there is, at most `bytesMax` bytes. */
export async function readUpTo(file: FileHandle, bytesMax: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytesMax);
  let length = 0;
  while (length < bytesMax) {
    const { bytesRead } = await file.read(buffer, length, bytesMax - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

/** Reads from `offset` on, at most `bytesMax` bytes. Throws if it is not a plain file, or does not exist. */
export function readPlainFileSync(path: string, { offset = 0, bytesMax = 1 << 20 }): Buffer {
  const handle = openPlain(path, constants.O_RDONLY);
  try {
    const { size } = fstatSync(handle);
    const bytes = Buffer.alloc(Math.max(0, Math.min(size - offset, bytesMax)));
    return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, offset));
  } finally {
    closeSync(handle);
  }
}

/** A handle of a plain file; throws for anything else. */
export function openPlain(path: string, flags: number): number {
  let handle: number | undefined;
  try {
    handle = openSync(path, flags | plainFlags, 0o600);
    checkPlain(path, fstatSync(handle));
    return handle;
  } catch (error) {
    if (handle !== undefined) closeSync(handle);
    throw isGzaError(error) ? error : notPlain(path, error);
  }
}

function checkPlain(path: string, stats: Stats): Stats {
  if (stats.isFile()) return stats;
  throw new GzaError('world', `${path} is no plain file`);
}

export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** ENXIO: a pipe without a reader, or a socket. */
function notPlain(path: string, cause: unknown): GzaError {
  const { code } = cause as NodeJS.ErrnoException;
  const why =
    code === 'ELOOP' || code === 'ENXIO' || code === 'EISDIR'
      ? 'is no plain file'
      : `cannot be opened: ${code}`;
  return new GzaError('world', `${path} ${why}`, { cause });
}

/** A thousand times what the longest honest text takes. */
const deadlineMs = 15_000;
const context: { read?: () => unknown } = {};
let isReady = false;

/**
 * Stops the reading of outside text that takes too long: no text may hold gza up, whatever pattern it meets.
 * The watchdog is V8's own thread, so the work stays synchronous and where it is, and is not copied to
 * another thread; it stops patterns as well as loops. `what` names the text for the person who must check it.
 */
export function withinDeadline<T>(what: string, read: () => T, ms = deadlineMs): T {
  if (!isReady) createContext(context);
  isReady = true;
  const outer = context.read;
  context.read = read;
  try {
    return runInContext('read()', context, { timeout: ms }) as T;
  } catch (thrown) {
    if (!isRecord(thrown) || thrown['code'] !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw thrown;
    throw new GzaError(
      'world',
      `${what} could not be read in ${ms / 1000} seconds, and is taken for unreadable`,
    );
  } finally {
    if (outer) context.read = outer;
    else delete context.read;
  }
}
