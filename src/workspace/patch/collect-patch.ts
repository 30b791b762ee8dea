import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { patchLimits } from '../../core/guard/patch.ts';
import { gitFailure, openGit } from '../../git/git.ts';
import { readPlainFile } from '../../system/plain-file.ts';
import { copyIndex, inClone, type SharedClone } from '../shared-clone.ts';
import { type CollectLimits, collectLimits, type ListedChanges, listChanges } from './list-changes.ts';

const diffIndex = [
  'diff-index',
  '--cached',
  '-p',
  '--binary',
  '--full-index',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--unified=3',
];

export type CollectedPatch = Pick<ListedChanges, 'skipped' | 'skippedCount'> &
  (
    | { readonly kind: 'empty'; readonly subjects: readonly string[] }
    /** Against the tree that the agent was shown. */
    | { readonly kind: 'patch'; readonly patch: Buffer; readonly subjects: readonly string[] }
    | { readonly kind: 'too-large'; readonly why: string }
  );

export interface CollectOptions {
  readonly limits?: CollectLimits;
  readonly filesMax?: number;
  readonly patchBytesMax?: number;
}

/**
 * What an agent left, as one patch. Only the files count: its commits, branches, index and configuration are not
 * asked, so rewriting them changes nothing. May be called while the agent still runs (to save before a deadline).
 */
export async function collectPatch(
  clone: SharedClone,
  options: CollectOptions = {},
): Promise<CollectedPatch> {
  const {
    limits = collectLimits,
    filesMax = patchLimits.filesMax,
    patchBytesMax = patchLimits.patchBytesMax,
  } = options;
  const { written, deleted, ...left } = await listChanges(clone, limits);
  const files = written.length + deleted.length;
  if (files > filesMax)
    return { kind: 'too-large', why: `${files} changed files; the limit is ${filesMax}`, ...left };
  const subjects = await agentCommitSubjects(clone);
  if (files === 0) return { kind: 'empty', ...left, subjects };
  const index = await stage(clone, written, deleted);
  const result = await inClone(clone, [...diffIndex, clone.record.shown ?? clone.record.start], 'index', {
    index,
    outputBytesMax: patchBytesMax,
    mayFail: true,
  });
  if (result.code === -1) return { kind: 'too-large', why: result.stderr, ...left };
  if (result.code !== 0) throw gitFailure(diffIndex, result);
  if (result.stdout.length === 0) return { kind: 'empty', ...left, subjects };
  return { kind: 'patch', patch: result.stdout, ...left, subjects };
}

/** In a copy of the index: the original goes on saying what differs from the start, until the clone is removed. */
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
  // Apart and first: a deleted file's folder may be a link or a file by now.
  if (deleted.length > 0) await update(['--force-remove'], deleted);
  // --remove: a file may go while this runs.
  if (written.length > 0) await update(['--add', '--remove', '--replace'], written);
  return index;
}

const subjectsMax = 50;
const fileBytesMax = 1 << 20;

/**
 * Subjects of the commits that the agent made for itself, newest first: only words for the message of gza's own
 * commit, so any doubt ends in none. The agent's git folder is read as files; git only gets its objects, as one
 * more place to look, never its configuration or refs.
 */
async function agentCommitSubjects(clone: SharedClone): Promise<string[]> {
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

/** Not a link or a pipe that would lead or hold us elsewhere. */
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
