import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { openRedactor } from './redact.ts';

/** The file that keeps what an agent printed: secrets taken out, and no longer than it may be. */
export interface AgentLog {
  /** A remark of our own. */
  note(text: string): void;
  output(text: string): void;
  errors(text: string): void;
  close(): void;
}

export interface AgentLogOptions {
  readonly path: string;
  readonly secrets: readonly string[];
  readonly bytesMax: number;
}

export function openAgentLog({ path, secrets, bytesMax }: AgentLogOptions): AgentLog {
  mkdirSync(dirname(path), { recursive: true });
  const handle = openSync(path, 'a', 0o600);
  const output = openRedactor(secrets);
  const errors = openRedactor(secrets);
  let bytes = 0;
  const write = (text: string): void => {
    if (text === '' || bytes >= bytesMax) return;
    bytes += Buffer.byteLength(text);
    writeSync(
      handle,
      bytes >= bytesMax ? `${text}\n# the log ends here: it holds ${bytesMax} bytes at most\n` : text,
    );
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
