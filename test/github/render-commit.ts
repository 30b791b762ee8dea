/** A commit as GitHub's JSON. */
import type { CommitData } from './git-data.ts';
import type { Json } from './render.ts';

export function renderCommit(commit: CommitData, api: string): Json {
  return {
    sha: commit.sha,
    url: `${api}/commits/${commit.sha}`,
    commit: {
      message: commit.message,
      author: commit.author,
      committer: commit.committer,
      tree: { sha: commit.tree, url: `${api}/git/trees/${commit.tree}` },
      url: `${api}/git/commits/${commit.sha}`,
    },
    author: null,
    committer: null,
    parents: commit.parents.map((sha) => ({ sha, url: `${api}/commits/${sha}` })),
  };
}
