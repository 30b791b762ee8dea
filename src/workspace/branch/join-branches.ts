/**
 * Joins several branches into one commit by merging each onto those before it. Only objects are added to
 * the repository. The same heads always give the same commit, so repeating it changes nothing.
 */
import { gitFailure, gzaIdentity, isGzaEmail } from '../../git/git.ts';
import type { Repository } from '../../git/repository.ts';
import { prefetchTree } from '../shared-clone.ts';

export interface Part {
  readonly branch: string;
  readonly commit: string;
}

export type JoinResult =
  | { readonly kind: 'joined'; readonly commit: string }
  /** `branch` does not merge with the branches before it. */
  | { readonly kind: 'conflict'; readonly branch: string; readonly paths: readonly string[] };

export async function joinBranches(
  repository: Repository,
  [first, ...others]: readonly [Part, ...Part[]],
): Promise<JoinResult> {
  let commit = first.commit;
  const names = [first.branch];
  for (const part of others) {
    names.push(part.branch);
    if (await isAncestor(repository, part.commit, commit)) continue;
    if (await isAncestor(repository, commit, part.commit)) {
      commit = part.commit;
      continue;
    }
    const merged = await mergeTrees(repository, commit, part.commit);
    if ('paths' in merged) return { kind: 'conflict', branch: part.branch, paths: merged.paths };
    commit = await commitMerge(repository, merged.tree, [commit, part.commit], `Join ${names.join(', ')}`);
  }
  return { kind: 'joined', commit };
}

const commitsMax = 200;

/**
 * Whether a person committed to a branch that gza made to join others. gza must not move or remove such a
 * branch. Commits that are also on another branch are safe. `made` is the commit that gza put there, if
 * known.
 */
export async function hasPersonsWork(
  { bareGit }: Repository,
  ref: string,
  oid: string,
  made: string | undefined,
): Promise<boolean> {
  if (oid === made) return false;
  const others = ['--not', `--exclude=${ref}`, '--glob=refs/heads/*', ...(made ? [made] : [])];
  const format = [
    '--ignore-missing',
    '--no-commit-header',
    '--format=%ce',
    '--no-merges',
    `--max-count=${commitsMax}`,
  ];
  const listed = await bareGit.run(['rev-list', ...format, oid, ...others]);
  const mails = listed.stdout.toString('utf8').split('\n').filter(Boolean);
  return listed.code !== 0 || mails.length === commitsMax || mails.some((mail) => !isGzaEmail(mail));
}

async function isAncestor({ bareGit }: Repository, older: string, newer: string): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', older, newer];
  const { code, ...result } = await bareGit.run(args);
  if (code !== 0 && code !== 1) throw gitFailure(args, { code, ...result });
  return code === 0;
}

async function mergeTrees(
  repository: Repository,
  ours: string,
  theirs: string,
): Promise<{ readonly tree: string } | { readonly paths: readonly string[] }> {
  for (const commit of [ours, theirs]) await prefetchTree(repository, commit);
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs];
  const result = await repository.bareGit.run(args);
  if (result.code !== 0 && result.code !== 1) throw gitFailure(args, result);
  const [tree = '', ...paths] = result.stdout.toString('utf8').split('\0').filter(Boolean);
  return result.code === 0 ? { tree } : { paths };
}

/** The files in which two commits conflict. */
export async function conflictsBetween(
  repository: Repository,
  one: string,
  other: string,
): Promise<readonly string[]> {
  const merged = await mergeTrees(repository, one, other);
  return 'paths' in merged ? merged.paths : [];
}

/** Uses the newer date of its parents, so that the same merge always gives the same commit. */
async function commitMerge(
  { bareGit }: Repository,
  tree: string,
  parents: readonly string[],
  message: string,
): Promise<string> {
  const times = (await bareGit.text(['show', '--no-patch', '--format=%ct', ...parents]))
    .split('\n')
    .map(Number);
  const date = `${Math.max(...times)} +0000`;
  const { name, email } = gzaIdentity;
  const env = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  };
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', message];
  const result = await bareGit.run(args, { env });
  if (result.code !== 0) throw gitFailure(args, result);
  return result.stdout.toString('utf8').trim();
}
