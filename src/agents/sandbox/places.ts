/** What a sandbox shows, in the order in which it is put there; each rung says it in its own words. */

import { spawn } from 'node:child_process';
import { readlinkSync, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { Readable } from './readable.ts';

export interface View {
  readonly readable: Readable;
  /** Read only, at the same place. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Elsewhere than on the machine: sockets. */
  readonly bound: readonly { readonly from: string; readonly to: string }[];
  readonly tmpBytes: number;
  /** Of its own, with nothing but loopback. */
  readonly ownNetwork: boolean;
}

export type Placed =
  /** What is not there is left out. `dev`: with devices that work. */
  | { readonly put: 'ro' | 'rw' | 'dev'; readonly from: string; readonly at: string }
  | { readonly put: 'memory'; readonly bytes: number; readonly at: string }
  | { readonly put: 'folder' | 'proc' | 'devices'; readonly at: string }
  | { readonly put: 'link'; readonly to: string; readonly at: string }
  /** From here on it is only read. */
  | { readonly put: 'closed'; readonly at: string };

/** HOME may lie below /tmp, and Codex makes nothing that its own sandbox needs below the folder for temporary files. */
export const tmpInside = '/tmp/own';

/** Of what programs compute of fonts, certificates and packages. */
const cachesOfSystem = ['/var/cache/fontconfig', '/var/lib/ca-certificates', '/var/lib/dpkg'];

/**
 * Root stays the kernel's root without its capabilities: it owns the machine's settings, such as which program takes
 * core dumps.
 */
const settingsOfKernel = ['/proc/sys', '/proc/sysrq-trigger'];

export const isRoot = process.getuid?.() === 0;

/** Nothing is there that is not named: the top is an empty folder. */
export function placesOf({ readable, read, write, bound, tmpBytes }: View): Placed[] {
  const { system, more, links, hidden } = readable;
  const same = (put: 'ro' | 'rw' | 'dev') => (path: string) => ({ put, from: path, at: path }) as const;
  // What lies deeper covers what is above it, and what may be written what may only be read.
  const places = [
    // A device that may only be read is of no use; /dev/shm holds files as any other folder does.
    ...[...more, ...read].map((path) => same(/^\/dev\/(?!shm\/)/.test(path) ? 'dev' : 'ro')(path)),
    ...hidden.map(covered),
    ...write.map(same('rw')),
  ].sort((a, b) => depth(a.at) - depth(b.at));
  return [
    ...system.map(same('ro')),
    { put: 'proc', at: '/proc' },
    { put: 'devices', at: '/dev' },
    { put: 'folder', at: '/run' },
    { put: 'folder', at: '/var' },
    { put: 'link', to: '../run', at: '/var/run' },
    { put: 'link', to: '../tmp', at: '/var/tmp' },
    ...['/tmp', '/dev/shm'].map((at) => ({ put: 'memory', bytes: tmpBytes, at }) as const),
    { put: 'folder', at: tmpInside },
    ...cachesOfSystem.map(same('ro')),
    ...links.map((at) => ({ put: 'link', to: readlinkSync(at), at }) as const),
    ...places,
    ...bound.map(({ from, to }) => ({ put: 'rw', from, at: to }) as const),
    ...(isRoot ? settingsOfKernel.map(same('ro')) : []),
    { put: 'closed', at: '/dev' },
    { put: 'closed', at: '/' },
  ];
}

function depth(path: string): number {
  return path.split('/').length;
}

function covered(at: string): Placed {
  return statSync(at).isDirectory()
    ? { put: 'memory', bytes: 4096, at }
    : { put: 'ro', from: '/dev/null', at };
}

/** What every way to a sandbox has: the machine is asked once whether it works, and then each command is wrapped. */
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
