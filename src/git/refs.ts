/**
 * Reads refs from their files. Starting `git for-each-ref` costs 8 ms, more than everything else in an
 * unchanged `gza ready`. Loose refs are read first, then packed-refs, because git packs in the opposite
 * order: a ref that vanishes between the two reads is found packed. Anything unusual (a link, very many refs)
 * is left to git, and a value that is read here is only a guess until a transaction confirms it.
 */
import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitFailure, unreadableRepository } from './git.ts';
import type { Repository } from './repository.ts';

interface RefRow {
  readonly ref: string;
  readonly oid: string;
  /** Set only for a symbolic ref. */
  readonly target: string;
}

type Place = Pick<Repository, 'git' | 'commonDir' | 'unusualRefs'>;

/**
 * Refs with these names and below them, sorted by name. With `withBroken`, damaged ones have no id and no
 * target.
 */
export async function listRefs(
  { git, commonDir, unusualRefs }: Place,
  patterns: readonly string[],
  { withBroken = false } = {},
): Promise<RefRow[]> {
  const rows = unusualRefs ? null : readRefFiles(commonDir, patterns);
  const oids = new Map(rows?.map(({ ref, oid }) => [ref, oid]));
  const resolved = rows?.map((row) => (row.target ? { ...row, oid: oids.get(row.target) ?? '' } : row));
  const isKnown = ({ ref, oid, target }: RefRow) =>
    oid !== '' || (withBroken && (target === '' || patterns.includes(ref)));
  return resolved?.every(isKnown) ? resolved : askGit(git, patterns, withBroken);
}

/** The id that a ref holds; null if there is no such ref. */
export async function readRef(place: Place, name: string): Promise<string | null> {
  return (await listRefs(place, [name])).find(({ ref }) => ref === name)?.oid ?? null;
}

const refsMax = 200_000;

async function askGit(
  git: Place['git'],
  patterns: readonly string[],
  withBroken: boolean,
): Promise<RefRow[]> {
  const format = '--format=%(objectname) %(refname) %(symref)';
  const args = ['for-each-ref', format, `--count=${refsMax}`, ...patterns];
  const result = await git.run(args);
  if (result.code !== 0) throw unreadableRepository(result.stderr) ?? gitFailure(args, result);
  const rows: RefRow[] = [];
  for (const line of result.stdout.toString('utf8').split('\n')) {
    const [oid = '', ref = '', target = ''] = line.split(' ');
    if (ref) rows.push({ ref, oid, target });
  }
  // git only warns about broken refs, also about others than these.
  if (!withBroken) return rows;
  for (const [, ref = ''] of result.stderr.matchAll(/^warning: ignoring broken ref (\S+)$/gm)) {
    if (patterns.some((one) => ref.startsWith(`${one}/`))) rows.push({ ref, oid: '', target: '' });
  }
  return rows;
}

const looseMax = 20_000;
const packedBytesMax = 8 << 20;

/**
 * Null if git must be asked. A file that holds neither an id nor a name (a crash leaves empty ones) gives a
 * row without both, where git would leave the ref out.
 */
function readRefFiles(commonDir: string, patterns: readonly string[]): RefRow[] | null {
  const rows = new Map<string, RefRow>();
  try {
    for (const name of patterns) readLoose(commonDir, name, rows);
    for (const folder of patterns) readFolder(commonDir, folder, rows);
    readPacked(commonDir, patterns, rows);
  } catch (error) {
    if (error instanceof Unusual || (error as NodeJS.ErrnoException).code) return null;
    throw error;
  }
  return [...rows.values()].sort((a, b) => (a.ref < b.ref ? -1 : 1));
}

class Unusual extends Error {}

function readFolder(commonDir: string, folder: string, rows: Map<string, RefRow>, depth = 0): void {
  if (depth > 30) throw new Unusual();
  for (const entry of entriesOf(join(commonDir, folder))) {
    const ref = `${folder}/${entry.name}`;
    if (isStrange(entry.name)) throw new Unusual();
    if (entry.isDirectory()) readFolder(commonDir, ref, rows, depth + 1);
    else if (!entry.isFile()) throw new Unusual();
    else if (!entry.name.endsWith('.lock')) readLoose(commonDir, ref, rows);
    if (rows.size > looseMax) throw new Unusual();
  }
}

/** Names that are not UTF-8, and on macOS all with accents, which it spells differently from git. */
function isStrange(name: string): boolean {
  return name.includes('\ufffd') || (process.platform === 'darwin' && /[^ -~]/.test(name));
}

function entriesOf(dir: string): Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch (cause) {
    if (isMissing(cause)) return [];
    throw cause;
  }
}

function readLoose(commonDir: string, ref: string, rows: Map<string, RefRow>): void {
  let text: string;
  try {
    text = readFileSync(join(commonDir, ref), 'latin1').trim();
  } catch (cause) {
    if (isMissing(cause)) return;
    throw cause;
  }
  const target = /^ref: (\S+)$/.exec(text)?.[1] ?? '';
  rows.set(ref, { ref, oid: isHash(text) ? text : '', target });
}

function readPacked(commonDir: string, patterns: readonly string[], rows: Map<string, RefRow>): void {
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(commonDir, 'packed-refs'));
  } catch (cause) {
    if (isMissing(cause)) return;
    throw cause;
  }
  if (bytes.length > packedBytesMax) throw new Unusual();
  const lines = bytes.toString('utf8').split('\n');
  if (lines.pop() !== '') throw new Unusual();
  for (const line of lines) {
    if (line.startsWith('#') || line.startsWith('^')) continue;
    const space = line.indexOf(' ');
    // git refuses a damaged packed-refs as a whole. If a line were skipped here, a ledger would seem not to
    // exist.
    if (space !== 40 && space !== 64) throw new Unusual();
    const ref = line.slice(space + 1);
    if (rows.has(ref) || !patterns.some((one) => ref === one || ref.startsWith(`${one}/`))) continue;
    const oid = line.slice(0, space);
    if (!isHash(oid)) throw new Unusual();
    rows.set(ref, { ref, oid, target: '' });
  }
}

function isHash(text: string): boolean {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

function isMissing(cause: unknown): boolean {
  const { code } = cause as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR';
}

interface BranchNow {
  readonly oid: string;
  /** The folder where it is checked out; empty if there is none. */
  readonly folder: string;
}

export async function readBranch(repository: Repository, branch: string): Promise<BranchNow | null> {
  const ref = `refs/heads/${branch}`;
  const oid = await readRef(repository, ref);
  if (oid === null || !mayBeCheckedOut(repository, ref)) return oid === null ? null : { oid, folder: '' };
  const listed = await repository.bareGit.text(['for-each-ref', '--format=%(refname) %(worktreepath)', ref]);
  const line = listed.split('\n').find((one) => one.startsWith(`${ref} `)) ?? '';
  const place = line.slice(ref.length + 1);
  // A bare repository has a HEAD too, but nobody works there.
  return { oid, folder: repository.isBare && place === repository.commonDir ? '' : place };
}

/** Whether the HEAD of some worktree names it or cannot be read: then only git knows. */
function mayBeCheckedOut({ commonDir, unusualRefs }: Repository, ref: string): boolean {
  const worktrees = join(commonDir, 'worktrees');
  const others = existsSync(worktrees) ? readdirSync(worktrees).map((name) => join(worktrees, name)) : [];
  return (
    unusualRefs ||
    [commonDir, ...others].some((folder) => {
      const head = join(folder, 'HEAD');
      if (!lstatSync(head, { throwIfNoEntry: false })?.isFile()) return true;
      const text = readFileSync(head, 'utf8').trim();
      return text === `ref: ${ref}` || !/^(ref: refs\/heads\/\S+|[0-9a-f]{40,64})$/.test(text);
    })
  );
}
