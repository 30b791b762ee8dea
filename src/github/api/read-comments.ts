/** Reads comments on pull requests, issues and lines, and whole conversations of pull requests. */
import type { RestEndpointMethodTypes } from '@octokit/rest';
import type { Said, Thread } from '../../core/review/conversation.ts';
import type { GithubClient } from './client/client.ts';
import type { CommentFacts } from './forge.ts';
import { type Actor, isBot, loginOf, type Nodes, present } from './pull-facts.ts';

const commentsMax = 300;
/** Setting this label on an issue counts as `/gza work`. */
const taskLabel = 'gza';
export const wordFields = 'databaseId body author { __typename login }';
const actorFields = '__typename login ... on User { databaseId } ... on Bot { databaseId }';
const spokenFields = `databaseId body createdAt updatedAt author { ${actorFields} }`;

type CommentJson = RestEndpointMethodTypes['issues']['listCommentsForRepo']['response']['data'][number];
type ReviewCommentJson =
  RestEndpointMethodTypes['pulls']['listReviewCommentsForRepo']['response']['data'][number];

/** Both lists begin with the oldest change, so the oldest of all are among the first of each list. */
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
  return inOrder([...comments.items.map(fromComment), ...onLines.items.map(fromReviewComment)]);
}

interface Spoken extends Omit<Words, 'id'> {
  readonly author: (Actor & { readonly databaseId?: number | null }) | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

interface Part<T> extends Nodes<T> {
  readonly pageInfo: { readonly hasPreviousPage?: boolean; readonly hasNextPage?: boolean };
}

interface SpokenOn {
  readonly number: number;
  readonly updatedAt: string;
  readonly comments: Part<Spoken>;
  readonly reviews?: Part<SpokenReview> | null;
  readonly reviewThreads?: Part<{
    readonly path: string;
    readonly line: number | null;
    readonly comments: Part<Spoken>;
  }>;
}

interface SpokenReview extends Spoken {
  readonly id: string;
  readonly submittedAt: string | null;
  readonly lastEditedAt: string | null;
}

interface Labelled {
  readonly number: number;
  readonly createdAt: string;
  readonly timelineItems: Nodes<{
    readonly createdAt: string;
    readonly actor: Spoken['author'];
    readonly label: { readonly name: string };
  }>;
}

export interface Talk {
  readonly spokenPulls?: Part<SpokenOn> | undefined;
  readonly spokenIssues?: Part<SpokenOn> | undefined;
  readonly labelled?: Nodes<Labelled> | undefined;
}

const newest = 'orderBy: {field: UPDATED_AT, direction: DESC}';

/** The part of a repository query that reads recent comments. It uses the query parameter `$since`. */
export const talkFields = `spokenPulls: pullRequests(first: 20, ${newest}) {
 pageInfo { hasNextPage } nodes { number updatedAt comments(last: 50) { ...Spoken }
  reviews(last: 20) { nodes { id submittedAt lastEditedAt ${spokenFields} } }
  reviewThreads(last: 20) { pageInfo { hasPreviousPage } nodes { path line comments(last: 20) {
   pageInfo { hasPreviousPage } nodes { ${spokenFields} } } } } } }
spokenIssues: issues(first: 20, filterBy: {since: $since}, ${newest}) {
 pageInfo { hasNextPage } nodes { number updatedAt comments(last: 50) { ...Spoken } } }
labelled: issues(first: 50, labels: ["${taskLabel}"], states: OPEN, ${newest}) {
 nodes { number createdAt timelineItems(last: 20, itemTypes: [LABELED_EVENT]) {
  nodes { ... on LabeledEvent { createdAt label { name } actor { ${actorFields} } } } } } }`;

export const talkFragment = `fragment Spoken on IssueCommentConnection { pageInfo { hasPreviousPage } nodes { ${spokenFields} } }`;

/** Null when there may be more comments than the answer holds. */
export function talkSince({ spokenPulls, spokenIssues }: Talk, since: string): CommentFacts[] | null {
  const lists = [spokenPulls, spokenIssues].map((part) => ({
    isCut: part?.pageInfo.hasNextPage === true,
    all: present(part).filter(({ updatedAt }) => updatedAt >= since),
    most: present(part).length,
  }));
  if (lists.some(({ isCut, all, most }) => isCut && all.length === most)) return null;
  const parts = lists.flatMap(({ all }, index) =>
    all.flatMap((on) => [
      { on, isPull: index === 0, place: null, said: on.comments },
      ...present(on.reviewThreads).map((place) => ({ on, isPull: true, place, said: place.comments })),
    ]),
  );
  const isCut = ({ pageInfo, nodes }: Part<Spoken>) =>
    pageInfo.hasPreviousPage === true && (nodes?.[0]?.createdAt ?? since) >= since;
  // Somebody may have replied in an older thread.
  const hasOlderThreads = lists[0]?.all.some((on) => on.reviewThreads?.pageInfo.hasPreviousPage === true);
  if (hasOlderThreads === true || parts.some(({ said }) => isCut(said))) return null;
  return inOrder(
    parts.flatMap(({ on, isPull, place, said }) =>
      present(said)
        .filter(({ updatedAt }) => updatedAt >= since)
        .map(
          (one): CommentFacts => ({
            ...spoken(one, on.number),
            kind: place ? 'review-comment' : 'comment',
            isPull,
            file: place?.path ?? null,
            line: place?.line ?? null,
          }),
        ),
    ),
  );
}

/**
 * Review summaries and labels. Those that the answer leaves out arrive only through their own events, since a
 * repository has no list of them.
 */
export function reviewsAndLabelsSince({ spokenPulls, labelled }: Talk, since: string): CommentFacts[] {
  const reviews = present(spokenPulls).flatMap((on) =>
    present(on.reviews).flatMap((one): CommentFacts[] => {
      const { id: nodeId, submittedAt, lastEditedAt } = one;
      if (submittedAt === null || one.body.trim() === '' || one.updatedAt < since) return [];
      const at = { createdAt: submittedAt, updatedAt: lastEditedAt ?? submittedAt };
      return [{ ...spoken(one, on.number), ...at, kind: 'review', nodeId, isPull: true }];
    }),
  );
  const labels = present(labelled).flatMap((issue): CommentFacts[] => {
    const isGza = ({ label }: { readonly label: { readonly name: string } }) =>
      label.name.toLowerCase() === taskLabel;
    const set = present(issue.timelineItems).findLast(isGza);
    if (!set || set.createdAt < since) return [];
    const { createdAt, actor: author } = set;
    const said = { databaseId: issue.number, body: '/gza work', createdAt, updatedAt: createdAt, author };
    const isFromForm = Date.parse(createdAt) - Date.parse(issue.createdAt) <= formMs;
    return [{ ...spoken(said, issue.number), kind: 'label', isFromForm }];
  });
  return [...reviews, ...labels];
}

/** The labels of an issue form are set within this time after the issue is opened. */
const formMs = 5_000;

function spoken(one: Spoken, on: number): Omit<CommentFacts, 'kind'> {
  return {
    id: one.databaseId ?? 0,
    on,
    isPull: false,
    author: loginOf(one.author),
    authorId: one.author?.databaseId ?? 0,
    isBot: isBot(one.author),
    text: one.body,
    createdAt: one.createdAt,
    updatedAt: one.updatedAt,
    file: null,
    line: null,
  };
}

function inOrder(all: readonly CommentFacts[]): CommentFacts[] {
  const sorted = all.toSorted((a, b) =>
    a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : a.id - b.id,
  );
  return sorted.slice(0, commentsMax);
}

const inConversationMax = 1_000;

/**
 * Accepts comments of any bot, since the account changes when a team switches to an App. Comments by people
 * do not count: they may have copied the words.
 */
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

const pullsInQueryMax = 10;

export interface Words {
  readonly id: string;
  readonly databaseId: number | null;
  readonly body: string;
  readonly author: Actor | null;
  readonly isMinimized?: boolean;
}

interface Conversation {
  readonly reviewThreads: Nodes<{
    readonly id: string;
    readonly isResolved: boolean;
    readonly resolvedBy: { readonly login: string } | null;
    readonly path: string;
    readonly line: number | null;
    readonly comments: Nodes<Words>;
  }>;
  readonly comments: Nodes<Words>;
  readonly reviews: Nodes<Words> | null;
}

/** At most the newest 100 threads and comments and the newest 50 reviews of a pull request. */
const fields = `fragment Conversation on PullRequest {
  reviewThreads(last: 100) { nodes { id isResolved resolvedBy { login } path line comments(first: 50) { nodes { ${wordFields} } } } }
  comments(last: 100) { nodes { id ${wordFields} isMinimized } }
  reviews(last: 50) { nodes { id ${wordFields} isMinimized } }
}`;

export async function readConversations(
  client: GithubClient,
  pulls: readonly number[],
  ourLogin: string,
): Promise<Map<number, Thread[]>> {
  const [owner, name] = client.repository.split('/');
  const wanted = [...new Set(pulls)];
  const found = new Map<number, Thread[]>();
  for (let at = 0; at < wanted.length; at += pullsInQueryMax) {
    const part = wanted.slice(at, at + pullsInQueryMax);
    const asked = part.map((number) => `p${number}: pullRequest(number: ${number}) { ...Conversation }`);
    const { repository } = await client.graphql<{ repository: Record<string, Conversation | null> | null }>({
      operation: 'read review comments',
      query: `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ${asked.join('\n')} } }\n${fields}`,
      variables: { owner, name },
    });
    for (const number of part) {
      const one = repository?.[`p${number}`];
      if (one) found.set(number, threadsOf(one, ourLogin));
    }
  }
  return found;
}

function threadsOf({ reviewThreads, comments, reviews }: Conversation, ourLogin: string): Thread[] {
  const onLines = present(reviewThreads).map(
    ({ id: nodeId, isResolved, resolvedBy, path: file, line, comments: list }): Thread => ({
      kind: 'line',
      nodeId,
      file,
      line,
      isResolved,
      // GitHub reports gza here either as nobody or without the `[bot]` suffix.
      isResolvedByGza:
        isResolved && (resolvedBy === null || plainLogin(resolvedBy.login) === plainLogin(ourLogin)),
      said: present(list).map((one) => saidOf(one, ourLogin)),
    }),
  );
  return [
    ...onLines,
    ...present(comments).map((one) => alone('comment', one, ourLogin)),
    ...present(reviews).map((one) => alone('review', one, ourLogin)),
  ].filter(({ said }) => said.length > 0);
}

/** A comment that somebody hid counts as resolved. */
function alone(kind: 'comment' | 'review', one: Words, ourLogin: string): Thread {
  const said = one.body.trim() === '' ? [] : [saidOf(one, ourLogin)];
  return { kind, nodeId: one.id, file: null, line: null, isResolved: one.isMinimized === true, said };
}

function plainLogin(login: string): string {
  return login.replace(/\[bot\]$/, '');
}

export function saidOf({ databaseId, body, author }: Omit<Words, 'id'>, ourLogin: string): Said {
  const login = loginOf(author);
  return {
    id: databaseId ?? 0,
    author: login,
    isOurs: login === ourLogin,
    isBot: isBot(author),
    text: body,
  };
}
