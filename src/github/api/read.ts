/** The reading half of the forge. */

import type { GithubClient } from './client/client.ts';
import type { ForgeRead, IssueFacts, Role, WaitingRun } from './forge.ts';
import { mergeSeen } from './merge-pull.ts';
import {
  type Actor,
  type IssueNode,
  issueFacts,
  issueFields,
  loginOf,
  type Nodes,
  ourReviews,
  present,
  pullFacts,
} from './pull-facts.ts';
import {
  commentsSince,
  hasBotComment,
  readConversations,
  saidOf,
  type Words,
  wordFields,
} from './read-comments.ts';
import { lanesAndIssue, pullNode } from './read-pulls.ts';
import { jobLog, teamChecks } from './team-checks.ts';

export function githubRead(client: GithubClient, ourLogin: string): ForgeRead {
  return {
    pullsOfBranches: async (branches) => [
      ...(await lanesAndIssue(client, { branches, title: null, ourLogin })).pulls,
    ],
    lanesAndIssue: (branches, title, since) => lanesAndIssue(client, { branches, title, since, ourLogin }),
    async pull(number) {
      const node = await pullNode(client, number);
      return node && pullFacts(node, ourLogin);
    },
    issue: (number) => readIssue(client, number, ourLogin),
    isEditedSince: (on, iso) => isEditedSince(client, on, iso, ourLogin),
    findIssue: async (title) => (await lanesAndIssue(client, { branches: [], title, ourLogin })).issue,
    commentsSince: (iso) => commentsSince(client, iso),
    hasBotComment: (on, words) => hasBotComment(client, on, words),
    conversations: (pulls) => readConversations(client, pulls, ourLogin),
    ourReviews: (pull) => ourReviews(client, pull, ourLogin),
    role: (login) => readRole(client, login),
    async run(id) {
      const run = await client.find({
        operation: 'read workflow runs',
        send: (rest, here) => rest.actions.getWorkflowRun({ ...here, run_id: id }),
      });
      if (!run) return null;
      const { run_attempt: attempt = 1, conclusion } = run;
      return { id, attempt, isCompleted: run.status === 'completed', conclusion };
    },
    async artifact(run, name) {
      const { items } = await client.list(
        {
          operation: 'read workflow runs',
          pages: ({ actions }, here) => [actions.listWorkflowRunArtifacts, { ...here, run_id: run, name }],
        },
        { itemsMax: 100 },
      );
      const ids = items.filter(({ expired }) => !expired).map(({ id }) => id);
      return ids.length > 0 ? Math.max(...ids) : null;
    },
    teamChecks: (heads, base, isKnown) => teamChecks(client, heads, base, isKnown),
    jobLog: (job, bytesMax) => jobLog(client, job, bytesMax),
    mergeSeen: (pull) => mergeSeen(client, pull),
    waitingRuns: () => waitingRuns(client),
    async startedOn(commit) {
      const { items } = await client.list(
        {
          operation: 'read workflow runs',
          pages: ({ actions }, here) => [
            actions.listWorkflowRunsForRepo,
            { ...here, head_sha: commit, event: 'workflow_dispatch' },
          ],
        },
        { itemsMax: 100 },
      );
      return items.map(({ path }) => fileName(path));
    },
    async openJobs(run) {
      const { items } = await client.list(
        {
          operation: 'read workflow runs',
          pages: ({ actions }, here) => [actions.listJobsForWorkflowRun, { ...here, run_id: run }],
        },
        { itemsMax: 2_000 },
      );
      return items
        .filter(({ status }) => status !== 'completed')
        .map(({ name, status }) => ({ name, isAtWork: status === 'in_progress' }));
    },
  };
}

async function readIssue(client: GithubClient, number: number, ourLogin: string): Promise<IssueFacts | null> {
  const [owner, name] = client.repository.split('/');
  type Found = IssueNode & { readonly comments: Nodes<Words> };
  const { repository } = await client.graphql<{ repository: { issue: Found | null } | null }>({
    operation: 'read issues',
    query: `query ($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) { issue(number: $number) { ...Issue comments(last: 100) { nodes { ${wordFields} } } } } }\n${issueFields}`,
    variables: { owner, name, number },
  });
  const node = repository?.issue;
  if (!node) return null;
  const said = present(node.comments).map((one) => saidOf(one, ourLogin));
  return { ...issueFacts(node, ourLogin), ...(said.length > 0 ? { said } : {}) };
}

const editsMax = 100;

interface Edits {
  readonly lastEditedAt: string | null;
  readonly userContentEdits: (Nodes<EditNode> & { readonly totalCount: number }) | null;
  /** Edits of its title. */
  readonly timelineItems: Nodes<{ readonly createdAt: string }>;
}

interface EditNode {
  readonly editedAt: string;
  readonly editor: Actor | null;
}

/** GitHub's times have a resolution of one second, so an edit in the same second counts as later. */
async function isEditedSince(
  client: GithubClient,
  { number, isPull }: { readonly number: number; readonly isPull: boolean },
  iso: string,
  ourLogin: string,
): Promise<boolean> {
  const [owner, name] = client.repository.split('/');
  const { repository } = await client.graphql<{ repository: { on: Edits | null } | null }>({
    operation: isPull ? 'read pull requests' : 'read issues',
    query: `query ($owner: String!, $name: String!, $number: Int!) {
 repository(owner: $owner, name: $name) {
  on: ${isPull ? 'pullRequest' : 'issue'}(number: $number) {
   timelineItems(last: 1, itemTypes: [RENAMED_TITLE_EVENT]) { nodes { ... on RenamedTitleEvent { createdAt } } }
   lastEditedAt userContentEdits(first: ${editsMax}) { totalCount nodes { editedAt editor { __typename login } } }
  }
 }
}`,
    variables: { owner, name, number },
  });
  const { lastEditedAt = null, userContentEdits, timelineItems } = repository?.on ?? {};
  const since = iso.slice(0, 19);
  if (present(timelineItems).some(({ createdAt }) => createdAt.slice(0, 19) >= since)) return true;
  if (lastEditedAt === null || lastEditedAt.slice(0, 19) < since) return false;
  const { totalCount = 0 } = userContentEdits ?? {};
  const edits = present(userContentEdits ?? { nodes: [] });
  const later = edits.filter(({ editedAt }) => editedAt.slice(0, 19) >= since);
  const isWhole = later.length > 0 && (totalCount <= editsMax || later.length < edits.length);
  return !isWhole || later.some(({ editor }) => loginOf(editor) !== ourLogin);
}

/**
 * Asks the API, because the author association in events leaves out private members. Only `role_name` tells
 * maintain from write.
 */
async function readRole(client: GithubClient, login: string): Promise<Role> {
  // Rejects anything that is no login, because the name becomes part of a URL.
  if (!/^[A-Za-z0-9-]{1,80}(?:_[A-Za-z0-9]{1,20})?(?:\[bot\])?$/.test(login)) return 'none';
  const found = await client.find({
    operation: "read a person's role",
    send: (rest, here) => rest.repos.getCollaboratorPermissionLevel({ ...here, username: login }),
  });
  const role = found?.permission;
  if (role === 'write' && found?.role_name === 'maintain') return 'maintain';
  return role === 'admin' || role === 'write' || role === 'read' ? role : 'none';
}

const runsMax = 100;

/**
 * Runs that wait for a person: those that a job's token triggered by pushing to a pull request, and
 * deployments with reviewers. Makes one request for each kind. The result also contains runs on old heads,
 * which wait for ever.
 */
async function waitingRuns(client: GithubClient): Promise<WaitingRun[]> {
  const found: WaitingRun[] = [];
  for (const status of ['action_required', 'waiting'] as const) {
    const { items } = await client.list(
      {
        operation: 'read workflow runs',
        pages: ({ actions }, here) => [actions.listWorkflowRunsForRepo, { ...here, status }],
      },
      { itemsMax: runsMax },
    );
    found.push(...items.map(({ path, head_sha }) => ({ workflow: fileName(path), commit: head_sha })));
  }
  return found;
}

/** The file name of a workflow path. The path ends with `@` and a ref for another repository's workflow. */
function fileName(path: string): string {
  return path.split('@')[0]?.split('/').at(-1) ?? path;
}
