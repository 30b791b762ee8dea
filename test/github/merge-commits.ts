/** The commits of a merge, made as GitHub makes them; none of them moves a ref. */
import type { GitData } from './git-data.ts';

export interface MergeWanted {
  readonly base: string;
  readonly head: string;
  readonly method: string;
  readonly by: string;
  readonly message: string;
}

/** What the base shall be; null when the two do not fit. */
export async function mergeCommits(data: GitData, wanted: MergeWanted): Promise<string | null> {
  const { base, head, method, by, message } = wanted;
  if (method === 'rebase') return rebase(data, wanted);
  const tree = await data.mergeTree(base, head);
  if (!tree) return null;
  const parents = method === 'squash' ? ['-p', base] : ['-p', base, '-p', head];
  return data.git.text(['commit-tree', tree, ...parents, '-m', message], { env: identity(by) });
}

/** Every commit anew, also where nothing stood between: the committer is GitHub. No merge commit comes of it. */
async function rebase(data: GitData, { base, head }: MergeWanted): Promise<string | null> {
  let tip = base;
  for (const { sha, message, author } of (await data.log(`${base}..${head}`)).toReversed()) {
    const tree = await data.mergeTree(tip, sha);
    if (!tree) return null;
    const env = {
      ...identity(author.name),
      GIT_AUTHOR_EMAIL: author.email,
      GIT_AUTHOR_DATE: author.date,
    };
    tip = await data.git.text(['commit-tree', tree, '-p', tip, '-m', message], { env });
  }
  return tip;
}

export const identity = (login: string) => ({
  GIT_AUTHOR_NAME: login,
  GIT_AUTHOR_EMAIL: `${login}@users.noreply.example`,
  GIT_COMMITTER_NAME: 'GitHub',
  GIT_COMMITTER_EMAIL: 'noreply@github.com',
});
