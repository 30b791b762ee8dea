import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gitFailure, openGit } from '../../git/git.ts';
import type { Repository } from '../../git/open-repository.ts';
import type { Identity } from '../git-folder.ts';
import { writeGitFolder } from '../git-folder.ts';
import { prefetchTree } from '../prefetch-tree.ts';

export interface RebaseOptions {
  readonly onto: string;
  /** Where the lane left the branch it was on: commits after it are the lane's own. */
  readonly forkPoint: string;
  readonly head: string;
  readonly committer: Identity;
}

export type RebaseResult =
  | { readonly kind: 'rebased'; readonly commit: string }
  /** Everything in it is in `onto` already. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

/**
 * The lane's own commits on top of another commit, made in a scratch clone: a conflict leaves nothing behind and
 * touches nobody's files. Only objects are added to the repository.
 */
export async function rebaseLane(repository: Repository, options: RebaseOptions): Promise<RebaseResult> {
  await prefetchTree(repository, options.onto);
  await prefetchTree(repository, options.head);
  const dir = await mkdtemp(path.join(tmpdir(), 'gza-rebase-'));
  try {
    return await rebaseIn(dir, repository, options);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function rebaseIn(dir: string, repository: Repository, options: RebaseOptions): Promise<RebaseResult> {
  const gitDir = path.join(dir, 'git');
  const treeDir = path.join(dir, 'tree');
  await mkdir(treeDir);
  const head = { commit: options.head };
  await writeGitFolder({
    dir: gitDir,
    repository,
    head,
    branches: {},
    identity: options.committer,
    exclude: '',
  });
  const env = {
    GIT_DIR: gitDir,
    GIT_WORK_TREE: treeDir,
    GIT_OBJECT_DIRECTORY: repository.objectsDir,
    GIT_EDITOR: 'true',
  };
  const git = openGit(treeDir, { isolated: true });
  const run = (args: readonly string[]) => git.run(args, { env });
  const ready = await run(['read-tree', '-u', '--reset', options.head]);
  if (ready.code !== 0) throw gitFailure(['read-tree'], ready);
  const rebased = await run([
    'rebase',
    '--quiet',
    '--empty=drop',
    '--no-autosquash',
    '--onto',
    options.onto,
    options.forkPoint,
  ]);
  if (rebased.code === 0) {
    const commit = (await run(['rev-parse', 'HEAD'])).stdout.toString('utf8').trim();
    return commit === options.onto ? { kind: 'empty' } : { kind: 'rebased', commit };
  }
  const unmerged = await run(['diff', '--name-only', '--diff-filter=U', '-z']);
  const paths = unmerged.stdout
    .toString('utf8')
    .split('\0')
    .filter((file) => file !== '');
  if (paths.length === 0) throw gitFailure(['rebase'], rebased);
  return { kind: 'conflict', paths };
}
