import { writeSync } from 'node:fs';

/**
 * Resolves when all of it has left, so that a pipe gets the whole at any size; a closed pipe is no failure.
 * Written directly as far as that goes: to open a stream takes a tenth of the time of a short command.
 */
export async function print(descriptor: 1 | 2, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') return;
      if (code !== 'EAGAIN') throw error;
      return throughStream(descriptor === 1 ? process.stdout : process.stderr, bytes.subarray(at));
    }
  }
}

/** For a pipe that does not wait while it is full. */
function throughStream(stream: NodeJS.WriteStream, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EPIPE' ? resolve() : reject(error),
    );
    stream.write(bytes, () => resolve());
  });
}
