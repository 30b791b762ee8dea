/**
 * Detects that a lane was merged as other commits: squashed into one, or rebased. Diffs are compared by
 * patch id, including whitespace and context, so that a similar change does not count. When there is too
 * much to compare, the answer is no.
 */

import type { Repository } from '../../git/repository.ts';
import { mergeBase, plainDiff, type Range } from '../patch/lane-diff.ts';

/** Limits for each comparison: commits per side, files, and bytes. */
const commitsMax = 500;
const pathsMax = 200;
const diffBytesMax = 64 << 20;

/** `from` is where the lane's own commits begin, if that is not its merge base with `base`. */
export async function isMerged(
  repository: Repository,
  { base, head, from }: Range & { readonly from?: string | undefined },
): Promise<boolean> {
  const left = await mergeBase(repository, { base, head });
  if (left === head) return true;
  // They share no history, or the base has no new commits.
  if (left === null || left === base) return false;
  const fork = from ?? left;
  const paths = await changedPaths(repository, fork, head);
  if (paths === null || paths.length === 0) return false;
  // Only the few commits that touch the lane's files can contain its changes.
  const gained = await patchIds(repository, ['log', '--full-diff', `${left}..${base}`, '--', ...paths]);
  if (gained === null || gained.length === 0) return false;
  const there = new Set(gained);
  const squashed = await patchIds(repository, ['diff-tree', fork, head]);
  if (squashed?.length === 1 && there.has(squashed[0] ?? '')) return true;
  const own = await ownIds(repository, fork, head);
  return own !== null && own.every((id) => there.has(id));
}

async function changedPaths(repository: Repository, from: string, to: string): Promise<string[] | null> {
  const listed = await repository.bareGit.run([
    'diff-tree',
    '-r',
    '-z',
    '--name-only',
    '--no-renames',
    from,
    to,
  ]);
  if (listed.code !== 0) return null;
  const paths = listed.stdout.toString('utf8').split('\0').filter(Boolean);
  return paths.length > pathsMax ? null : paths.map((path) => `:(top,literal)${path}`);
}

/** The patch id of each commit of the lane. Null when one, such as a merge, has none to compare. */
async function ownIds(repository: Repository, fork: string, head: string): Promise<string[] | null> {
  const counted = await repository.bareGit.run(['rev-list', '--count', `${fork}..${head}`]);
  const many = Number(counted.stdout.toString('utf8'));
  const ids = await patchIds(repository, ['log', `${fork}..${head}`]);
  return counted.code === 0 && ids !== null && ids.length === many && many > 0 ? ids : null;
}

/** Patch ids, newest first; null when there is too much to compare, or git fails. */
async function patchIds(
  repository: Repository,
  [verb = '', ...rest]: readonly string[],
): Promise<string[] | null> {
  const many = verb === 'log' ? ['--no-merges', `--max-count=${commitsMax}`, '--format=commit %H'] : [];
  const args = [verb, '-p', '--binary', '--unified=3', ...plainDiff, ...many, ...rest];
  const diff = await repository.bareGit.run(args, { outputBytesMax: diffBytesMax });
  if (diff.code !== 0) return null;
  const ids = await repository.bareGit.run(['patch-id', '--verbatim'], { stdin: diff.stdout });
  if (ids.code !== 0) return null;
  return ids.stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[0] || []);
}
