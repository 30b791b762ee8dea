/** The half that reads. */
import type { ForgeRead, IssueFacts, Role } from '../forge.ts';
import type { GithubClient } from './client.ts';
import { type IssueNode, issueFacts, issueFields, present, pullFacts } from './pull-facts.ts';
import { readChecks } from './read-checks.ts';
import { commentsSince } from './read-comments.ts';
import { readConversations } from './read-conversations.ts';
import { pullNode, pullsOfBranches } from './read-pulls.ts';

interface RepositoryJson {
  readonly default_branch: string;
  readonly private: boolean;
  readonly fork: boolean;
  readonly archived: boolean;
}

interface RunJson {
  readonly id: number;
  readonly run_attempt?: number;
  readonly status: string | null;
  readonly conclusion: string | null;
}

export function githubRead(client: GithubClient, ourLogin: string): ForgeRead {
  return {
    async repository() {
      const it = await client.must<RepositoryJson>({ operation: 'read the repository', path: '' });
      return {
        defaultBranch: it.default_branch,
        isPrivate: it.private,
        isFork: it.fork,
        isArchived: it.archived,
      };
    },
    pullsOfBranches: async (branches) =>
      branches.length === 0 ? [] : pullsOfBranches(client, branches, ourLogin),
    async pull(number) {
      const node = await pullNode(client, number);
      return node && pullFacts(node, ourLogin);
    },
    issue: (number) => readIssue(client, number, ourLogin),
    findIssue: (title) => findIssue(client, title, ourLogin),
    commentsSince: (iso) => commentsSince(client, iso),
    conversations: (pulls) => readConversations(client, pulls, ourLogin),
    async ourReviews(pull) {
      const { items } = await client.list<{ body: string | null; user: { login: string } | null }>(
        { operation: 'read pull requests', path: `pulls/${pull}/reviews` },
        { itemsMax: 300 },
      );
      return items.filter(({ user }) => user?.login === ourLogin).map(({ body }) => body ?? '');
    },
    role: (login) => readRole(client, login),
    async run(id) {
      const run = await client.find<RunJson>({ operation: 'read workflow runs', path: `actions/runs/${id}` });
      if (!run) return null;
      const { run_attempt: attempt = 1, conclusion } = run;
      return { id, attempt, isCompleted: run.status === 'completed', conclusion };
    },
    checksOf: (commit) => readChecks(client, commit),
  };
}

async function readIssue(client: GithubClient, number: number, ourLogin: string): Promise<IssueFacts | null> {
  const [owner, name] = client.repository.split('/');
  const { repository } = await client.graphql<{ repository: { issue: IssueNode | null } | null }>({
    operation: 'read issues',
    query: `query ($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) { issue(number: $number) { ...Issue } } }\n${issueFields}`,
    variables: { owner, name, number },
  });
  const node = repository?.issue;
  return node ? issueFacts(node, ourLogin) : null;
}

/** Ours are few and the board is among those changed last; a page is enough. */
async function findIssue(client: GithubClient, title: string, ourLogin: string): Promise<IssueFacts | null> {
  const [owner, name] = client.repository.split('/');
  const { repository } = await client.graphql<{ repository: { issues: { nodes: IssueNode[] } } | null }>({
    operation: 'read issues',
    query: `query ($owner: String!, $name: String!, $login: String!) { repository(owner: $owner, name: $name) { issues(first: 100, filterBy: {createdBy: $login}, orderBy: {field: UPDATED_AT, direction: DESC}) { nodes { ...Issue } } } }\n${issueFields}`,
    variables: { owner, name, login: ourLogin },
  });
  const same = present(repository?.issues)
    .map((one) => issueFacts(one, ourLogin))
    .filter((one) => one.title === title && one.isOurs);
  return same.find((one) => one.state === 'open') ?? same[0] ?? null;
}

/** Asked of the API, as what events say of an author leaves out private members. Maintain reads as write. */
async function readRole(client: GithubClient, login: string): Promise<Role> {
  // A name that is no login is nobody's, and no part of an address.
  if (!/^[A-Za-z0-9-]{1,80}(?:_[A-Za-z0-9]{1,20})?(?:\[bot\])?$/.test(login)) return 'none';
  const found = await client.find<{ readonly permission: string }>({
    operation: "read a person's role",
    path: `collaborators/${encodeURIComponent(login)}/permission`,
  });
  const role = found?.permission;
  return role === 'admin' || role === 'write' || role === 'read' ? role : 'none';
}
