import { writeSync } from 'node:fs';
import { GzaError } from '../core/errors.ts';

/**
 * Resolves when everything is written, so that a pipe gets all of it at any size. A closed pipe is not a
 * failure, and the result says whether it is still open. Writes directly as far as possible, because opening
 * a stream takes a tenth of the time of a short command.
 */
export async function print(descriptor: 1 | 2, text: string): Promise<boolean> {
  const bytes = Buffer.from(text);
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') return false;
      if (code !== 'EAGAIN') throw unwritten(error);
      return throughStream(descriptor === 1 ? process.stdout : process.stderr, bytes.subarray(at));
    }
  }
  return true;
}

const closed: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ERR_STREAM_DESTROYED']);

/** For a pipe that is full and does not wait. */
function throughStream(stream: NodeJS.WriteStream, bytes: Buffer): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) =>
      closed.has(error.code) ? resolve(false) : reject(unwritten(error));
    stream.once('error', failed);
    stream.write(bytes, (error) => {
      if (error) return failed(error);
      stream.off('error', failed);
      resolve(true);
    });
  });
}

function unwritten(cause: unknown): GzaError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new GzaError('world', `the output could not be written: ${why}`, { cause });
}
