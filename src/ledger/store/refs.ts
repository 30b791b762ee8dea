/**
 * Moves refs, all or none, each only from the value it is expected to have: the one way in which anything under
 * refs/ changes, but for the plain case that moveRefFiles does without git. Commands are fed whole behind
 * `start`: if this process dies half way, git rolls back.
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
  /** Null: it must not exist. */
  readonly from: string | null;
}

/** A ledger's ref and its mirror, which move together. `from`: what they hold now. */
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

/** `lost`: a ref had another value. `busy`: a lock was held. `unclear`: git did not live to answer. */
export type Moved = 'moved' | 'lost' | 'busy' | 'unclear';

export async function moveRefs(repository: Repository, moves: readonly RefMove[]): Promise<Moved> {
  const zero = '0'.repeat(repository.objectFormat === 'sha1' ? 40 : 64);
  const lines = moves.map(({ ref, to, from }) => {
    if (/[\0\n]/.test(ref)) throw new GzaError('input', `${JSON.stringify(ref)} is no name for a ref`);
    return to === null ? `delete ${ref}\0${from ?? ''}\0` : `update ${ref}\0${to}\0${from ?? zero}\0`;
  });
  const stdin = `start\0${lines.join('')}prepare\0commit\0`;
  // `-m` so that what reaches a reflog (state_ref under refs/heads) says who did it.
  // A symbolic ref under refs/tasks must not lead a write to a branch of code.
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

/** Whether a commit is in the history of what a ref holds now: who won, when an answer was unclear. */
export async function holds(git: Git, ref: string, commit: string): Promise<boolean> {
  const result = await git.run(['merge-base', '--is-ancestor', commit, ref]);
  return result.code === 0;
}

/**
 * Moves refs that lie in files of their own as git does it: take every lock, compare every value, rename. Starting
 * git for it is a fifth of what `gza add` takes. Only the plain case, one ledger that exists and goes on: whatever
 * else there is (two that must move together even if this process is killed, one to create or to delete, a link, a
 * packed one, a held lock, a reflog) is left to git, with nothing changed. Null: git must be asked.
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
    // A `git gc --prune=now` beside this may have taken it: git refuses to name what is not there.
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

/** git keeps a reflog of branches, of what was fetched and of notes; only it knows how. */
function isPlain({ ref, to, from }: RefMove): boolean {
  const isLogged = /^refs\/(heads|remotes|notes)\//.test(ref);
  return to !== null && from !== null && !isLogged && /^refs\/[!-~]+$/.test(ref);
}

function isLoose(objectsDir: string, oid: string): boolean {
  return existsSync(join(objectsDir, oid.slice(0, 2), oid.slice(2)));
}

/** A full disk lets a file be made and not written: the lock is taken before. */
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
 * `<git dir>/gza/tips` remembers which ledgers this repository has held, so that one whose refs are lost (a
 * deletion, an emptied packed-refs file) is missed, and not taken for one that never was. One line a move, only
 * ever appended: a crash tears at most its own line, and writers beside each other need no lock.
 */

export interface KnownTip {
  readonly oid: string;
  /** When it was written there. */
  readonly at: string;
}

/** Beyond it, and beyond three times what it held then, the file is written again without what no longer counts. */
const compactBytes = 16 << 10;
/** A file of this size was not written by gza. */
const bytesMax = 32 << 20;
const staleMs = 60_000;
const lineShape = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) ([0-9a-f]{40}|[0-9a-f]{64}|-) (\S+) \.$/;

/** branch → the last commit that its ledger was seen at, without those that were taken away on purpose. */
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

/** Best effort: what was moved counts, whether or not it can be remembered here. */
export function rememberTips(commonDir: string, moves: readonly RefMove[]): void {
  const at = printTime(Date.now());
  // A ledger's mirror moves with it, whatever the namespace is called.
  const lines = moves
    .filter(({ ref }) => ref.startsWith(localMirror))
    .map(({ ref, to }) => printLine(ref.slice(localMirror.length), at, to ?? '-'));
  if (lines.length === 0) return;
  // What was torn before is ended first, so that it takes nothing with it.
  const text = `\n${lines.join('')}`;
  try {
    append(commonDir, text);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') return;
    try {
      mkdirSync(join(commonDir, 'gza'), { recursive: true });
      append(commonDir, text);
    } catch {
      // A disk that is full or read-only.
    }
  }
}

function append(commonDir: string, text: string): void {
  const path = pathOf(commonDir);
  const file = openSync(path, 'a+');
  try {
    writeFileSync(file, text);
    const { size, ino } = fstatSync(file);
    // Another process wrote the file again in between, and may have read it before this line was there.
    if (statSync(path, { throwIfNoEntry: false })?.ino !== ino) writeFileSync(path, text, { flag: 'a' });
    else if (size > Math.max(compactBytes, 3 * keptBytes(file))) compact(path, file);
  } finally {
    closeSync(file);
  }
}

/** One at a time: of two that compact at once, one would lose what was appended between them. */
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
    // Who appended to the old file meanwhile saw no other file yet.
    const late = readFrom(file, known.length);
    if (late.length > 0) writeFileSync(path, late, { flag: 'a' });
  } finally {
    rmSync(lock, { force: true });
  }
}

/** What the file held when it was last written again. */
function keptBytes(file: number): number {
  return Number(/^# (\d+)\n/.exec(readFrom(file, 0, 20).toString('latin1'))?.[1] ?? 0);
}

function readFrom(file: number, start: number, max = bytesMax): Buffer {
  const bytes = Buffer.alloc(Math.min(max, Math.max(0, fstatSync(file).size - start)));
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
}

/** The dot at its end tells that it is whole. */
function printLine(branch: string, at: string, oid: string): string {
  return `${at} ${oid} ${branch} .\n`;
}

/** What a compaction appends late may stand behind what is newer; a clock that was set back makes nothing late. */
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
  /** What gza itself last wrote there. */
  readonly mirrors: ReadonlyMap<string, string>;
  readonly base: string;
  /** Whole names of ledger refs and mirrors whose file is damaged; git neither reads nor writes them. */
  readonly broken: readonly string[];
  /** True when the base is only a guess: neither configured nor named by the remote or by custom. */
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

/** A name that git takes for a branch. Stricter than git where a name could be mistaken for something else. */
export function isBranchName(name: string): boolean {
  if (name.length === 0 || Buffer.byteLength(name) > 240 || name.startsWith('-') || name === 'HEAD')
    return false;
  if (/[\p{Cc}\u2028\u2029 ~^:?*[\\]|\.\.|@\{|\/\/|\.$|^\/|\/$/u.test(name) || name === '@') return false;
  return name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock') && part !== '');
}

/** The ref that keeps another from existing: `a` and `a/b` cannot both be. */
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
