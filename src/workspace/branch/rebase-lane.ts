import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Identity } from '../../git/git.ts';
import type { Repository } from '../../git/open-repository.ts';
import { porcelain } from '../../git/porcelain.ts';

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

const timeoutMs = 600_000;

async function rebaseIn(
  dir: string,
  repository: Repository,
  { onto, forkPoint, head, committer: identity }: RebaseOptions,
): Promise<RebaseResult> {
  const treeDir = path.join(dir, 'tree');
  const gitDir = path.join(treeDir, '.git');
  await mkdir(treeDir);
  await writeGitFolder({
    dir: gitDir,
    repository,
    head: { commit: head },
    branches: {},
    identity,
    exclude: '',
  });
  return porcelain(
    treeDir,
    async (git) => {
      await git.reset(['--hard', '--quiet', head]);
      try {
        await git.rebase(['--quiet', '--empty=drop', '--no-autosquash', '--onto', onto, forkPoint]);
      } catch (error) {
        const { conflicted } = await git.status();
        if (conflicted.length === 0) throw error;
        return { kind: 'conflict', paths: conflicted };
      }
      const commit = await git.revparse(['HEAD']);
      return commit === onto ? { kind: 'empty' } : { kind: 'rebased', commit };
    },
    { isolated: true, env: { GIT_OBJECT_DIRECTORY: repository.objectsDir }, timeoutMs },
  );
}
