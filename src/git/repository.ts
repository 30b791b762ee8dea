/**
 * The repository that gza works in, found without starting git: `gza ready` should cost one process, not
 * four. Only the layout that git documents (gitrepository-layout) is read here; anything unusual is left to
 * git.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { GzaError } from '../core/errors.ts';
import { type Git, type OpenGitOptions, openGit } from './git.ts';
import { type ObjectReader, openObjectReader } from './objects.ts';

export interface Repository {
  /** git as a person runs it in this folder. */
  readonly git: Git;
  /** git for objects and refs alone: without work tree, index, attributes and replacements. */
  readonly bareGit: Git;
  /** The git folder of this worktree, which holds HEAD. */
  readonly gitDir: string;
  /** Shared by all worktrees: holds objects, refs and config. Links are resolved. */
  readonly commonDir: string;
  /** Top folder of the checked out files; null in a bare repository. */
  readonly workTree: string | null;
  readonly isBare: boolean;
  /** `branch` is also set when it has no commit yet. */
  readonly head: { readonly branch: string | null; readonly detached: boolean };
  readonly objectFormat: 'sha1' | 'sha256';
  readonly objectsDir: string;
  /** Reads loose objects without a process, and others through one that is kept running. */
  readonly objects: ObjectReader;
  /** True when refs are not files (reftable). */
  readonly unusualRefs: boolean;
}

export async function openRepository(cwd: string): Promise<Repository> {
  const found = locate(resolve(cwd));
  const commonDir = real(commonDirOf(found.gitDir));
  const config = readText(join(commonDir, 'config')) ?? '';
  const git = openGit(cwd);
  const objectsDir = resolve(cwd, process.env['GIT_OBJECT_DIRECTORY'] ?? join(commonDir, 'objects'));
  return {
    git,
    bareGit: openGit(commonDir, bareOptions(commonDir)),
    gitDir: found.gitDir,
    commonDir,
    workTree: found.workTree,
    isBare: isBare(commonDir),
    head: await headOf(found.gitDir, git),
    objectFormat: /^\s*objectformat\s*=\s*sha256\s*$/im.test(config) ? 'sha256' : 'sha1',
    objectsDir,
    objects: openObjectReader(cwd, objectsDir),
    unusualRefs: /^\s*refstorage\s*=\s*(?!files\s*$)/im.test(config),
  };
}

/** For commands on the objects and refs alone, in the common folder. */
export function bareOptions(commonDir: string): OpenGitOptions {
  return {
    config: ['core.bare=true'],
    env: {
      GIT_DIR: commonDir,
      GIT_WORK_TREE: undefined,
      GIT_INDEX_FILE: undefined,
      GIT_PREFIX: undefined,
      // A clone does not get replacements either.
      GIT_NO_REPLACE_OBJECTS: '1',
    },
  };
}

/** Whether a fetch with a depth cut its history off. A fetch may change that at any time. */
export function isShallow({ commonDir }: Pick<Repository, 'commonDir'>): boolean {
  return existsSync(join(commonDir, 'shallow'));
}

interface Found {
  readonly gitDir: string;
  readonly workTree: string | null;
}

function locate(cwd: string): Found {
  const fromEnvironment = process.env['GIT_DIR'];
  if (fromEnvironment) {
    const gitDir = resolve(cwd, fromEnvironment);
    if (!isGitDir(gitDir)) throw notARepository(cwd, `GIT_DIR names ${gitDir}, which is no repository`);
    const tree = process.env['GIT_WORK_TREE'];
    return { gitDir: real(gitDir), workTree: tree ? resolve(cwd, tree) : isBare(gitDir) ? null : cwd };
  }
  if (!existsSync(cwd)) throw notARepository(cwd, `${cwd} does not exist`);
  for (let dir = real(cwd), steps = 0; steps < 500; dir = dirname(dir), steps++) {
    const found = locateIn(dir);
    if (found) return found;
    if (dirname(dir) === dir) break;
  }
  throw notARepository(cwd, `neither ${cwd} nor a folder above it is a git repository`);
}

function locateIn(dir: string): Found | null {
  const dotGit = join(dir, '.git');
  const kind = statSync(dotGit, { throwIfNoEntry: false });
  if (kind?.isDirectory() && isGitDir(dotGit)) return { gitDir: dotGit, workTree: dir };
  if (kind?.isFile()) {
    const target = /^gitdir: (.+?)\s*$/.exec(readText(dotGit) ?? '')?.[1];
    if (target && isGitDir(resolve(dir, target))) return { gitDir: resolve(dir, target), workTree: dir };
    throw notARepository(dir, `${dotGit} points to a repository that is not there`);
  }
  if (!isGitDir(dir)) return null;
  // Inside a `.git` folder: the files are one level up.
  return basename(dir) === '.git' && !isBare(dir)
    ? { gitDir: dir, workTree: dirname(dir) }
    : { gitDir: dir, workTree: null };
}

function isGitDir(dir: string): boolean {
  if (!existsSync(join(dir, 'HEAD'))) return false;
  return (
    existsSync(join(dir, 'commondir')) || (existsSync(join(dir, 'objects')) && existsSync(join(dir, 'refs')))
  );
}

function isBare(gitDir: string): boolean {
  return /^\s*bare\s*=\s*true\s*$/im.test(readText(join(gitDir, 'config')) ?? '');
}

function commonDirOf(gitDir: string): string {
  const override = process.env['GIT_COMMON_DIR'];
  if (override) return resolve(override);
  const other = readText(join(gitDir, 'commondir'))?.trim();
  if (!other) return gitDir;
  return isAbsolute(other) ? other : resolve(gitDir, other);
}

async function headOf(gitDir: string, git: Git): Promise<Repository['head']> {
  const head = readText(join(gitDir, 'HEAD'))?.trim() ?? '';
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  if (branch !== undefined && branch !== '.invalid') return { branch, detached: false };
  if (/^[0-9a-f]{40,64}$/.test(head)) return { branch: null, detached: true };
  const asked = await git.run(['symbolic-ref', '-q', '--short', 'HEAD']);
  const name = asked.stdout.toString('utf8').trim();
  return asked.code === 0 && name ? { branch: name, detached: false } : { branch: null, detached: true };
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function notARepository(cwd: string, what: string): GzaError {
  return new GzaError('input', `gza works in a git repository: ${what}`, {
    hint: 'Run it inside your project, or run `git init` there first.',
    data: { cwd },
  });
}

/**
 * The author of commits, and some more settings of git. Starting git takes longer than the rest of a write,
 * so its answer is cached as long as the files that it comes from are the same.
 */
export interface WriteSettings {
  readonly name: string;
  readonly email: string;
  /** `core.sharedRepository`: others write here too. */
  readonly shared: 'group' | 'all' | undefined;
  /**
   * No setting asks git for more than its default work when a ref moves: a reflog, a wait for the disk,
   * modes.
   */
  readonly plainRefs: boolean;
  /** The remotes that have an address. */
  readonly remotes: readonly string[];
  /** The user's own ignore rules; null if they are in git's usual file. */
  readonly excludesFile: string | null;
}

/** What is needed here of a cache. */
interface Kept {
  get(name: string, key: string): string | null;
  put(name: string, key: string, text: string): void;
}

const ofCore = 'sharedrepository|logallrefupdates|fsync.*|filesreflocktimeout|excludesfile';
const names = `^(user\\.(name|email)|core\\.(${ofCore})|remote\\..*\\.url)$`;

export async function readWriteSettings(
  { git, commonDir }: Pick<Repository, 'git' | 'commonDir'>,
  cache: Kept,
  env: NodeJS.ProcessEnv,
): Promise<WriteSettings> {
  const key = sourcesKey(commonDir, env);
  const known = key === null ? null : cache.get('settings', key);
  if (known !== null) return JSON.parse(known) as WriteSettings;
  const asked = await git.run(['config', '-z', '--get-regexp', names]);
  const values = new Map<string, string>();
  for (const row of asked.stdout.toString('utf8').split('\0')) {
    const end = row.indexOf('\n');
    if (row) values.set(end < 0 ? row : row.slice(0, end), end < 0 ? 'true' : row.slice(end + 1));
  }
  const isUnusual = (name: string) => /^core.*(fsync|timeout)/.test(name) || values.get(name) === 'always';
  const shared = sharing(values.get('core.sharedrepository')?.toLowerCase());
  const settings: WriteSettings = {
    name: clean(env['GIT_COMMITTER_NAME'] || values.get('user.name') || 'gza'),
    email: clean(env['GIT_COMMITTER_EMAIL'] || values.get('user.email') || 'gza@localhost'),
    shared,
    plainRefs: shared === undefined && isOwn(commonDir) && ![...values.keys()].some(isUnusual),
    remotes: [...values.keys()].flatMap((name) => /^remote\.(.*)\.url$/s.exec(name)?.[1] ?? []),
    excludesFile: values.get('core.excludesfile') || null,
  };
  // 1: there are none. An answer that was cut off is not cached.
  const isWhole = asked.code === 1 || (asked.code === 0 && asked.stdout.at(-1) === 0);
  if (key !== null && isWhole) cache.put('settings', key, JSON.stringify(settings));
  return settings;
}

/** Null if the answer also comes from elsewhere: the environment, or files that are included. */
function sourcesKey(commonDir: string, env: NodeJS.ProcessEnv): string | null {
  if (env['GIT_CONFIG_COUNT'] || env['GIT_CONFIG_PARAMETERS']) return null;
  const home = env['HOME'] || homedir();
  const ofUser = env['GIT_CONFIG_GLOBAL'];
  const files = [
    ...(env['GIT_CONFIG_NOSYSTEM'] ? [] : [env['GIT_CONFIG_SYSTEM'] ?? '/etc/gitconfig']),
    ...(ofUser === undefined
      ? [join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'git', 'config'), join(home, '.gitconfig')]
      : [ofUser]),
    join(commonDir, 'config'),
  ];
  const texts = files.map(textOf);
  if (texts.some((text) => /\[\s*include|worktreeconfig/i.test(text))) return null;
  const sources = [names, texts, env['GIT_COMMITTER_NAME'], env['GIT_COMMITTER_EMAIL'], process.getuid?.()];
  return createHash('sha256').update(JSON.stringify(sources)).digest('hex');
}

/** git does not write into a repository of another user, unless it was told to. */
function isOwn(commonDir: string): boolean {
  return process.getuid === undefined || statSync(commonDir).uid === process.getuid();
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function sharing(value: string | undefined): WriteSettings['shared'] {
  if (value === undefined || ['umask', 'false', '0', 'no', 'off'].includes(value)) return undefined;
  if (['all', 'world', 'everybody', '2'].includes(value)) return 'all';
  return /^0\d{3}$/.test(value) && (Number.parseInt(value, 8) & 0o004) !== 0 ? 'all' : 'group';
}

/** Makes a text fit for the header of a commit. */
function clean(text: string): string {
  const plain = text.replace(/[<>\p{Cc}\s]+/gu, ' ').trim();
  return plain.slice(0, 200) || 'gza';
}
