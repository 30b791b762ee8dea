/** Commits files that gza itself writes to a lane, without moving a ref. Nothing here is an agent's. */
import { GzaError } from '../../core/errors.ts';
import type { Repository } from '../../git/repository.ts';
import { type CommitOptions, withScratchIndex } from './import-patch.ts';

export interface FileToCommit {
  readonly path: string;
  readonly text: string;
}

export type FilesCommitted =
  /** Null when the files already have this content. */
  | { readonly kind: 'made'; readonly commit: string | null }
  | { readonly kind: 'blocked'; readonly why: string };

export async function commitFiles(
  repository: Repository,
  files: readonly FileToCommit[],
  options: CommitOptions,
): Promise<FilesCommitted> {
  return withScratchIndex(repository, async (index) => {
    await index.text(['read-tree', options.onto]);
    const before = await index.text(['write-tree']);
    for (const { path, text } of files) {
      const blob = await index.text(['hash-object', '-w', '--stdin'], { stdin: text });
      const added = await index.run(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`]);
      // A file or link is in the place of the folder, and git does not write through it.
      if (added.code !== 0)
        return { kind: 'blocked', why: `${path} cannot be written: something else has its place` };
    }
    const tree = await index.text(['write-tree']);
    return { kind: 'made', commit: tree === before ? null : await index.commit(tree, options) };
  });
}

/** The files of a commit. Links do not count as files. */
export interface CommitFiles {
  readonly read: (path: string) => Promise<string | null>;
  readonly exists: (path: string) => boolean;
  readonly sizes: (paths: readonly string[]) => ReadonlyMap<string, number>;
}

const filesMax = 1_000_000;

export async function filesAt(
  repository: Repository,
  commit: string,
  bytesMax: number,
): Promise<CommitFiles> {
  const listed = await repository.bareGit.text(['ls-tree', '-r', '-z', '--long', '--full-tree', commit]);
  const found = new Map<string, { readonly oid: string; readonly size: number }>();
  const folders = new Set<string>();
  for (const line of listed.split('\0', filesMax)) {
    const [head = '', path = ''] = line.split('\t', 2);
    const [mode = '', , oid = '', size = '0'] = head.split(/ +/);
    if (mode.startsWith('100')) found.set(path, { oid, size: Number(size) });
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return {
    exists: (path) => found.has(path) || folders.has(path.replace(/\/$/, '')),
    sizes: (paths) =>
      new Map(paths.flatMap((path) => (found.has(path) ? [[path, found.get(path)!.size]] : []))),
    read: async (path) => {
      const one = found.get(path);
      if (!one) return null;
      if (one.size > bytesMax)
        throw new GzaError('input', `${path} has ${one.size} bytes; ${bytesMax} is the limit`);
      const read = await repository.bareGit.run(['cat-file', 'blob', one.oid]);
      if (read.code !== 0)
        throw new GzaError('world', `git cat-file of ${path} failed: ${read.stderr.trim()}`);
      return read.stdout.toString('utf8');
    },
  };
}
