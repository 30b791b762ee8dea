/** The outside world as this process has it. */
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import type { Ports } from '../app/command.ts';
import { GzaError } from '../core/errors.ts';
import { coloured, plain } from '../core/text/terminal/style.ts';
import { printTime } from '../core/time.ts';
import { print } from '../system/print.ts';

const stdinBytesMax = 10 << 20;

export function processPorts(): Ports {
  const { env, argv } = process;
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  return {
    cwd: currentFolder(),
    env,
    now: () => printTime(Date.now()),
    random: () => randomBytes(8).toString('hex'),
    program: basename(argv[1] ?? '').startsWith('git-tasks') ? 'git tasks' : 'gza',
    stdin: readStdin,
    get ask() {
      return process.stdin.isTTY && process.stderr.isTTY ? askPerson : undefined;
    },
    // Asked late: to open the stream takes longer than many a verb that needs neither.
    get style() {
      return wantsColour() ? coloured : plain;
    },
    get columns() {
      return process.stdout.isTTY ? process.stdout.columns : null;
    },
    // Who cannot be told is not kept from working.
    progress: (line) => void print(2, `${line}\n`).catch(() => {}),
    signal: stop.signal,
  };
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new GzaError('world', 'the current folder is gone', { hint: 'cd to one that is there.', cause });
  }
}

function wantsColour(): boolean {
  const { argv, env } = process;
  if (argv.includes('--no-color') || env['NO_COLOR']) return false;
  return argv.includes('--color') || (env['TERM'] !== 'dumb' && process.stdout.isTTY);
}

async function askPerson(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-D and Ctrl-C: whoever leaves gets nothing written.
  const left = new Promise<never>((_, reject) => {
    lines.once('close', () => reject(new GzaError('lost', 'nobody answers, so nothing was written')));
  });
  try {
    return await Promise.race([lines.question(question), left]);
  } finally {
    lines.close();
  }
}

async function readStdin(): Promise<string | null> {
  if (process.stdin.isTTY) return null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > stdinBytesMax)
      throw new GzaError('input', `standard input is over ${stdinBytesMax} bytes, the limit`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
