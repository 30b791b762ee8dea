/** What people wrote: on pull requests and issues, and on lines. */
import type { CommentFacts } from '../forge.ts';
import type { GithubClient } from './client.ts';
import { isBot, loginOf, present } from './pull-facts.ts';

const commentsMax = 300;
/** Pull requests in one query about threads. */
const pullsInQueryMax = 20;

interface CommentJson {
  readonly id: number;
  readonly body?: string;
  readonly user: { readonly login: string; readonly type: string } | null;
  readonly html_url: string;
  readonly created_at: string;
  readonly updated_at: string;
}

interface ReviewCommentJson extends CommentJson {
  readonly pull_request_url: string;
  readonly path: string;
  readonly line?: number | null;
}

/** Both lists come oldest change first, so the oldest of both together are among the first of each. */
export async function commentsSince(client: GithubClient, iso: string): Promise<CommentFacts[]> {
  const query = { since: iso, sort: 'updated', direction: 'asc' };
  const comments = await client.list<CommentJson & { readonly issue_url: string }>(
    { operation: 'read comments', path: 'issues/comments', query },
    { itemsMax: commentsMax },
  );
  const onLines = await client.list<ReviewCommentJson>(
    { operation: 'read review comments', path: 'pulls/comments', query },
    { itemsMax: commentsMax },
  );
  const all = [...comments.items.map(fromComment), ...onLines.items.map(fromReviewComment)]
    .sort((a, b) => (a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : a.id - b.id))
    .slice(0, commentsMax);
  const resolved = await resolvedComments(client, all);
  return all.map((one) =>
    resolved.has(one.id) && one.kind === 'review-comment' ? { ...one, isResolved: true } : one,
  );
}

function fromComment(one: CommentJson & { readonly issue_url: string }): CommentFacts {
  return {
    ...words(one),
    kind: 'comment',
    on: Number(one.issue_url.split('/').at(-1)),
    isPull: /\/pull\/\d+#/.test(one.html_url),
    file: null,
    line: null,
  };
}

function fromReviewComment(one: ReviewCommentJson): CommentFacts {
  return {
    ...words(one),
    kind: 'review-comment',
    on: Number(one.pull_request_url.split('/').at(-1)),
    isPull: true,
    file: one.path,
    line: one.line ?? null,
  };
}

function words(one: CommentJson) {
  return {
    id: one.id,
    author: one.user?.login ?? 'ghost',
    isBot: one.user?.type === 'Bot',
    text: one.body ?? '',
    createdAt: one.created_at,
    updatedAt: one.updated_at,
    isResolved: false,
  };
}

interface Thread {
  readonly isResolved: boolean;
  readonly path: string;
  readonly line: number | null;
  readonly comments: {
    readonly nodes: readonly ({
      readonly databaseId: number;
      readonly body: string;
      readonly author: { readonly __typename: string; readonly login: string } | null;
      readonly createdAt: string;
      readonly updatedAt: string;
    } | null)[];
  };
}

interface Threads {
  readonly reviewThreads: {
    readonly nodes: readonly (Thread | null)[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

/** Only GraphQL knows which threads are resolved. No request when nobody wrote on a line. */
async function resolvedComments(client: GithubClient, all: readonly CommentFacts[]): Promise<Set<number>> {
  const pulls = [...new Set(all.filter((one) => one.kind === 'review-comment').map((one) => one.on))];
  const resolved = new Set<number>();
  for (let at = 0; at < pulls.length; at += pullsInQueryMax) {
    const part = pulls.slice(at, at + pullsInQueryMax);
    const fields = part.map(
      (number) =>
        `p${number}: pullRequest(number: ${number}) { reviewThreads(last: 100) { nodes { isResolved comments(first: 50) { nodes { databaseId } } } } }`,
    );
    const { repository } = await ask<Record<string, Threads | null>>(client, fields.join('\n'), {});
    for (const pull of Object.values(repository ?? {}))
      for (const thread of present(pull?.reviewThreads))
        if (thread.isResolved) for (const one of present(thread.comments)) resolved.add(one.databaseId);
  }
  return resolved;
}

interface InRepository<T> {
  readonly repository: T | null;
}

function ask<T>(
  client: GithubClient,
  fields: string,
  variables: Record<string, unknown>,
  parameters = '',
): Promise<InRepository<T>> {
  const [owner, name] = client.repository.split('/');
  return client.graphql<InRepository<T>>({
    operation: 'read review comments',
    query: `query ($owner: String!, $name: String!${parameters}) { repository(owner: $owner, name: $name) { ${fields} } }`,
    variables: { owner, name, ...variables },
  });
}

const threadFields = `nodes { isResolved path line comments(first: 50) {
  nodes { databaseId body createdAt updatedAt author { __typename login } } } } pageInfo { hasNextPage endCursor }`;

/** Of all that is open on lines, at most 300 comments; a request for each hundred threads. */
export async function openReviewComments(client: GithubClient, pull: number): Promise<CommentFacts[]> {
  const found: CommentFacts[] = [];
  let after: string | null = null;
  do {
    const answer: InRepository<{ pullRequest: Threads | null }> = await ask<{ pullRequest: Threads | null }>(
      client,
      `pullRequest(number: $pull) { reviewThreads(first: 100, after: $after) { ${threadFields} } }`,
      { pull, after },
      ', $pull: Int!, $after: String',
    );
    const threads: Threads['reviewThreads'] | undefined = answer.repository?.pullRequest?.reviewThreads;
    for (const thread of present(threads)) if (!thread.isResolved) found.push(...fromThread(thread, pull));
    after = threads?.pageInfo.hasNextPage ? threads.pageInfo.endCursor : null;
  } while (after !== null && found.length < commentsMax);
  return found.slice(0, commentsMax);
}

function fromThread(thread: Thread, pull: number): CommentFacts[] {
  return present(thread.comments).map((one) => ({
    id: one.databaseId,
    kind: 'review-comment',
    on: pull,
    isPull: true,
    author: loginOf(one.author),
    isBot: isBot(one.author),
    text: one.body,
    createdAt: one.createdAt,
    updatedAt: one.updatedAt,
    file: thread.path,
    line: thread.line,
    isResolved: false,
  }));
}
