import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GzaError } from '../../core/errors.ts';
import { type Identity, openGit } from '../../git/git.ts';
import { PorcelainError, porcelain } from '../../git/porcelain.ts';
import type { Repository } from '../../git/repository.ts';
import { writeGitFolder } from '../clone-folder.ts';
import { prefetchTree } from '../shared-clone.ts';

export interface RebaseOptions {
  readonly onto: string;
  /** The commit where the lane started: later commits are its own. */
  readonly forkPoint: string;
  readonly head: string;
  readonly committer: Identity;
}

export type RebaseResult =
  | { readonly kind: 'rebased'; readonly commit: string }
  /** `onto` already contains all of its changes. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

/**
 * Rebases the lane's own commits in a scratch clone, so that a conflict leaves nothing behind and changes
 * nobody's files. Only objects are added to the repository.
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

export interface IntegrateOptions {
  /** The user's own work tree. */
  readonly treeDir: string;
  readonly branch: string;
  readonly forkPoint: string;
  readonly head: string;
  readonly committer: Identity;
}

export type IntegrateResult =
  | { readonly kind: 'integrated'; readonly commit: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'conflict'; readonly paths: readonly string[]; readonly hint: string }
  /** The commits exist, but the user's uncommitted changes prevent the update. */
  | { readonly kind: 'in-the-way'; readonly commit: string; readonly why: string; readonly hint: string };

/**
 * Rebases a finished lane onto the user's current branch. Conflicts can occur only in a scratch clone. The
 * user's tree is then fast-forwarded, and git refuses even that when it would overwrite uncommitted
 * changes.
 */
export async function integrateLane(
  repository: Repository,
  options: IntegrateOptions,
): Promise<IntegrateResult> {
  const { treeDir, branch, forkPoint, head, committer } = options;
  const git = openGit(treeDir);
  const onto = await git.text(['rev-parse', '--verify', 'HEAD^{commit}']);
  const picked = await rebaseLane(repository, { onto, forkPoint, head, committer });
  if (picked.kind === 'empty') return picked;
  if (picked.kind === 'conflict') {
    const hint = `Its commits are kept on ${branch}, and your files are as they were. By hand: git cherry-pick ${forkPoint.slice(0, 12)}..${branch}`;
    return { ...picked, hint };
  }
  const { commit } = picked;
  try {
    await porcelain(treeDir, (own) => own.merge(['--ff-only', '--quiet', '--no-autostash', commit]));
    return { kind: 'integrated', commit };
  } catch (error) {
    if (!(error instanceof PorcelainError)) throw error;
    const now = await git.text(['rev-parse', '--verify', 'HEAD^{commit}']);
    if (now !== onto)
      throw new GzaError('lost', `the current branch moved while ${branch} was being integrated; try again`);
    const hint = `Its commits are kept. Commit or stash your changes, then: git merge --ff-only ${commit.slice(0, 12)}`;
    return { kind: 'in-the-way', commit, why: error.result.stderr.trim(), hint };
  }
}
