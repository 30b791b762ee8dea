/** How bubblewrap is called, and whether it works on this machine. */
import { execFile } from 'node:child_process';
import { readlinkSync, statSync } from 'node:fs';
import { findProgram } from '../probe-agent.ts';
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

/**
 * Nothing is there that is not named: the top is an empty folder. Everything ends with the first process, whatever
 * session it moved to. User namespaces stay allowed inside: some agents and browsers bring a sandbox of their own,
 * and what is hidden here stays hidden there, since the kernel lets nobody take inherited mounts apart.
 */
export function bubblewrapOptions(view: View): string[] {
  const { system, more, links, hidden } = view.readable;
  const read = [...more, ...view.read].map((path) => ({
    path,
    // A device that may only be read is of no use; /dev/shm holds files as any other folder does.
    words: [/^\/dev\/(?!shm\/)/.test(path) ? '--dev-bind-try' : '--ro-bind-try', path, path],
  }));
  const write = view.write.map((path) => ({ path, words: ['--bind-try', path, path] }));
  const covers = hidden.map((path) => ({ path, words: hide(path) }));
  // What lies deeper covers what is above it, and what may be written what may only be read.
  const places = [...read, ...covers, ...write].sort((a, b) => depth(a.path) - depth(b.path));
  return [
    '--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --die-with-parent'.split(
      ' ',
    ),
    view.ownNetwork ? ['--unshare-net'] : [],
    ['--cap-drop', 'ALL'],
    system.flatMap((path) => ['--ro-bind', path, path]),
    '--proc /proc --dev /dev --dir /run --dir /var --symlink ../run /var/run --symlink ../tmp /var/tmp'.split(
      ' ',
    ),
    ['/tmp', '/dev/shm'].flatMap((path) => ['--size', String(view.tmpBytes), '--tmpfs', path]),
    ['--dir', tmpInside],
    cachesOfSystem.flatMap((path) => ['--ro-bind-try', path, path]),
    links.flatMap((path) => ['--symlink', readlinkSync(path), path]),
    places.flatMap(({ words }) => words),
    view.bound.flatMap(({ from, to }) => ['--bind', from, to]),
    process.getuid?.() === 0 ? forRoot : [],
    '--remount-ro /dev --remount-ro / --clearenv'.split(' '),
  ].flat();
}

/**
 * Root stays the kernel's root without its capabilities: it owns the machine's settings, such as which program takes
 * core dumps. Inside it is `nobody`, as whom alone it may make user namespaces of its own.
 */
const forRoot =
  '--uid 65534 --gid 65534 --ro-bind /proc/sys /proc/sys --ro-bind-try /proc/sysrq-trigger /proc/sysrq-trigger'.split(
    ' ',
  );

/** Of what programs compute of fonts, certificates and packages. */
const cachesOfSystem = ['/var/cache/fontconfig', '/var/lib/ca-certificates', '/var/lib/dpkg'];

/** HOME may lie below /tmp, and Codex makes nothing that its own sandbox needs below the folder for temporary files. */
export const tmpInside = '/tmp/own';

function depth(path: string): number {
  return path.split('/').length;
}

function hide(path: string): string[] {
  return statSync(path).isDirectory()
    ? ['--size', '4096', '--tmpfs', path]
    : ['--ro-bind', '/dev/null', path];
}

export type Probed = { readonly file: string } | { readonly why: string };

let probed: Promise<Probed> | undefined;

/** Asked once: what the machine allows does not change while this program runs. */
export function probeBubblewrap(): Promise<Probed> {
  probed ??= probe();
  return probed;
}

async function probe(): Promise<Probed> {
  if (process.platform !== 'linux') return { why: 'bubblewrap runs on Linux alone' };
  const file = findProgram('bwrap', `/usr/bin:/usr/local/bin:${process.env['PATH'] ?? ''}`, '/');
  if (file === undefined)
    return { why: 'bubblewrap is not installed (for example: sudo apt-get install bubblewrap)' };
  const options = ['--unshare-user', '--unshare-pid', '--unshare-net', '--cap-drop', 'ALL'];
  const places = [
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--size',
    '65536',
    '--tmpfs',
    '/tmp',
  ];
  const failed = await run(file, [...options, ...places, '--remount-ro', '/', '--', '/bin/sh', '-c', ':']);
  return failed === null ? { file } : { why: whyNot(failed) };
}

function run(file: string, args: readonly string[]): Promise<string | null> {
  const limits = { timeout: 20_000, maxBuffer: 1 << 16, env: {} } as const;
  return new Promise((resolve) => {
    execFile(file, [...args], limits, (error, _, stderr) => resolve(error ? stderr || error.message : null));
  });
}

function whyNot(stderr: string): string {
  const said = (stderr.trim().split('\n')[0] ?? '').slice(0, 200);
  const isRefused = /uid map|new namespace|Operation not permitted|Permission denied/i.test(said);
  return isRefused
    ? `bubblewrap may not make a user namespace here (${said}). On Ubuntu 24.04: an AppArmor profile for /usr/bin/bwrap with \`userns,\`, or sysctl kernel.apparmor_restrict_unprivileged_userns=0`
    : `bubblewrap does not work here (${said})`;
}
