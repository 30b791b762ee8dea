import { closeSync, constants, mkdirSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { openPlain } from '../system/plain-file.ts';
import { openRedactor } from '../system/redact.ts';

/**
 * The file that keeps what an agent printed: secrets taken out, and no longer than it may be. On a full disk it ends
 * early; the run goes on.
 */
export interface AgentLog {
  /** A remark of our own. */
  note(text: string): void;
  output(text: string): void;
  errors(text: string): void;
  close(): void;
}

interface AgentLogOptions {
  readonly path: string;
  readonly secrets: readonly string[];
  readonly bytesMax: number;
}

export function openAgentLog({ path, secrets, bytesMax }: AgentLogOptions): AgentLog {
  mkdirSync(dirname(path), { recursive: true });
  const { O_APPEND, O_CREAT, O_WRONLY } = constants;
  const handle = openPlain(path, O_APPEND | O_CREAT | O_WRONLY);
  const output = openRedactor(secrets);
  const errors = openRedactor(secrets);
  let bytes = 0;
  const write = (text: string): void => {
    if (text === '' || bytes >= bytesMax) return;
    bytes += Buffer.byteLength(text);
    const end = bytes >= bytesMax ? `\n# the log ends here: it holds ${bytesMax} bytes at most\n` : '';
    try {
      writeSync(handle, `${text}${end}`);
    } catch {
      bytes = bytesMax;
    }
  };
  const rest = (): void => write(output.end() + errors.end());
  return {
    note: (text) => {
      rest();
      write(`${text.replaceAll(/^/gm, '# ')}\n`);
    },
    output: (text) => write(output.write(text)),
    errors: (text) => write(errors.write(text)),
    close: () => {
      rest();
      closeSync(handle);
    },
  };
}

/** Lines out of chunks. A line longer than the bound is cut, and the rest of it dropped. */
interface LineSplitter {
  push(chunk: string): string[];
  /** What is left without a line break. */
  end(): string[];
}

export function openLineSplitter(lineCharsMax = 8 << 20): LineSplitter {
  let held = '';
  let dropping = false;
  const take = (piece: string): void => {
    if (dropping) return;
    held += piece;
    if (held.length <= lineCharsMax) return;
    held = held.slice(0, lineCharsMax);
    dropping = true;
  };
  const flush = (): string => {
    const line = held.endsWith('\r') ? held.slice(0, -1) : held;
    held = '';
    dropping = false;
    return line;
  };
  return {
    push(chunk) {
      const pieces = chunk.split('\n');
      const last = pieces.pop() ?? '';
      const lines = pieces.map((piece) => {
        take(piece);
        return flush();
      });
      take(last);
      return lines;
    },
    end: () => (held === '' ? [] : [flush()]),
  };
}
