/** The backlog as a commit holds it: for bare repositories and CI, where only what was merged counts. */

import { GzaError } from '../core/errors.ts';
import type { Problem } from '../core/yaml/problem.ts';
import { type Git, gitFailure } from '../git/git.ts';
import { type Cache, noCache } from '../system/cache.ts';
import {
  type Backlog,
  type BacklogRead,
  backlogBytesMax,
  backlogFilesMax,
  fileBytesMax,
  fileProblem,
  isTaskFile,
  linkProblem,
  misnamedConfig,
  tasksFolder,
} from './backlog.ts';
import { knownSnapshot } from './known-snapshot.ts';
import { backlogRead, type ListedFile, type Listing, type Loaded, readBacklog } from './read-backlog.ts';
import { hashAt, printSnapshot, type Snapshot } from './snapshot.ts';
import { snapshotKey } from './snapshot-key.ts';

export interface CommitBacklogOptions {
  readonly git: Git;
  /** A commit, or a name of one. */
  readonly commit: string;
  readonly cache?: Cache;
}

const cacheName = 'backlog-commit';
const configFiles = ['gza.yaml', '.project-config.json'];
const noStamp = { size: 0, mtime: 0, ctime: 0, ino: 0 };

export function commitBacklog({ git, commit, cache = noCache }: CommitBacklogOptions): Backlog {
  let last: BacklogRead | undefined;
  const read = async (whole: boolean): Promise<BacklogRead> => {
    const key = snapshotKey('commit');
    const known = whole ? null : knownSnapshot(cache, cacheName, key);
    const tree = await listCommit(git, commit, known);
    const isSame = known !== null && tree.files.length === known.files.path.length;
    if (known && isSame && tree.files.every((file) => file.known !== undefined))
      return backlogRead(known, tree);
    const load = (files: readonly ListedFile[]) => loadBlobs(git, files, tree.blobs);
    const snapshot = await readBacklog(tree, known, load, { at: 0, whole });
    if (!whole) cache.put(cacheName, key, printSnapshot(snapshot));
    return backlogRead(snapshot, tree);
  };
  return {
    async read({ whole = false } = {}) {
      const result = await read(whole);
      if (!whole) last = result;
      return result;
    },
    async definition(id) {
      last ??= await read(false);
      const known = last.tasks.find(({ task }) => task.id === id);
      if (!known) return null;
      const { blobs } = await listCommit(git, commit, null, known.file);
      for await (const { content } of loadBlobs(git, [{ path: known.file, stamp: noStamp }], blobs)) {
        const bytes = content();
        const { definitionOf } = await import('./lazy-backlog.ts');
        return Buffer.isBuffer(bytes) ? definitionOf(known, bytes) : null;
      }
      return null;
    },
  };
}

interface CommitListing extends Listing {
  /** path → id of its content */
  readonly blobs: ReadonlyMap<string, string>;
}

async function listCommit(
  git: Git,
  commit: string,
  known: Snapshot | null,
  only?: string,
): Promise<CommitListing> {
  const paths = only ? [only] : [...configFiles, 'gza.yml', tasksFolder];
  const args = ['--literal-pathspecs', 'ls-tree', '-r', '-z', '--full-tree', commit, '--', ...paths];
  const result = await git.run(args);
  if (result.code !== 0) {
    const failure = gitFailure(args, result);
    throw new GzaError('input', `The tasks of ${commit} cannot be read: ${failure.message}`, {
      cause: failure,
    });
  }
  const files: ListedFile[] = [];
  const problems: Problem[] = [];
  const blobs = new Map<string, string>();
  const index = new Map((known?.files.path ?? []).map((path, at) => [path, at]));
  for (const line of result.stdout.toString('utf8').split('\0')) {
    const tab = line.indexOf('\t');
    if (tab < 0) continue;
    const [mode, , id] = line.slice(0, tab).split(' ') as [string, string, string];
    const path = line.slice(tab + 1);
    if (path === 'gza.yml') problems.push(misnamedConfig());
    const problem = mode === '120000' ? linkProblem(path) : mode === '160000' ? submodule(path) : null;
    if (problem) problems.push(problem);
    if (!mode.startsWith('100') || !(configFiles.includes(path) || isTaskFile(path))) continue;
    if (files.length >= backlogFilesMax) break;
    const at = index.get(path);
    blobs.set(path, id);
    const isKnown = known !== null && at !== undefined && hashAt(known.files, at) === hashOf(id);
    files.push(isKnown ? { path, stamp: noStamp, known: at } : { path, stamp: noStamp });
  }
  if (files.length >= backlogFilesMax) {
    problems.push(
      fileProblem(tasksFolder, 'holds too much; the rest was not read', `at most ${backlogFilesMax} files`),
    );
  }
  return { files, problems, blobs };
}

function submodule(path: string): Problem | null {
  return path.startsWith(`${tasksFolder}/`)
    ? fileProblem(path, 'is a repository of its own and was not read', 'task files of this one')
    : null;
}

/** Snapshots hold 40 characters; an SHA-256 id is as unique in its first 40. */
function hashOf(id: string): string {
  return id.slice(0, 40);
}

async function* loadBlobs(
  git: Git,
  files: readonly ListedFile[],
  blobs: ReadonlyMap<string, string>,
): AsyncGenerator<Loaded> {
  const wanted = files.flatMap(({ path }) => (blobs.has(path) ? [{ path, id: blobs.get(path)! }] : []));
  if (wanted.length === 0) return;
  const ids = `${wanted.map(({ id }) => id).join('\n')}\n`;
  const sizes = (await git.text(['cat-file', '--batch-check=%(objectsize)'], { stdin: ids }))
    .split('\n')
    .map(Number);
  let batch: { path: string; id: string }[] = [];
  let bytes = 0;
  let total = 0;
  for (const [at, one] of wanted.entries()) {
    const size = sizes[at] ?? 0;
    total += size;
    const refusal = refusalOf(one.path, size, total);
    if (refusal) {
      yield { path: one.path, hash: hashOf(one.id), content: () => refusal };
      continue;
    }
    batch.push(one);
    bytes += size;
    if (bytes < 32 << 20) continue;
    yield* loadBatch(git, batch);
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield* loadBatch(git, batch);
}

function refusalOf(path: string, size: number, total: number): Problem | null {
  if (size > fileBytesMax)
    return fileProblem(path, 'is larger than 10 MB', 'at most 10 MB; split it into several files');
  if (total <= backlogBytesMax) return null;
  return fileProblem(
    path,
    'was not read: the tasks together are too large',
    `at most ${backlogBytesMax >> 20} MB`,
  );
}

async function* loadBatch(git: Git, batch: readonly { path: string; id: string }[]): AsyncGenerator<Loaded> {
  const args = ['cat-file', '--batch'];
  const result = await git.run(args, { stdin: `${batch.map(({ id }) => id).join('\n')}\n` });
  if (result.code !== 0) throw gitFailure(args, result);
  let at = 0;
  for (const { path, id } of batch) {
    const end = result.stdout.indexOf(10, at);
    const size = Number(result.stdout.toString('latin1', at, end).split(' ')[2]);
    if (end < 0 || !Number.isInteger(size)) {
      throw new GzaError('world', `git cannot give the content of ${path} (${id})`, {
        hint: 'The repository may be a partial clone or damaged: run git fsck.',
      });
    }
    const bytes = result.stdout.subarray(end + 1, end + 1 + size);
    yield { path, hash: hashOf(id), content: () => bytes };
    at = end + 1 + size + 1;
  }
}
