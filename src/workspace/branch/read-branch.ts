import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../../git/open-repository.ts';
import { readRef } from '../../git/refs.ts';

export interface BranchNow {
  readonly oid: string;
  /** The folder that has it checked out, empty when none. */
  readonly folder: string;
}

export async function readBranch(repository: Repository, branch: string): Promise<BranchNow | null> {
  const ref = `refs/heads/${branch}`;
  const oid = await readRef(repository, ref);
  if (oid === null || !mayBeCheckedOut(repository, ref)) return oid === null ? null : { oid, folder: '' };
  const listed = await repository.bareGit.text(['for-each-ref', '--format=%(refname) %(worktreepath)', ref]);
  const line = listed.split('\n').find((one) => one.startsWith(`${ref} `)) ?? '';
  const place = line.slice(ref.length + 1);
  // A bare repository has a HEAD too, and nobody works there.
  return { oid, folder: repository.isBare && place === repository.commonDir ? '' : place };
}

/** Whether the HEAD of some worktree names it, or is none that can be read: git knows more than that. */
function mayBeCheckedOut({ commonDir, unusualRefs }: Repository, ref: string): boolean {
  const worktrees = join(commonDir, 'worktrees');
  const others = existsSync(worktrees) ? readdirSync(worktrees).map((name) => join(worktrees, name)) : [];
  return (
    unusualRefs ||
    [commonDir, ...others].some((folder) => {
      const head = join(folder, 'HEAD');
      if (!lstatSync(head, { throwIfNoEntry: false })?.isFile()) return true;
      const text = readFileSync(head, 'utf8').trim();
      return text === `ref: ${ref}` || !/^(ref: refs\/heads\/\S+|[0-9a-f]{40,64})$/.test(text);
    })
  );
}
