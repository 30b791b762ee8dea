/** What people wrote: on pull requests and issues, and on lines. */
import type { RestEndpointMethodTypes } from '@octokit/rest';
import type { GithubClient } from './client/client.ts';
import type { CommentFacts } from './forge.ts';

const commentsMax = 300;

type CommentJson = RestEndpointMethodTypes['issues']['listCommentsForRepo']['response']['data'][number];
type ReviewCommentJson =
  RestEndpointMethodTypes['pulls']['listReviewCommentsForRepo']['response']['data'][number];

/** Both lists come oldest change first, so the oldest of both together are among the first of each. */
export async function commentsSince(client: GithubClient, iso: string): Promise<CommentFacts[]> {
  const query = { since: iso, sort: 'updated', direction: 'asc' } as const;
  const comments = await client.list(
    {
      operation: 'read comments',
      pages: (rest, here) => [rest.issues.listCommentsForRepo, { ...here, ...query }],
    },
    { itemsMax: commentsMax },
  );
  const onLines = await client.list(
    {
      operation: 'read review comments',
      pages: (rest, here) => [rest.pulls.listReviewCommentsForRepo, { ...here, ...query }],
    },
    { itemsMax: commentsMax },
  );
  return [...comments.items.map(fromComment), ...onLines.items.map(fromReviewComment)]
    .sort((a, b) => (a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : a.id - b.id))
    .slice(0, commentsMax);
}

const inConversationMax = 1_000;

/** Of any bot: the account changes when a team begins to use an App. What a person copied does not count. */
export async function hasBotComment(client: GithubClient, on: number, words: string): Promise<boolean> {
  const { items, isCut } = await client.list(
    {
      operation: 'read comments',
      pages: (rest, here) => [rest.issues.listComments, { ...here, issue_number: on }],
    },
    { itemsMax: inConversationMax },
  );
  return isCut || items.some(({ user, body }) => user?.type === 'Bot' && body?.includes(words));
}

function fromComment(one: CommentJson): CommentFacts {
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

function words(one: CommentJson | ReviewCommentJson) {
  return {
    id: one.id,
    author: one.user?.login ?? 'ghost',
    authorId: one.user?.id ?? 0,
    isBot: one.user?.type === 'Bot',
    text: one.body ?? '',
    createdAt: one.created_at,
    updatedAt: one.updated_at,
  };
}
