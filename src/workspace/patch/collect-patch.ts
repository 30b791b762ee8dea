import { constants, type Stats } from 'node:fs';
import { access, lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { GzaError } from '../../core/errors.ts';
import { type PatchLimits, patchLimits } from '../../core/guard/parse-patch.ts';
import { whyUnsafePath } from '../../core/guard/paths.ts';
import { gitFailure, openGit } from '../../git/git.ts';
import { readPlainFile } from '../../system/outside.ts';
import { sealGitFolder } from '../clone-folder.ts';
import { copyIndex, inClone, type SharedClone } from '../shared-clone.ts';
import { plainDiff } from './lane-diff.ts';

const diffIndex = ['diff-index', '--cached', '-p', '--binary', '--unified=3', ...plainDiff];

export type CollectedPatch = Pick<ListedChanges, 'skipped' | 'skippedCount'> &
  (
    | { readonly kind: 'empty' }
    /** The changes since the tree that the agent was given. */
    | { readonly kind: 'patch'; readonly patch: Buffer }
    | { readonly kind: 'too-large'; readonly why: string }
  );

/**
 * Collects what an agent left as one patch. Only its files count: its commits, branches, index and
 * configuration are ignored, so rewriting them has no effect. It may run while the agent still does, to
 * save work before a deadline.
 */
export async function collectPatch(
  clone: SharedClone,
  { fileBytesMax, filesMax, patchBytesMax }: PatchLimits = patchLimits,
): Promise<CollectedPatch> {
  const { written, deleted, ...left } = await listChanges(clone, fileBytesMax);
  const files = written.length + deleted.length;
  if (files === 0) return { kind: 'empty', ...left };
  if (files > filesMax)
    return { kind: 'too-large', why: `${files} changed files; the limit is ${filesMax}`, ...left };
  const index = await stage(clone, written, deleted);
  const result = await inClone(clone, [...diffIndex, clone.record.shown ?? clone.record.start], 'index', {
    index,
    outputBytesMax: patchBytesMax,
    mayFail: true,
  });
  if (result.code === -1) return { kind: 'too-large', why: result.stderr, ...left };
  if (result.code !== 0) throw gitFailure(diffIndex, result);
  if (result.stdout.length === 0) return { kind: 'empty', ...left };
  return { kind: 'patch', patch: result.stdout, ...left };
}

/** Stages in a copy of the index, so that the original still shows what changed since the start. */
async function stage(
  clone: SharedClone,
  written: readonly string[],
  deleted: readonly string[],
): Promise<string> {
  const index = path.join(clone.gitDir, 'index.collected');
  await copyIndex(path.join(clone.gitDir, 'index'), index);
  const update = (args: readonly string[], files: readonly string[]) =>
    inClone(clone, ['update-index', '-z', ...args, '--stdin'], 'work-tree', {
      index,
      stdin: files.map((file) => `${file}\0`).join(''),
    });
  // Deletions go first, in a separate call, because the folder of a deleted file may now be a link or a file.
  if (deleted.length > 0) await update(['--force-remove'], deleted);
  // `--remove`, because a file may disappear while this runs.
  if (written.length > 0) await update(['--add', '--remove', '--replace'], written);
  return index;
}

/** A file of the work tree that will not be in the patch. */
interface Skipped {
  readonly path: string;
  readonly why: SkipReason;
}

type SkipReason =
  | 'ignored'
  | 'oversized'
  | 'unsafe-path'
  | 'nested-repository'
  | 'submodule'
  | 'special-file'
  | 'unreadable';

interface ListedChanges {
  readonly written: readonly string[];
  readonly deleted: readonly string[];
  /** Ignored files come last, because people care more about the others; cut at a limit. */
  readonly skipped: readonly Skipped[];
  /** The total number before the cut. */
  readonly skippedCount: number;
}

const skippedMax = 200;
const statusBytesMax = 64 << 20;
/** How many files are checked one by one. The caller refuses more than that as a whole. */
const checkedMax = 20_000;

/** Lists what changed since gza's own index, in one git process; more when ignore rules have changed. */
export async function listChanges(
  clone: SharedClone,
  fileBytesMax = patchLimits.fileBytesMax,
): Promise<ListedChanges> {
  await checkTree(clone);
  await sealGitFolder(clone.gitDir, clone.repository);
  const args = [
    '--porcelain=v1',
    '-z',
    '-uall',
    '--ignored=matching',
    '--ignore-submodules=all',
    '--no-renames',
  ];
  const result = await unlessHeld(clone.treeDir, (signal) =>
    inClone(clone, ['status', ...args], 'work-tree', { outputBytesMax: statusBytesMax, signal }),
  );
  const entries = result.stdout
    .toString('utf8')
    .split('\0')
    .filter((entry) => entry !== '');
  const skipped: Skipped[] = [];
  const deleted: string[] = [];
  let written: string[] = [];
  for (const entry of entries) {
    const file = entry.slice(3);
    if (entry.startsWith('!!')) skipped.push({ path: file, why: 'ignored' });
    else if (entry[1] === 'D') deleted.push(file);
    else if (entry[1] !== ' ') written.push(file);
  }
  skipped.push(...(await filledSubmodules(clone)));
  written = await withoutIgnored(clone, written, deleted, skipped);
  const kept = await withoutUnfit(clone, written, skipped, fileBytesMax);
  const ordered = [
    ...skipped.filter(({ why }) => why !== 'ignored'),
    ...skipped.filter(({ why }) => why === 'ignored'),
  ];
  return {
    written: kept,
    deleted,
    skipped: ordered.slice(0, skippedMax),
    skippedCount: skipped.length,
  };
}

async function filledSubmodules({ treeDir, record }: SharedClone): Promise<Skipped[]> {
  const found: Skipped[] = [];
  for (const folder of record.submodules) {
    const names = await readdir(path.join(treeDir, folder)).catch(() => []);
    if (names.length > 0) found.push({ path: `${folder}/`, why: 'submodule' });
  }
  return found;
}

/** If the tree were replaced by a link, everything behind it would count as the agent's work. */
async function checkTree({ treeDir }: SharedClone): Promise<void> {
  const stats = await lstat(treeDir).catch(() => null);
  if (stats?.isDirectory()) return;
  throw new GzaError(
    'world',
    `${treeDir} is no folder any more: whoever worked in it replaced or removed it`,
    {
      hint: 'Nothing of this step can be saved. Remove the folder above it by hand.',
    },
  );
}

async function withoutUnfit(
  clone: SharedClone,
  files: readonly string[],
  skipped: Skipped[],
  fileBytesMax: number,
): Promise<string[]> {
  const kept: string[] = [];
  for (const file of files.slice(0, checkedMax)) {
    const why = await whyUnfit(clone, file, fileBytesMax);
    if (why) skipped.push({ path: file, why });
    else kept.push(file);
  }
  return [...kept, ...files.slice(checkedMax)];
}

async function whyUnfit(clone: SharedClone, file: string, fileBytesMax: number): Promise<SkipReason | null> {
  // git lists a nested repository as a folder.
  if (file.endsWith('/')) return 'nested-repository';
  if (whyUnsafePath(file)) return 'unsafe-path';
  const full = path.join(clone.treeDir, file);
  const stats: Stats | null = await lstat(full).catch(() => null);
  if (!stats) return 'unreadable';
  if (stats.isDirectory()) return 'nested-repository';
  if (stats.isSymbolicLink()) return null;
  if (!stats.isFile()) return 'special-file';
  if (stats.size > fileBytesMax) return 'oversized';
  const isReadable = await access(full, constants.R_OK).then(
    () => true,
    () => false,
  );
  return isReadable ? null : 'unreadable';
}

/**
 * Leaves out files that were ignored when the step began, even if the agent removed the rule, because
 * ignored files often hold secrets and build results.
 */
async function withoutIgnored(
  clone: SharedClone,
  written: readonly string[],
  deleted: readonly string[],
  skipped: Skipped[],
): Promise<string[]> {
  const isRules = (file: string) => path.posix.basename(file) === '.gitignore';
  if (![...written, ...deleted].some(isRules)) return [...written];
  const rules = await mkdtemp(path.join(clone.dir, 'rules-'));
  try {
    await checkOutRules({ ...clone, treeDir: rules });
    const stdin = written.map((file) => `${file.replace(/\/$/, '')}\0`).join('');
    const args = ['check-ignore', '--no-index', '-z', '--stdin'];
    const result = await inClone({ ...clone, treeDir: rules }, args, 'work-tree', { stdin, mayFail: true });
    const ignored = new Set(result.stdout.toString('utf8').split('\0'));
    const tracked = await trackedAmong(clone, ignored);
    return written.filter((file) => {
      if (!ignored.has(file.replace(/\/$/, '')) || tracked.has(file)) return true;
      skipped.push({ path: file, why: 'ignored' });
      return false;
    });
  } finally {
    await rm(rules, { recursive: true, force: true });
  }
}

async function checkOutRules(clone: SharedClone): Promise<void> {
  const files = await inClone(clone, ['ls-files', '-z', '--', ':(glob)**/.gitignore'], 'index');
  await mkdir(clone.treeDir, { recursive: true });
  await inClone(clone, ['checkout-index', '-z', '--stdin', '--quiet'], 'work-tree', { stdin: files.stdout });
}

/** A tracked file is not ignored, even if a rule matches it. */
async function trackedAmong(clone: SharedClone, files: ReadonlySet<string>): Promise<Set<string>> {
  if (files.size === 0) return new Set();
  const listed = await inClone(clone, ['ls-files', '-z'], 'index');
  return new Set(
    listed.stdout
      .toString('utf8')
      .split('\0')
      .filter((file) => files.has(file)),
  );
}

const rules: ReadonlySet<string> = new Set(['.gitignore', '.gitattributes', '.gitmodules']);
const rulesBytesMax = 5 << 20;
const patienceMs = 1000;
const foldersMax = 200_000;

/**
 * git reads rule files in a work tree, and would wait forever if one of them is a pipe. So when git is
 * slow, this looks for such a file and stops git if it finds one.
 */
async function unlessHeld<T>(treeDir: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const done = new AbortController();
  const look = async () => {
    const odd = await oddRules(treeDir, done.signal);
    if (odd !== null) stop.abort(odd);
  };
  const timer = setTimeout(() => void look(), patienceMs);
  try {
    return await run(stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new GzaError('world', `git cannot read ${treeDir}: ${String(stop.signal.reason)}`);
  } finally {
    clearTimeout(timer);
    done.abort();
  }
}

async function oddRules(treeDir: string, signal: AbortSignal): Promise<string | null> {
  const folders = [''];
  for (let count = 0; count < foldersMax && !signal.aborted; count += 1) {
    const folder = folders.pop();
    if (folder === undefined) return null;
    const entries = await readdir(path.join(treeDir, folder), { withFileTypes: true }).catch(() => []);
    for (const { name } of entries.filter((entry) => rules.has(entry.name))) {
      const file = path.join(folder, name);
      const stats = await lstat(path.join(treeDir, file)).catch(() => null);
      if (stats?.isFile() && stats.size > rulesBytesMax) return `${file} has ${stats.size} bytes`;
      if (stats && !stats.isFile() && !stats.isSymbolicLink() && !stats.isDirectory())
        return `${file} is no plain file`;
    }
    for (const entry of entries) if (entry.isDirectory()) folders.push(path.join(folder, entry.name));
  }
  return null;
}

const subjectsMax = 50;
const fileBytesMax = 1 << 20;

/**
 * Subjects of the commits that the agent made itself, newest first. They are only words for the message of
 * gza's commit, so any doubt gives an empty list. The agent's git folder is read as plain files. git uses
 * only its objects, never its configuration or refs.
 */
export async function agentCommitSubjects(clone: SharedClone): Promise<string[]> {
  const head = await readHead(path.join(clone.treeDir, '.git'));
  if (head === null || head === clone.record.start) return [];
  const git = openGit(clone.dir, { isolated: true });
  const result = await git.run(
    [
      '-c',
      'core.bare=true',
      '-c',
      'core.commitGraph=false',
      'log',
      '--no-show-signature',
      '--no-mailmap',
      '--format=%s',
      `--max-count=${subjectsMax}`,
      head,
      '--not',
      clone.record.start,
    ],
    {
      env: {
        GIT_DIR: clone.gitDir,
        GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(path.join(clone.treeDir, '.git/objects')),
      },
      timeoutMs: 10_000,
      outputBytesMax: 1 << 20,
    },
  );
  if (result.code !== 0) return [];
  return result.stdout
    .toString('utf8')
    .split('\n')
    .map((line) => line.slice(0, 500))
    .filter((line) => line.trim() !== '');
}

async function readHead(gitDir: string): Promise<string | null> {
  const head = await readSmallFile(gitDir, 'HEAD');
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(head)) return head;
  const ref = /^ref: (refs\/heads\/[\w./-]{1,250})$/.exec(head)?.[1];
  if (ref === undefined || ref.split('/').includes('..')) return null;
  const loose = await readSmallFile(gitDir, ref);
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(loose)) return loose;
  const packed = (await readSmallFile(gitDir, 'packed-refs'))
    .split('\n')
    .find((line) => line.endsWith(` ${ref}`));
  return /^([0-9a-f]{40}|[0-9a-f]{64}) /.exec(packed ?? '')?.[1] ?? null;
}

/** Reads a file without following links or waiting for a pipe. */
async function readSmallFile(gitDir: string, name: string): Promise<string> {
  let at = gitDir;
  for (const part of name.split('/')) {
    const isFolder = await lstat(at).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (!isFolder) return '';
    at = path.join(at, part);
  }
  const found = await readPlainFile(at, fileBytesMax).catch(() => null);
  return found?.toString('utf8').trim() ?? '';
}
