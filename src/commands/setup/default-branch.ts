/** The branch whose workflows GitHub listens with, as far as this clone can tell. */
import { branchNameFault } from '../../core/task/branch-name.ts';
import type { Repository } from '../../git/open-repository.ts';
import { porcelain } from '../../git/porcelain.ts';

export interface DefaultBranch {
  readonly name: string;
  /** `origin`: the remote says so. `custom`: it is called main or master. `current`: nothing says so. */
  readonly from: 'origin' | 'custom' | 'current';
}

/** It is a person that waits. */
const askMs = 5_000;

export async function findDefaultBranch({ git, head }: Repository): Promise<DefaultBranch> {
  const known = await git.run(['symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD']);
  const name = known.stdout
    .toString('utf8')
    .trim()
    .replace(/^refs\/remotes\/origin\//, '');
  if (known.code === 0 && name !== '') return { name, from: 'origin' };
  const asked = await porcelain(git.cwd, (there) => there.listRemote(['--symref', '--', 'origin', 'HEAD']), {
    timeoutMs: askMs,
  }).catch(() => '');
  const [, told] = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(asked) ?? [];
  if (told !== undefined && branchNameFault(told) === null) return { name: told, from: 'origin' };
  for (const custom of ['main', 'master']) {
    const ref = await git.run(['show-ref', '--verify', '--quiet', `refs/heads/${custom}`]);
    if (ref.code === 0) return { name: custom, from: 'custom' };
  }
  return head.branch === null ? { name: 'main', from: 'custom' } : { name: head.branch, from: 'current' };
}
