/**
 * Moves refs, all or none, each only from its expected value. Everything under refs/ changes through this,
 * except in the plain case that moveRefFiles handles without git. All commands are sent behind `start`, so
 * that git rolls back if this process dies half way.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { GzaError } from '../../core/errors.ts';
import { printTime } from '../../core/time.ts';
import { type Git, type GitResult, gitFailure, unreadableRepository } from '../../git/git.ts';
import { listRefs } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { removeStaleLocks } from './locks.ts';

export interface RefMove {
  readonly ref: string;
  /** Null deletes it. */
  readonly to: string | null;
  /** Null: the ref must not exist. */
  readonly from: string | null;
}

/** The moves of a ledger's ref and of its mirror, which change together. `from`: what they hold now. */
export function ledgerMoves(
  namespace: string,
  branch: string,
  to: string | null,
  from: { readonly tip: string | null | undefined; readonly mirror: string | null | undefined },
): RefMove[] {
  return [
    { ref: `${namespace}/${branch}`, to, from: from.tip ?? null },
    { ref: `${localMirror}${branch}`, to, from: from.mirror ?? null },
  ];
}

/** `lost`: a ref had another value. `busy`: a lock was held. `unclear`: git ended without an answer. */
export type Moved = 'moved' | 'lost' | 'busy' | 'unclear';

export async function moveRefs(repository: Repository, moves: readonly RefMove[]): Promise<Moved> {
  const zero = '0'.repeat(repository.objectFormat === 'sha1' ? 40 : 64);
  const lines = moves.map(({ ref, to, from }) => {
    if (/[\0\n]/.test(ref)) throw new GzaError('input', `${JSON.stringify(ref)} is no name for a ref`);
    return to === null ? `delete ${ref}\0${from ?? ''}\0` : `update ${ref}\0${to}\0${from ?? zero}\0`;
  });
  const stdin = `start\0${lines.join('')}prepare\0commit\0`;
  // `-m` names gza in the reflog, which exists if state_ref is under refs/heads. `--no-deref`: a symbolic ref
  // under refs/tasks must not lead a write to a branch of code.
  const args = ['update-ref', '--no-deref', '-m', 'gza', '--stdin', '-z'];
  const result = await repository.git.run(args, { stdin, env: committer });
  if (result.code === 0) {
    rememberTips(repository.commonDir, moves);
    return 'moved';
  }
  return judge(repository, moves, args, result);
}

/** A reflog needs an identity; a missing user.name must not stop a ledger. */
const committer = {
  GIT_COMMITTER_NAME: process.env['GIT_COMMITTER_NAME'] || 'gza',
  GIT_COMMITTER_EMAIL: process.env['GIT_COMMITTER_EMAIL'] || 'gza@localhost',
};

function judge(repository: Repository, moves: readonly RefMove[], args: string[], result: GitResult): Moved {
  const { stderr } = result;
  if (result.code < 0) return 'unclear';
  if (/\.lock'?: File exists|Unable to create '[^']*\.lock'.*exists/s.test(stderr)) {
    removeStaleLocks(
      repository,
      moves.map((move) => move.ref),
    );
    return 'busy';
  }
  if (/\.lock': No such file or directory/.test(stderr)) return 'busy';
  if (/but expected|reference already exists|unable to resolve reference|reference is missing/.test(stderr))
    return 'lost';
  const conflict = /'([^']+)' exists; cannot create '([^']+)'/.exec(stderr);
  if (conflict) {
    throw new GzaError(
      'blocked',
      `${conflict[1]} is in the way of ${conflict[2]}: git keeps only one of them`,
      {
        hint: 'Fold or remove the first (`gza fsck --clean`), or use another branch name.',
        data: { inTheWay: conflict[1], ref: conflict[2] },
      },
    );
  }
  if (/Read-only file system|Permission denied/.test(stderr)) {
    throw new GzaError('world', `nothing was recorded: ${repository.commonDir} cannot be written`, {
      hint: 'Reading works; to record something, make the repository writable for you.',
      cause: stderr,
    });
  }
  throw unreadableRepository(result.stderr) ?? gitFailure(args, result);
}

/** Whether the history of a ref contains a commit. It shows who won after an unclear answer. */
export async function holds(git: Git, ref: string, commit: string): Promise<boolean> {
  const result = await git.run(['merge-base', '--is-ancestor', commit, ref]);
  return result.code === 0;
}

/**
 * Moves refs that are files of their own as git does: takes every lock, compares every value, renames.
 * Starting git would take a fifth of the time of `gza add`. Handles only the plain case: one ledger that
 * exists and moves on. Everything else (two that must move together even if this process is killed, one to
 * create or delete, a link, a packed ref, a held lock, a reflog) is left to git, with nothing changed. Null:
 * use git.
 */
export function moveRefFiles(
  { commonDir, objectsDir, unusualRefs }: Pick<Repository, 'commonDir' | 'objectsDir' | 'unusualRefs'>,
  moves: readonly RefMove[],
): Moved | null {
  const ledgers = moves.filter(({ ref }) => !ref.startsWith(localMirror));
  if (unusualRefs || moves.length > 2 || ledgers.length !== 1 || !moves.every(isPlain)) return null;
  const locked: string[] = [];
  let renamed = 0;
  try {
    for (const { ref, from, to } of moves) {
      if (existsSync(join(commonDir, 'logs', ref))) return null;
      const path = join(commonDir, ref);
      const lock = openSync(`${path}.lock`, 'wx');
      locked.push(path);
      writeAndClose(lock, `${to}\n`);
      const found = valueOf(path);
      if (found !== from) return found === null ? null : 'lost';
    }
    // A concurrent `git gc --prune=now` may have removed the object, and git refuses a ref to a missing one.
    if (!moves.every(({ to }) => isLoose(objectsDir, to as string))) return null;
    for (const path of locked) {
      renameSync(`${path}.lock`, path);
      renamed += 1;
    }
    rememberTips(commonDir, moves);
    return 'moved';
  } catch {
    return renamed > 0 ? 'unclear' : null;
  } finally {
    for (const path of locked.slice(renamed)) rmSync(`${path}.lock`, { force: true });
  }
}

/** git keeps reflogs of branches, of remote branches and of notes, and only git knows how. */
function isPlain({ ref, to, from }: RefMove): boolean {
  const isLogged = /^refs\/(heads|remotes|notes)\//.test(ref);
  return to !== null && from !== null && !isLogged && /^refs\/[!-~]+$/.test(ref);
}

function isLoose(objectsDir: string, oid: string): boolean {
  return existsSync(join(objectsDir, oid.slice(0, 2), oid.slice(2)));
}

/** On a full disk the lock can be created but not written, so the file is closed in any case. */
function writeAndClose(file: number, text: string): void {
  try {
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}

function valueOf(path: string): string | null {
  if (!lstatSync(path).isFile()) return null;
  const text = readFileSync(path, 'latin1');
  return /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.test(text) ? text.trimEnd() : null;
}

/**
 * `<git dir>/gza/tips` records which ledgers this repository has held, so that one whose refs are lost (a
 * deletion, an emptied packed-refs file) is noticed. It has one line per move and is only appended to: a
 * crash can tear no more than its own line, and concurrent writers need no lock.
 */

export interface KnownTip {
  readonly oid: string;
  /** When it was recorded. */
  readonly at: string;
}

/** The file is compacted when it is larger than this, and than three times its size after the last time. */
const compactBytes = 16 << 10;
/** gza never writes a file of this size. */
const bytesMax = 32 << 20;
const staleMs = 60_000;
const lineShape = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) ([0-9a-f]{40}|[0-9a-f]{64}|-) (\S+) \.$/;

/** branch → the last known commit of its ledger, without ledgers that were removed on purpose. */
export function readTips(commonDir: string): Map<string, KnownTip> {
  const path = pathOf(commonDir);
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size === 0 || size > bytesMax) return new Map();
  try {
    return parseTips(readFileSync(path, 'utf8'));
  } catch {
    return new Map();
  }
}

/** Best effort: the move counts, even if it cannot be recorded here. */
export function rememberTips(commonDir: string, moves: readonly RefMove[]): void {
  const at = printTime(Date.now());
  // A ledger's mirror moves with it, and is the same for every namespace.
  const lines = moves
    .filter(({ ref }) => ref.startsWith(localMirror))
    .map(({ ref, to }) => printLine(ref.slice(localMirror.length), at, to ?? '-'));
  if (lines.length === 0) return;
  // The line break ends a line that was torn before, so that it does not spoil this one.
  const text = `\n${lines.join('')}`;
  try {
    append(commonDir, text);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') return;
    try {
      mkdirSync(join(commonDir, 'gza'), { recursive: true });
      append(commonDir, text);
    } catch {
      // The disk is full or read-only.
    }
  }
}

function append(commonDir: string, text: string): void {
  const path = pathOf(commonDir);
  const file = openSync(path, 'a+');
  try {
    writeFileSync(file, text);
    const { size, ino } = fstatSync(file);
    // Another process compacted the file meanwhile, and may have read it before this line was there.
    if (statSync(path, { throwIfNoEntry: false })?.ino !== ino) writeFileSync(path, text, { flag: 'a' });
    else if (size > Math.max(compactBytes, 3 * keptBytes(file))) compact(path, file);
  } finally {
    closeSync(file);
  }
}

/** One process at a time: of two at once, one would lose what was appended between them. */
function compact(path: string, file: number): void {
  const lock = `${path}.lock`;
  const held = statSync(lock, { throwIfNoEntry: false });
  if (held && Date.now() - held.mtimeMs > staleMs) rmSync(lock, { force: true });
  writeFileSync(lock, '', { flag: 'wx' });
  try {
    if (statSync(path).ino !== fstatSync(file).ino) return;
    const known = readFrom(file, 0);
    const tips = [...parseTips(known.toString('utf8'))];
    const kept = tips.map(([branch, { at, oid }]) => printLine(branch, at, oid)).join('');
    writeFileSync(`${path}.new`, `# ${kept.length}\n${kept}`);
    renameSync(`${path}.new`, path);
    // Others may have appended to the old file, because they had not seen the new one.
    const late = readFrom(file, known.length);
    if (late.length > 0) writeFileSync(path, late, { flag: 'a' });
  } finally {
    rmSync(lock, { force: true });
  }
}

/** The size of the file after it was last compacted. */
function keptBytes(file: number): number {
  return Number(/^# (\d+)\n/.exec(readFrom(file, 0, 20).toString('latin1'))?.[1] ?? 0);
}

function readFrom(file: number, start: number, max = bytesMax): Buffer {
  const bytes = Buffer.alloc(Math.min(max, Math.max(0, fstatSync(file).size - start)));
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
}

/** The dot at the end shows that the line is complete. */
function printLine(branch: string, at: string, oid: string): string {
  return `${at} ${oid} ${branch} .\n`;
}

/** Compaction may append older lines behind newer ones. If the clock was set back, no line counts as late. */
function isLate(at: string, known: KnownTip | undefined): boolean {
  return known !== undefined && at < known.at && Date.parse(known.at) - Date.parse(at) < staleMs;
}

function parseTips(text: string): Map<string, KnownTip> {
  const tips = new Map<string, KnownTip>();
  for (const line of text.split('\n')) {
    const [, at = '', oid = '', branch = ''] = lineShape.exec(line) ?? [];
    if (branch !== '' && !isLate(at, tips.get(branch))) tips.set(branch, { at, oid });
  }
  return new Map([...tips].filter(([, { oid }]) => oid !== '-'));
}

function pathOf(commonDir: string): string {
  return join(commonDir, 'gza', 'tips');
}

export const localMirror = 'refs/gza/local/';
export const backups = 'refs/gza/backup/';

/** All refs that a view needs, read at once. */
export interface Refs {
  /** branch → commit, in the order of names. */
  readonly tips: ReadonlyMap<string, string>;
  /** The commit that gza itself last wrote for each branch. */
  readonly mirrors: ReadonlyMap<string, string>;
  readonly base: string;
  /** Full names of ledger refs and mirrors whose file is damaged; git neither reads nor writes them. */
  readonly broken: readonly string[];
  /** True if the base is only a guess: neither configured, nor known from the remote or by custom. */
  readonly guessed: boolean;
}

export async function readRefs(repository: Repository, namespace: string, base?: string): Promise<Refs> {
  const folders = [namespace, localMirror.slice(0, -1)];
  const names = ['refs/remotes/origin/HEAD', 'refs/heads/main', 'refs/heads/master'];
  const rows = await listRefs(repository, [...folders, ...names], { withBroken: true });
  const tips = new Map<string, string>();
  const mirrors = new Map<string, string>();
  const broken: string[] = [];
  let originHead: string | undefined;
  const heads = new Set<string>();
  for (const { ref, oid, target } of rows) {
    if (oid === '' && target === '') {
      if (folders.some((folder) => ref.startsWith(`${folder}/`))) broken.push(ref);
    } else if (ref.startsWith(`${namespace}/`)) tips.set(ref.slice(namespace.length + 1), oid);
    else if (ref.startsWith(localMirror)) mirrors.set(ref.slice(localMirror.length), oid);
    else if (ref === 'refs/remotes/origin/HEAD') originHead = target.replace(/^refs\/remotes\/origin\//, '');
    else heads.add(ref.replace('refs/heads/', ''));
  }
  const custom = heads.has('main') ? 'main' : heads.has('master') ? 'master' : undefined;
  const known = base ?? (originHead || undefined) ?? custom;
  const guess = repository.head.branch ?? 'main';
  return { tips, mirrors, broken, base: known ?? guess, guessed: known === undefined };
}

/** A name that git accepts for a branch. Stricter than git if a name could be mistaken for something else. */
export function isBranchName(name: string): boolean {
  if (name.length === 0 || Buffer.byteLength(name) > 240 || name.startsWith('-') || name === 'HEAD')
    return false;
  if (/[\p{Cc}\u2028\u2029 ~^:?*[\\]|\.\.|@\{|\/\/|\.$|^\/|\/$/u.test(name) || name === '@') return false;
  return name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock') && part !== '');
}

/** The existing ref that blocks a name: `a` and `a/b` cannot both exist. */
export function refInTheWay(name: string, existing: Iterable<string>): string | null {
  for (const other of existing) {
    if (other !== name && (other.startsWith(`${name}/`) || name.startsWith(`${other}/`))) return other;
  }
  return null;
}

/** `state_ref` → the folder of refs in which ledgers live. */
export function namespaceOf(stateRef = 'refs/tasks'): string {
  return stateRef.replace(/\/+$/, '');
}
