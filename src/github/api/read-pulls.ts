/** Reads pull requests by branch and by number. */

import type { GithubClient } from './client/client.ts';
import type { IssueFacts, LanesSeen, PullFacts } from './forge.ts';
import {
  type IssueNode,
  issueFacts,
  issueFields,
  type Nodes,
  type PullNode,
  present,
  pullFacts,
  pullFields,
} from './pull-facts.ts';
import {
  commentsSince,
  reviewsAndLabelsSince,
  type Talk,
  talkFields,
  talkFragment,
  talkSince,
} from './read-comments.ts';

const branchesInQueryMax = 100;
/** A branch usually has one pull request. It has more only when one was closed and another was opened. */
const pullsOfBranchMax = 5;

interface Page {
  readonly nodes: readonly (PullNode | null)[];
  readonly pageInfo: { readonly hasNextPage: boolean };
}

/** Makes a query for every hundred branches. The first also reads gza's issue with this `title`, if any. */
export async function lanesAndIssue(
  client: GithubClient,
  { branches, title, since, ourLogin }: LanesWanted,
): Promise<LanesSeen> {
  const wanted = [...new Set(branches)];
  const pulls: PullFacts[] = [];
  let issue: IssueFacts | null = null;
  let talk: Talk = {};
  for (let at = 0; at === 0 || at < wanted.length; at += branchesInQueryMax) {
    const part = wanted.slice(at, at + branchesInQueryMax);
    const withIssue = at === 0 && title !== null;
    if (part.length === 0 && !withIssue) break;
    const asked = {
      branches: part,
      issuesOf: withIssue ? ourLogin : null,
      since: at === 0 ? since : undefined,
    };
    const { issues, spokenPulls, spokenIssues, labelled, ...pages } = await query(client, asked);
    if (at === 0) talk = { spokenPulls, spokenIssues, labelled };
    if (title !== null && issues) issue = issueNamed(issues, title, ourLogin);
    for (const [index, branch] of part.entries()) {
      const page = pages[`b${index}`];
      const own = present(page).filter((one) => !one.isCrossRepository);
      pulls.push(...own.map((one) => pullFacts(one, ourLogin)));
      // Forks may use the same branch name so often that ours is not among the newest.
      if (own.length === 0 && page?.pageInfo.hasNextPage)
        pulls.push(...(await byHead(client, branch, ourLogin)));
    }
  }
  if (since === undefined) return { pulls, issue, comments: [] };
  const said = talkSince(talk, since) ?? (await commentsSince(client, since));
  return { pulls, issue, comments: [...said, ...reviewsAndLabelsSince(talk, since)] };
}

export interface LanesWanted {
  readonly branches: readonly string[];
  readonly title: string | null;
  readonly since?: string | undefined;
  readonly ourLogin: string;
}

interface Answer extends Record<string, unknown>, Talk {
  readonly issues?: Nodes<IssueNode>;
}

/** gza opens few issues and changes the board often, so one page is enough. */
const ownIssues =
  'issues(first: 100, filterBy: {createdBy: $login}, orderBy: {field: UPDATED_AT, direction: DESC}) { nodes { ...Issue } }';

interface Asked {
  readonly branches: readonly string[];
  readonly issuesOf: string | null;
  readonly since: string | undefined;
}

async function query(
  client: GithubClient,
  { branches, issuesOf, since }: Asked,
): Promise<
  Talk & { readonly issues: Nodes<IssueNode> | null; readonly [branch: `b${number}`]: Page | undefined }
> {
  const [owner, name] = client.repository.split('/');
  const parameters = [
    '$owner: String!',
    '$name: String!',
    ...branches.map((_, index) => `$b${index}: String!`),
    ...(issuesOf === null ? [] : ['$login: String!']),
    ...(since === undefined ? [] : ['$since: DateTime!']),
  ];
  const fields = [
    ...branches.map(
      (_, index) =>
        `b${index}: pullRequests(headRefName: $b${index}, first: ${pullsOfBranchMax}, orderBy: {field: CREATED_AT, direction: DESC}) { nodes { ...Pull } pageInfo { hasNextPage } }`,
    ),
    ...(issuesOf === null ? [] : [ownIssues]),
    ...(since === undefined ? [] : [talkFields]),
  ];
  const fragments = [
    ...(branches.length > 0 ? [pullFields] : []),
    ...(issuesOf === null ? [] : [issueFields]),
    ...(since === undefined ? [] : [talkFragment]),
  ];
  const { repository } = await client.graphql<{ repository: Answer | null }>({
    operation: branches.length > 0 ? 'read pull requests' : 'read issues',
    query: `query (${parameters.join(', ')}) {\n repository(owner: $owner, name: $name) {\n${fields.join('\n')}\n }\n}\n${fragments.join('\n')}`,
    variables: {
      owner,
      name,
      ...Object.fromEntries(branches.map((branch, index) => [`b${index}`, branch])),
      ...(issuesOf === null ? {} : { login: issuesOf }),
      ...(since === undefined ? {} : { since }),
    },
  });
  const { issues = null, ...pages } = repository ?? {};
  return { ...(pages as Record<`b${number}`, Page>), issues };
}

function issueNamed(issues: Nodes<IssueNode>, title: string, ourLogin: string): IssueFacts | null {
  const same = present(issues)
    .map((one) => issueFacts(one, ourLogin))
    .filter((one) => one.title === title && one.isOurs);
  return same.find((one) => one.state === 'open') ?? same[0] ?? null;
}

/** Filters by `owner:branch`, which excludes pull requests from forks. */
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
  const listed = await client.must({
    operation: 'read pull requests',
    send: (rest, here) => rest.pulls.list({ ...here, head: `${owner}:${branch}`, state, per_page: 20 }),
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
