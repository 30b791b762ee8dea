import { GzaError } from '../../core/errors.ts';
import { branchNameFault } from '../../core/task/branch-name.ts';
import { gitFailure } from '../../git/git.ts';
import type { Repository } from '../../git/open-repository.ts';

export interface MoveBranchOptions {
  readonly branch: string;
  readonly to: string;
  /** Where it must be now; null: it must not exist. */
  readonly from: string | null;
  /** Make it when it is not there, whatever `from` says: the first commit of a lane. */
  readonly orCreate?: boolean;
  readonly reason: string;
}

export type MoveBranchResult =
  | { readonly kind: 'moved' }
  /** It is somewhere else by now. */
  | { readonly kind: 'lost'; readonly at: string | null }
  /** A person works on it, there. */
  | { readonly kind: 'checked-out'; readonly folder: string };

/** Moves a branch that is where it is expected to be, and never one that someone has checked out. */
export async function moveBranch(
  repository: Repository,
  options: MoveBranchOptions,
): Promise<MoveBranchResult> {
  const { branch, to, from, orCreate = false, reason } = options;
  const problem = branchNameFault(branch);
  if (problem) throw new GzaError('input', `${JSON.stringify(branch)} cannot be a branch: ${problem}`);
  const ref = `refs/heads/${branch}`;
  const now = await readBranch(repository, branch);
  if (now?.folder) return { kind: 'checked-out', folder: now.folder };
  if (now?.oid === to) return { kind: 'moved' };
  const isNew = from === null || (orCreate && now === null);
  const expected = isNew ? '0'.repeat(to.length) : from;
  const args = [
    'update-ref',
    '-m',
    reason.replace(/\s+/g, ' ').trim() || 'gza',
    '--create-reflog',
    ref,
    to,
    expected,
  ];
  const result = await repository.bareGit.run(args);
  if (result.code === 0) return { kind: 'moved' };
  const after = (await readBranch(repository, branch))?.oid ?? null;
  if (after === (isNew ? null : from)) throw gitFailure(args, result);
  return after === to ? { kind: 'moved' } : { kind: 'lost', at: after };
}

export interface BranchNow {
  readonly oid: string;
  /** The folder that has it checked out, empty when none. */
  readonly folder: string;
}

export async function readBranch(repository: Repository, branch: string): Promise<BranchNow | null> {
  const format = '--format=%(refname) %(objectname) %(worktreepath)';
  const listed = await repository.bareGit.text(['for-each-ref', format, `refs/heads/${branch}`]);
  for (const line of listed.split('\n')) {
    const [name, oid = '', ...folder] = line.split(' ');
    if (name !== `refs/heads/${branch}`) continue;
    // A bare repository has a HEAD too, and nobody works there.
    const place = folder.join(' ');
    return { oid, folder: repository.isBare && place === repository.commonDir ? '' : place };
  }
  return null;
}
