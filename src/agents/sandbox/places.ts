/** What a sandbox contains, in mount order. Each kind of sandbox translates this into its own options. */

import { spawn } from 'node:child_process';
import {
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import type { Writable } from 'node:stream';

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

/**
 * Finds what a command must see of the machine in order to run. System folders are always visible. Below
 * people's folders, only what PATH and the toolchain variables name is visible, and what the links there
 * point to.
 */

type Environment = Readonly<Record<string, string | undefined>>;

/** Top-level folders with programs and their settings. No others are visible. */
const systemFolders = 'bin sbin lib lib32 lib64 libx32 usr etc opt nix gnu snap sys'.split(' ');

/** Variables that name a folder or file which programs read. */
const naming =
  /^(RUSTUP_HOME|GOROOT|JAVA_HOME|PYENV_ROOT|VIRTUAL_ENV|CONDA_PREFIX|NVM_DIR|VOLTA_HOME|ASDF_(DATA_)?DIR|RBENV_ROOT|GEM_HOME|DOTNET_ROOT|ANDROID_(HOME|SDK_ROOT)|PLAYWRIGHT_BROWSERS_PATH|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE)$/;

/** Files in which toolchains keep secrets. */
const secretNames =
  'credentials credentials.toml credentials.json .credentials.json .npmrc .netrc auth.json .env'.split(' ');
/** Secrets of root. File modes do not protect them when the sandbox itself is started by root. */
const secretsOfRoot = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/ssh',
  '/etc/ssl/private',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/kubernetes',
];

export interface Readable {
  readonly system: readonly string[];
  readonly more: readonly string[];
  /** Symbolic links at the top level, and links to programs. */
  readonly links: readonly string[];
  /** Paths inside visible folders that must stay hidden. */
  readonly hidden: readonly string[];
}

const pathsMax = 300;

/** `files` are programs to run. `own` are gza's folders, which are never visible as a whole. */
export function readableFor(env: Environment, files: readonly string[], own: readonly string[]): Readable {
  const found = new Set<string>();
  const add = (path: string) => {
    if (isShown(path) || isTooMuch(path, own) || !existsSync(path)) return false;
    const isNew = found.size < pathsMax && !found.has(path);
    if (isNew) found.add(path);
    return isNew;
  };
  const addFolder = (folder: string): void => {
    if (!add(folder)) return;
    const above = dirname(folder);
    if (/^(\.?bin|sbin|shims)$/.test(basename(folder)) && isRootOfTool(above)) add(above);
    // Links in a folder of programs point to the rest of the tool.
    for (const entry of entriesIn(folder)) {
      const real = entry.isSymbolicLink() ? realOf(join(folder, entry.name)) : null;
      if (real !== null && !isBelow(real, [...found])) addFile(real);
    }
  };
  const addFile = (real: string): void => {
    const [, modules] = /^(.*?\/node_modules)\//.exec(real) ?? [];
    const folder = dirname(real);
    if (modules !== undefined) add(modules);
    else if (basename(folder) === 'dist') add(folder);
    else if (basename(folder) === 'bin' && isRootOfTool(dirname(folder))) addFolder(folder);
    else add(real);
  };
  for (const folder of (env['PATH'] ?? '').split(delimiter)) if (isAbsolute(folder)) addFolder(folder);
  const links = new Set<string>();
  for (const file of files) {
    const real = realOf(file) ?? file;
    if (real !== file && !isBelow(file, [...found])) links.add(file);
    addFile(real);
  }
  for (const [name, path = ''] of Object.entries(env)) if (naming.test(name) && isAbsolute(path)) add(path);
  add(realOf('/etc/resolv.conf') ?? '');
  const tops = systemFolders.map((name) => `/${name}`).filter((path) => existsSync(path));
  const secrets = [...found].flatMap((dir) => secretNames.map((name) => join(dir, name)));
  return {
    system: tops.filter((path) => !isLink(path)),
    more: [...found],
    links: [...tops.filter(isLink), ...links],
    hidden: [...secrets, ...(process.getuid?.() === 0 ? secretsOfRoot : []), ...runners()].filter((path) =>
      existsSync(path),
    ),
  };
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/** Whether the path is in a system folder, which is visible anyway. */
function isShown(path: string): boolean {
  return systemFolders.includes(path.split(sep)[1] ?? '');
}

/** Whether the path contains people's own files, or gza's. */
function isTooMuch(path: string, own: readonly string[]): boolean {
  const people = ['/home', '/root', '/run', '/tmp', '/var', '/mnt', process.env['HOME'] ?? '/root'];
  return path === '' || [...people, ...own].some((one) => one === path || one.startsWith(`${path}/`));
}

/** Whether the folder above `bin` holds only a tool. A HOME, `~/.local` or a project holds more. */
function isRootOfTool(folder: string): boolean {
  return (
    basename(folder) !== '.local' &&
    !existsSync(join(folder, '.git')) &&
    !existsSync(join(folder, '.ssh')) &&
    !existsSync(join(folder, '.bashrc'))
  );
}

/** Self-hosted runners are often in /opt, together with their credentials. */
function runners(): string[] {
  return entriesIn('/opt')
    .map(({ name }) => join('/opt', name))
    .filter((dir) => existsSync(join(dir, '.runner')));
}

function isBelow(path: string, folders: readonly string[]): boolean {
  return isShown(path) || folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).slice(0, 5000);
  } catch {
    return [];
  }
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
