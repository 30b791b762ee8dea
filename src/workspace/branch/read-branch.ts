import type { Repository } from '../../git/open-repository.ts';

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
