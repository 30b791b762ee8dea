/**
 * The file that GZA_SPOOL names. The agent's commands append to it, each line in a single write, so that
 * parallel commands never mix. The engine reads it after the agent has ended. The agent may have replaced
 * it, so only a plain file with a single name is opened, never a link or a pipe.
 */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readFile, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { GzaError } from '../../core/errors.ts';
import { questionsFile } from '../../core/prompt/prompt-rules.ts';
import { isRecord } from '../../core/shape.ts';
import { spoolBytesMax } from '../../core/spool/spool.ts';
import { printSpoolLine, type SpoolLine, spoolLineBytesMax } from '../../core/spool/spool-line.ts';
import { isMissing, plainFlags, readPlainFile, readUpTo } from '../../system/outside.ts';

/** The spool of this step; null outside a step. */
export function spoolPath(env: Readonly<Record<string, string | undefined>>): string | null {
  const path = env['GZA_SPOOL'];
  if (path === undefined || path === '') return null;
  if (isAbsolute(path)) return path;
  throw new GzaError('world', `GZA_SPOOL must be an absolute path, found ${JSON.stringify(path)}`, {
    hint: 'gza sets it for each step; outside of one, unset it',
  });
}

export async function appendSpool(path: string, line: SpoolLine): Promise<void> {
  const printed = printSpoolLine(line);
  if ('why' in printed) throw new GzaError('input', `this cannot be written down: ${printed.why}`);
  const bytes = Buffer.from(printed.text);
  if (bytes.length > spoolLineBytesMax) {
    throw new GzaError('input', `this has ${bytes.length} bytes; ${spoolLineBytesMax} is the limit`);
  }
  await withPlainFile(
    path,
    constants.O_RDWR | constants.O_APPEND | constants.O_CREAT,
    async (file, { size }) => {
      if (size + bytes.length > spoolBytesMax) {
        throw new GzaError('refused', 'this step has said as much as it may: its spool is full');
      }
      // An earlier write may be incomplete (a full disk), and must not corrupt this line.
      const isTorn = size > 0 && (await lastByte(file, size)) !== newline;
      const whole = isTorn ? Buffer.concat([Buffer.from('\n'), bytes]) : bytes;
      const { bytesWritten } = await file.write(whole);
      if (bytesWritten !== whole.length) throw new GzaError('world', `${path} could not be written whole`);
    },
  );
}

/** `isCut`: the spool is longer than what may be read. A spool that does not exist is empty. */
export async function readSpool(path: string): Promise<{ text: string; isCut: boolean }> {
  const read = (file: FileHandle) => readUpTo(file, spoolBytesMax + 1);
  const buffer = await withPlainFile(path, constants.O_RDONLY, read).catch((error: Error) => {
    if (isMissing(error.cause)) return Buffer.alloc(0);
    throw error;
  });
  return { text: buffer.toString('utf8', 0, spoolBytesMax), isCut: buffer.length > spoolBytesMax };
}

/**
 * Questions that the agent wrote to a file in its work tree, because it may not run commands. They are
 * returned as the note that a command would have filed; empty when there are none. The file must hold the
 * nonce of the step, because the repository itself may have such a file.
 */
export async function questionsLeft(treeDir: string, id: string, nonce: string): Promise<string> {
  const file = join(treeDir, questionsFile);
  const folder = await lstat(dirname(file)).catch(() => null);
  if (!folder?.isDirectory()) return '';
  try {
    const bytes = await readPlainFile(file, spoolBytesMax);
    const asked: unknown = bytes && JSON.parse(bytes.toString('utf8'));
    if (!isRecord(asked) || asked['nonce'] !== nonce || !Array.isArray(asked['questions'])) return '';
    await rm(file, { force: true });
    const questions = asked['questions'].filter((one) => typeof one === 'string' && one.trim() !== '');
    if (questions.length === 0) return '';
    const line = printSpoolLine({
      kind: 'note',
      id,
      text: `blocked: ${questions.join('\n\n')}`.slice(0, 8_000),
    });
    return 'text' in line ? line.text : '';
  } catch {
    return '';
  }
}

const newline = 10;

async function lastByte(file: FileHandle, size: number): Promise<number | undefined> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 1 ? buffer[0] : undefined;
}

async function withPlainFile<T>(
  path: string,
  flags: number,
  use: (file: FileHandle, stats: Stats) => Promise<T>,
): Promise<T> {
  const file = await open(path, flags | plainFlags, 0o600).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw unreadable(path, 'it is no plain file');
    if (stats.nlink > 1) throw unreadable(path, 'it has more than one name');
    return await use(file, stats);
  } finally {
    await file.close();
  }
}

function unreadable(path: string, cause: unknown): GzaError {
  const { code } = cause as NodeJS.ErrnoException;
  const odd: Record<string, string> = {
    ELOOP: 'it is a link',
    ENXIO: 'it is no plain file',
    EISDIR: 'it is a folder',
  };
  const why = typeof cause === 'string' ? cause : (odd[code ?? ''] ?? code ?? String(cause));
  return new GzaError('world', `the spool ${path} cannot be used: ${why}`, { cause });
}

/** Files next to a step's spool that the engine writes for the agent's commands. */
export function stepFiles(spool: string): { readonly context: string; readonly tasks: string } {
  const folder = dirname(spool);
  return { context: join(folder, 'context.md'), tasks: join(folder, 'tasks.json') };
}

export async function readStepContext(spool: string): Promise<string | null> {
  return readFile(stepFiles(spool).context, 'utf8').catch(() => null);
}

/** The texts of the tasks that this step may read, by id; empty when there are none. */
export async function readStepTasks(spool: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(stepFiles(spool).tasks, 'utf8').catch(() => '{}');
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return new Map();
    return new Map(
      Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return new Map();
  }
}
