/** What every way to a sandbox has: the machine is asked once whether it works, and then each command is wrapped. */
import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { View } from './places.ts';

export interface Inside {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Program and arguments of what is run there. */
  readonly script: readonly string[];
}

export interface Rung {
  readonly name: 'bubblewrap' | 'unshare';
  readonly file: string;
  /** `options` are for file descriptor 3: variables and paths are no arguments, which everyone here can read. */
  wrap(view: View, inside: Inside): { readonly args: readonly string[]; readonly options: string };
}

export type Probed = Rung | { readonly why: string };

/** Asked once: what the machine allows does not change while this program runs. */
export function probing(probe: () => Promise<Probed>): () => Promise<Probed> {
  let probed: Promise<Probed> | undefined;
  return () => {
    probed ??= probe();
    return probed;
  };
}

/** Null where it ended well, else what it said. */
export function trial(file: string, args: readonly string[], options = ''): Promise<string | null> {
  const child = spawn(file, [...args], {
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    timeout: 20_000,
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, 1 << 16);
  });
  const more = child.stdio[3] as Writable;
  more.on('error', () => {});
  more.end(options);
  return new Promise((resolve) => {
    child.on('error', ({ message }) => resolve(message));
    child.on('close', (code) => resolve(code === 0 ? null : said || `it ended with ${code}`));
  });
}

export function saidBy(stderr: string): string {
  return (stderr.trim().split('\n')[0] ?? '').slice(0, 200);
}
