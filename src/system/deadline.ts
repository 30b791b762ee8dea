/**
 * Ends the reading of outside text that takes too long: no text may hold gza up, whatever pattern it meets. The
 * watchdog is V8's own thread, so the work stays where it is, pure and synchronous, and is not copied to another one;
 * it ends patterns as well as loops.
 */
import { createContext, runInContext } from 'node:vm';
import { GzaError } from '../core/errors.ts';
import { isRecord } from '../core/shape.ts';

/** A thousand times what the longest honest text takes. */
const deadlineMs = 15_000;
const context: { read?: () => unknown } = {};
let isReady = false;

/** `what` it is that is read, for who must look at it then. */
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
