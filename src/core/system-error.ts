/** Turns refusals of the operating system, which are not bugs, into errors with a sentence and advice. */
import { GzaError, isGzaError } from './errors.ts';
import { oneLine } from './markdown/neutralise.ts';

const told: Readonly<Record<string, readonly [what: string, todo: string]>> = {
  ENOSPC: ['the disk is full', 'Make room. What was recorded is kept; gza work goes on from there.'],
  EDQUOT: ['your quota on the disk is used up', 'Make room; gza work goes on from what was recorded.'],
  EFBIG: ['a file would be larger than the system allows', 'See ulimit -f.'],
  EROFS: ['the disk is read-only', 'gza writes to .git, to .gza and to ~/.local/state/gza.'],
  EACCES: ['the system does not let you', 'See who owns it, and its permissions.'],
  ENAMETOOLONG: ['a name is too long for the file system', 'Use a shorter one.'],
  ELOOP: ['symbolic links lead in a circle', 'Name the file itself.'],
  EISDIR: ['a folder stands where a file should be', 'Name a file.'],
  ENOTDIR: ['a file stands where a folder should be', 'Name another path.'],
  EEXIST: ['something is there already', 'Name another path.'],
  EIO: ['the disk failed', 'See the messages of the system.'],
  EMFILE: ['too many files are open', 'See ulimit -n, or run fewer tasks side by side.'],
  ENFILE: ['too many files are open on this machine', 'Run fewer tasks side by side.'],
  ENOMEM: ['the memory is used up', 'Run fewer tasks side by side.'],
  EAGAIN: ['the system can start no more processes', 'See ulimit -u, or run fewer tasks side by side.'],
};

/** In plain words, for a record, where nobody reads a stack trace. */
export function whyFailed(thrown: unknown): string {
  const known = foreseen(thrown);
  if (known) return known.message;
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
}

/** The error if it is ours, or one of ours for a known system error; null for an unexpected one. */
export function foreseen(error: unknown): GzaError | null {
  if (isGzaError(error)) return error;
  const { code, path, syscall } = (error ?? {}) as { code?: unknown; path?: unknown; syscall?: unknown };
  if (typeof code !== 'string' || typeof syscall !== 'string' || !Object.hasOwn(told, code)) return null;
  const [what = '', hint = ''] = told[code] ?? [];
  const where = typeof path === 'string' ? ` (${oneLine(path, 200)})` : '';
  return new GzaError('world', `${what}${where}`, { hint, data: { system: code }, cause: error });
}
