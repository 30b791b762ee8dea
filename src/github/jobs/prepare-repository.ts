/** A checkout of CI as the engine expects a clone: the base branch is known, and every branch is at hand. */

import { GzaError } from '../../core/errors.ts';
import { branchNameFault } from '../../core/task/branch-name.ts';
import type { Repository } from '../../git/open-repository.ts';
import { type Ci, remote } from './ci.ts';

const prefix = `refs/remotes/${remote}/`;

export async function prepareRepository(
  { defaultBranch }: Pick<Ci, 'defaultBranch'>,
  { git, head }: Repository,
): Promise<void> {
  const listed = await git.text(['for-each-ref', '--format=%(objectname) %(refname)', prefix.slice(0, -1)]);
  const branches = listed.split('\n').flatMap((line) => {
    const [oid = '', ref = ''] = line.split(' ');
    const name = ref.slice(prefix.length);
    return ref.startsWith(prefix) && name !== 'HEAD' && branchNameFault(name) === null ? [{ oid, name }] : [];
  });
  if (!branches.some(({ name }) => name === defaultBranch)) {
    throw new GzaError('world', `the checkout does not have the branch ${defaultBranch}`, {
      hint: 'Check out with `fetch-depth: 0`: gza needs all branches, and the history of those it works on.',
    });
  }
  await git.text(['symbolic-ref', `${prefix}HEAD`, `${prefix}${defaultBranch}`]);
  const moves = branches.filter(({ name }) => name !== head.branch);
  const stdin = moves.map(({ name, oid }) => `update refs/heads/${name} ${oid}\n`).join('');
  await git.text(['update-ref', '--stdin'], { stdin });
}
