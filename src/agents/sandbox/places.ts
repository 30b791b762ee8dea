/** What a sandbox contains, in mount order. Each kind of sandbox translates this into its own options. */

import { spawn } from 'node:child_process';
import { readlinkSync, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { Readable } from './readable.ts';

export interface View {
  readonly readable: Readable;
  /** Read-only, at the same path as outside. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Sockets, which get another path inside. */
  readonly bound: readonly { readonly from: string; readonly to: string }[];
  readonly tmpBytes: number;
  /** It has a network of its own, with nothing but loopback. */
  readonly ownNetwork: boolean;
}

export type Placed =
  /** Skipped if the source does not exist. `dev` keeps device files usable. */
  | { readonly put: 'ro' | 'rw' | 'dev'; readonly from: string; readonly at: string }
  | { readonly put: 'memory'; readonly bytes: number; readonly at: string }
  | { readonly put: 'folder' | 'proc' | 'devices'; readonly at: string }
  | { readonly put: 'link'; readonly to: string; readonly at: string }
  /** Remounts it read-only, after everything below it was made. */
  | { readonly put: 'closed'; readonly at: string };

/**
 * A folder of its own for temporary files. HOME may lie below /tmp, and Codex does not create what its
 * sandbox needs below the temporary folder.
 */
export const tmpInside = '/tmp/own';

/** System data about fonts, certificates and packages that programs read. */
const cachesOfSystem = ['/var/cache/fontconfig', '/var/lib/ca-certificates', '/var/lib/dpkg'];

/**
 * A root process without capabilities still owns the kernel's settings, such as which program handles core
 * dumps. So they are mounted read-only.
 */
const settingsOfKernel = ['/proc/sys', '/proc/sysrq-trigger'];

export const isRoot = process.getuid?.() === 0;

/** The root starts as an empty folder: only what is listed here exists. */
export function placesOf({ readable, read, write, bound, tmpBytes }: View): Placed[] {
  const { system, more, links, hidden } = readable;
  const same = (put: 'ro' | 'rw' | 'dev') => (path: string) => ({ put, from: path, at: path }) as const;
  // Deeper paths are mounted later and cover those above; at equal depth, writable ones come last.
  const places = [
    // A read-only device would be useless. But /dev/shm holds plain files.
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

/** The command to run inside a sandbox, however the sandbox is made. */
export interface Inside {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The program and its arguments. */
  readonly script: readonly string[];
}

export interface Rung {
  readonly name: 'bubblewrap' | 'unshare';
  readonly file: string;
  /** `options` go to file descriptor 3, because every user of the machine can read arguments. */
  wrap(view: View, inside: Inside): { readonly args: readonly string[]; readonly options: string };
}

export type Probed = Rung | { readonly why: string };

/** Probes once: what the machine allows does not change while this program runs. */
export function probing(probe: () => Promise<Probed>): () => Promise<Probed> {
  let probed: Promise<Probed> | undefined;
  return () => {
    probed ??= probe();
    return probed;
  };
}

/** Null when the program ended well; otherwise its error output. */
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
