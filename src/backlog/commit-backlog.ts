/** The backlog in a commit: for bare repositories and CI, where only what was merged counts. */

import { GzaError, isGzaError } from '../core/errors.ts';
import type { Problem } from '../core/yaml/problem.ts';
import { type Git, gitFailure } from '../git/git.ts';
import type { ObjectReader } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { type Cache, noCache } from '../system/cache.ts';
import {
  type Backlog,
  type BacklogRead,
  backlogBytesMax,
  backlogFilesMax,
  backlogRead,
  definitionOf,
  fileBytesMax,
  fileProblem,
  isTaskFile,
  type ListedFile,
  type Listing,
  type Loaded,
  linkProblem,
  misnamedConfig,
  readBacklog,
  tasksFolder,
} from './backlog.ts';
import { hashAt, knownSnapshot, printSnapshot, type Snapshot, snapshotKey } from './snapshot.ts';

export interface CommitBacklogOptions {
  readonly repository: Repository;
  /** The id of a commit, or another name of it. */
  readonly commit: string;
  readonly cache?: Cache;
}

const cacheName = 'backlog-commit';
const configFiles = ['gza.yaml', '.project-config.json'];
const noStamp = { size: 0, mtime: 0, ctime: 0, ino: 0 };

export function commitBacklog({ repository, commit, cache = noCache }: CommitBacklogOptions): Backlog {
  const { git, objects: reader } = repository;
  let last: BacklogRead | undefined;
  const read = async (whole: boolean): Promise<BacklogRead> => {
    const key = snapshotKey('commit');
    const known = whole ? null : knownSnapshot(cache, cacheName, key);
    const tree = await listCommit(git, commit, known);
    const isSame = known !== null && tree.files.length === known.files.path.length;
    if (known && isSame && tree.files.every((file) => file.known !== undefined))
      return backlogRead(known, tree);
    const load = (files: readonly ListedFile[]) => loadBlobs(reader, files, tree.blobs);
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
      for await (const { content } of loadBlobs(reader, [{ path: known.file, stamp: noStamp }], blobs)) {
        const bytes = content();
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

/** Snapshots hold 40 characters, and the first 40 of an SHA-256 id are unique enough. */
function hashOf(id: string): string {
  return id.slice(0, 40);
}

const atOnce = 16;

async function* loadBlobs(
  reader: ObjectReader,
  files: readonly ListedFile[],
  blobs: ReadonlyMap<string, string>,
): AsyncGenerator<Loaded> {
  const wanted = files.flatMap(({ path }) => (blobs.has(path) ? [{ path, id: blobs.get(path)! }] : []));
  let total = 0;
  for (let start = 0; start < wanted.length; start += atOnce) {
    const some = wanted.slice(start, start + atOnce);
    const contents = await Promise.all(
      some.map(async ({ path, id }) =>
        total > backlogBytesMax ? tooMuch(path) : contentOf(reader, path, id),
      ),
    );
    for (const [n, { path, id }] of some.entries()) {
      const content = contents[n]!;
      total += Buffer.isBuffer(content) ? content.length : 0;
      const kept = total > backlogBytesMax ? tooMuch(path) : content;
      yield { path, hash: hashOf(id), content: () => kept };
    }
  }
}

async function contentOf(reader: ObjectReader, path: string, id: string): Promise<Buffer | Problem> {
  const tooLarge = () =>
    fileProblem(path, 'is larger than 10 MB', 'at most 10 MB; split it into several files');
  try {
    const object = await reader.read(id);
    if (object) return object.data.length > fileBytesMax ? tooLarge() : object.data;
  } catch (error) {
    if (isGzaError(error) && error.data['bytes'] !== undefined) return tooLarge();
    throw error;
  }
  throw new GzaError('world', `git cannot give the content of ${path} (${id})`, {
    hint: 'The repository may be a partial clone or damaged: run git fsck.',
  });
}

function tooMuch(path: string): Problem {
  const most = `at most ${backlogBytesMax >> 20} MB`;
  return fileProblem(path, 'was not read: the tasks together are too large', most);
}
