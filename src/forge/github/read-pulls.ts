/** Pull requests by branch and by number. */
import type { PullFacts } from '../forge.ts';
import type { GithubClient } from './client.ts';
import { type PullNode, present, pullFacts, pullFields } from './pull-facts.ts';

const branchesInQueryMax = 100;
/** A branch has one; more only after it was closed and opened anew. */
const pullsOfBranchMax = 5;

interface Page {
  readonly nodes: readonly (PullNode | null)[];
  readonly pageInfo: { readonly hasNextPage: boolean };
}

/** One query for a hundred branches. */
export async function pullsOfBranches(
  client: GithubClient,
  branches: readonly string[],
  ourLogin: string,
): Promise<PullFacts[]> {
  const wanted = [...new Set(branches)];
  const found: PullFacts[] = [];
  for (let at = 0; at < wanted.length; at += branchesInQueryMax) {
    const part = wanted.slice(at, at + branchesInQueryMax);
    const pages = await query(client, part);
    for (const [index, branch] of part.entries()) {
      const page = pages[`b${index}`];
      const own = present(page).filter((one) => !one.isCrossRepository);
      found.push(...own.map((one) => pullFacts(one, ourLogin)));
      // Forks may use the same name, so often that ours is not among the newest.
      if (own.length === 0 && page?.pageInfo.hasNextPage)
        found.push(...(await byHead(client, branch, ourLogin)));
    }
  }
  return found;
}

async function query(client: GithubClient, branches: readonly string[]): Promise<Record<string, Page>> {
  const [owner, name] = client.repository.split('/');
  const parameters = branches.map((_, index) => `$b${index}: String!`).join(', ');
  const fields = branches.map(
    (_, index) =>
      `b${index}: pullRequests(headRefName: $b${index}, first: ${pullsOfBranchMax}, orderBy: {field: CREATED_AT, direction: DESC}) { nodes { ...Pull } pageInfo { hasNextPage } }`,
  );
  const { repository } = await client.graphql<{ repository: Record<string, Page> | null }>({
    operation: 'read pull requests',
    query: `query ($owner: String!, $name: String!, ${parameters}) {\n repository(owner: $owner, name: $name) {\n${fields.join('\n')}\n }\n}\n${pullFields}`,
    variables: { owner, name, ...Object.fromEntries(branches.map((branch, index) => [`b${index}`, branch])) },
  });
  return repository ?? {};
}

/** `owner:branch` means this repository's branch and no fork's. */
async function byHead(client: GithubClient, branch: string, ourLogin: string): Promise<PullFacts[]> {
  const numbers = await pullNumbersOf(client, branch, 'all');
  const pulls: PullFacts[] = [];
  for (const number of numbers.slice(0, pullsOfBranchMax)) {
    const node = await pullNode(client, number);
    if (node) pulls.push(pullFacts(node, ourLogin));
  }
  return pulls;
}

export async function pullNumbersOf(
  client: GithubClient,
  branch: string,
  state: 'open' | 'all',
): Promise<number[]> {
  const [owner] = client.repository.split('/');
  const listed = await client.must<readonly { readonly number: number }[]>({
    operation: 'read pull requests',
    path: 'pulls',
    query: { head: `${owner}:${branch}`, state, per_page: 20 },
  });
  return listed.map((one) => one.number);
}

export async function pullNode(client: GithubClient, number: number): Promise<PullNode | null> {
  const [owner, name] = client.repository.split('/');
  const { repository } = await client.graphql<{ repository: { pullRequest: PullNode | null } | null }>({
    operation: 'read pull requests',
    query: `query ($owner: String!, $name: String!, $number: Int!) {\n repository(owner: $owner, name: $name) { pullRequest(number: $number) { ...Pull } }\n}\n${pullFields}`,
    variables: { owner, name, number },
  });
  return repository?.pullRequest ?? null;
}
