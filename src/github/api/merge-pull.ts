/** Merges a pull request as the repository wants it: by a method that it allows, or through its queue. */
import { type MergeMethod, type MergeSeen, methodOf } from '../../core/policy/merging.ts';
import type { Asked, GithubClient } from './client/client.ts';
import type { Merged, PullFacts } from './forge.ts';

const filesMax = 300;

/** Null when it no longer exists. May read twice: GitHub computes conflicts only when first asked. */
export async function mergeSeen(client: GithubClient, number: number): Promise<MergeSeen | null> {
  const read = () =>
    client.find({
      operation: 'read pull requests',
      send: (rest, here) => rest.pulls.get({ ...here, pull_number: number }),
    });
  const first = await read();
  const pull = first?.mergeable === null ? await read() : first;
  if (!pull) return null;
  const { items } = await client.list(
    {
      operation: 'read the files of a pull request',
      pages: (rest, here) => [rest.pulls.listFiles, { ...here, pull_number: number }],
    },
    { itemsMax: filesMax },
  );
  const names = items.flatMap((one) => [one.filename, one.previous_filename ?? one.filename]);
  return {
    hasConflict: pull.mergeable_state === 'dirty',
    isClean: pull.mergeable_state === 'clean' || pull.mergeable_state === 'has_hooks',
    lines: pull.additions + pull.deletions,
    paths: items.length < pull.changed_files ? null : [...new Set(names)],
  };
}

interface How {
  readonly method: MergeMethod | null;
  readonly hasQueue: boolean;
}

async function howToMerge(client: GithubClient, base: string): Promise<How> {
  const it = await client.must({
    operation: 'read the repository',
    send: (rest, here) => rest.repos.get({ ...here }),
  });
  const rules = await client.must({
    operation: 'read the rules of a branch',
    send: (rest, here) => rest.repos.getBranchRules({ ...here, branch: base, per_page: 100 }),
  });
  const allowed: MergeMethod[] = [
    // A token that may not see these settings gets undefined, so each method counts as allowed.
    ...(it.allow_merge_commit === false ? [] : (['merge'] as const)),
    ...(it.allow_squash_merge === false ? [] : (['squash'] as const)),
    ...(it.allow_rebase_merge === false ? [] : (['rebase'] as const)),
  ];
  const limits = rules.map((rule) => {
    const methods = rule.type === 'pull_request' ? rule.parameters?.allowed_merge_methods : undefined;
    return { type: rule.type, ...(methods ? { methods } : {}) };
  });
  return { method: methodOf(allowed, limits), hasQueue: rules.some(({ type }) => type === 'merge_queue') };
}

/** Merges only this commit: GitHub refuses when something was pushed since. */
export async function mergePull(
  client: GithubClient,
  pull: Pick<PullFacts, 'number' | 'nodeId' | 'base'>,
  head: string,
): Promise<Merged> {
  const { method, hasQueue } = await howToMerge(client, pull.base);
  if (hasQueue) return enqueue(client, pull, head);
  if (method === null)
    return { kind: 'refused', why: `no way of merging is left that ${pull.base} allows`, mayChange: false };
  const asked: Asked<{ readonly merged: boolean }> = {
    operation: 'merge a pull request',
    // Safe to repeat: the second request is refused, and then the pull request is found merged.
    repeatable: true,
    send: (rest, here) =>
      rest.pulls.merge({ ...here, pull_number: pull.number, sha: head, merge_method: method }),
  };
  const answer = await client.ask(asked);
  if (answer.status < 300) return { kind: 'merged' };
  if (![403, 404, 405, 409, 422].includes(answer.status)) throw client.refused(asked, answer);
  const now = await client.find({
    operation: 'read pull requests',
    send: (rest, here) => rest.pulls.get({ ...here, pull_number: pull.number }),
  });
  if (now?.merged && now.head.sha === head) return { kind: 'merged' };
  const why = client.refused(asked, answer).message;
  return { kind: 'refused', why, mayChange: /is expected|in progress|base branch was modified/i.test(why) };
}

async function enqueue(
  client: GithubClient,
  { nodeId }: Pick<PullFacts, 'nodeId'>,
  head: string,
): Promise<Merged> {
  const refused = await client.change({
    operation: 'merge a pull request',
    repeatable: true,
    query: `mutation ($input: EnqueuePullRequestInput!) { queue: enqueuePullRequest(input: $input) { clientMutationId } }`,
    variables: { input: { pullRequestId: nodeId, expectedHeadOid: head } },
  });
  const why = refused.get('queue')?.message;
  if (why === undefined || /already/i.test(why)) return { kind: 'queued' };
  return { kind: 'refused', why, mayChange: false };
}
