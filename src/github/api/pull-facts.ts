/** Pull requests and issues by GraphQL: only it reports who edited a body last, and makes many changes at once. */
import { type GzaError, isGzaError } from '../../core/errors.ts';
import { reviewBody } from '../../core/text/github/review-comment.ts';
import type { GithubClient } from './client/client.ts';
import type { IssueFacts, PullChange, PullFacts, ReviewWanted } from './forge.ts';

export interface Actor {
  readonly __typename: string;
  readonly login: string;
}

export interface Nodes<T> {
  readonly nodes: readonly (T | null)[] | null;
}

interface TimelineItem {
  readonly __typename: string;
  readonly createdAt: string;
}

export interface PullNode {
  readonly id: string;
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly state: 'OPEN' | 'CLOSED' | 'MERGED';
  readonly isDraft: boolean;
  readonly headRefName: string;
  readonly headRefOid: string;
  readonly baseRefName: string;
  readonly isCrossRepository: boolean;
  readonly updatedAt: string;
  readonly mergedAt: string | null;
  readonly author: Actor | null;
  readonly editor: Actor | null;
  readonly labels: Nodes<{ readonly name: string }> | null;
  readonly timelineItems: Nodes<TimelineItem>;
}

export interface IssueNode {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly state: 'OPEN' | 'CLOSED';
  readonly updatedAt: string;
  readonly author: Actor | null;
  readonly editor: Actor | null;
}

export const pullFields = `fragment Pull on PullRequest {
  id number url title body state isDraft headRefName headRefOid baseRefName isCrossRepository updatedAt mergedAt
  author { __typename login } editor { __typename login }
  labels(first: 50) { nodes { name } }
  timelineItems(last: 2, itemTypes: [CLOSED_EVENT, BASE_REF_DELETED_EVENT]) {
    nodes {
      __typename
      ... on ClosedEvent { createdAt }
      ... on BaseRefDeletedEvent { createdAt }
    }
  }
}`;

export const issueFields = `fragment Issue on Issue {
  number title body state updatedAt author { __typename login } editor { __typename login }
}`;

/** The login as REST and events write it. GraphQL leaves out `[bot]`, and deleted accounts are `ghost`. */
export function loginOf(actor: Actor | null): string {
  if (!actor) return 'ghost';
  return actor.__typename === 'Bot' && !actor.login.endsWith('[bot]') ? `${actor.login}[bot]` : actor.login;
}

export function isBot(actor: Actor | null): boolean {
  return actor?.__typename === 'Bot';
}

function editorOf({ author, editor }: Pick<PullNode, 'author' | 'editor'>): string | null {
  return editor && loginOf(editor) !== loginOf(author) ? loginOf(editor) : null;
}

export function pullFacts(node: PullNode, ourLogin: string): PullFacts {
  const events = present(node.timelineItems);
  const closed =
    node.state === 'CLOSED' ? events.findLast((one) => one.__typename === 'ClosedEvent') : undefined;
  return {
    number: node.number,
    nodeId: node.id,
    url: node.url,
    state: stateOf(node),
    branch: node.headRefName,
    base: node.baseRefName,
    headCommit: node.headRefOid,
    title: node.title,
    body: node.body,
    isOurs: loginOf(node.author) === ourLogin,
    author: loginOf(node.author),
    labels: present(node.labels).map((one) => one.name),
    bodyEditedBy: editorOf(node),
    updatedAt: node.updatedAt,
    mergedAt: node.mergedAt,
    closedWithBase:
      closed !== undefined &&
      events.some((one) => one.__typename === 'BaseRefDeletedEvent' && isWith(closed, one)),
    fromFork: node.isCrossRepository,
  };
}

/** GitHub closes a pull request within moments of deleting its base. At any other time a person did. */
function isWith(closed: TimelineItem, deleted: TimelineItem): boolean {
  const secondsAfter = (Date.parse(closed.createdAt) - Date.parse(deleted.createdAt)) / 1000;
  return secondsAfter >= -5 && secondsAfter <= 60;
}

export function issueFacts(node: IssueNode, ourLogin: string): IssueFacts {
  return {
    number: node.number,
    title: node.title,
    body: node.body,
    state: node.state === 'OPEN' ? 'open' : 'closed',
    isOurs: loginOf(node.author) === ourLogin,
    bodyEditedBy: editorOf(node),
    updatedAt: node.updatedAt,
  };
}

export function present<T>(list: Nodes<T> | null | undefined): T[] {
  return (list?.nodes ?? []).filter((one): one is T => one !== null);
}

function stateOf({ state, isDraft }: PullNode): PullFacts['state'] {
  if (state === 'MERGED') return 'merged';
  if (state === 'CLOSED') return 'closed';
  return isDraft ? 'draft' : 'open';
}

/**
 * Makes all changes to a pull request in one request: the reviews first, then the body, which records that
 * they were posted. GitHub applies the changes in order, and refusing one does not undo the others.
 */

const inlineMax = 30;
const bodyCharactersMax = 65_000;

type Pull = Pick<PullFacts, 'number' | 'nodeId' | 'body'>;

export async function changePull(
  client: GithubClient,
  pull: Pull,
  change: PullChange,
  ourLogin: string,
): Promise<void> {
  const reviews = (change.reviews ?? []).map(withinLimits);
  const refused = await sendOnce(client, pull, { ...change, reviews }, ourLogin);
  const [fields, ready] = [refused.get('fields'), refused.get('ready')];
  if (fields) throw fields;
  // Some repositories have no drafts (private ones on the free plan). There the pull request stays as it is.
  if (ready && !(change.ready === false && ready.data['status'] === 422)) throw ready;
  const again = reviews.flatMap((review, index) => {
    const error = refused.get(`review${index}`);
    return error ? [{ review, error }] : [];
  });
  if (again.length === 0) return;
  try {
    for (const { review, error } of again) await postWithoutPlaces(client, pull, review, error, ourLogin);
  } catch (error) {
    // The reviews were not posted, so the body must not record that they were.
    if (change.fields?.body !== undefined) await send(client, pull, { fields: { body: pull.body } });
    throw error;
  }
}

/** Posts a refused review again, with its line comments in the body and without a commit that is gone. */
async function postWithoutPlaces(
  client: GithubClient,
  pull: Pull,
  { commit, body, comments, rest }: ReviewWanted,
  error: GzaError,
  ourLogin: string,
): Promise<void> {
  const isCommitGone = /commit/i.test(error.message);
  if (error.data['status'] !== 422 || (comments.length === 0 && !isCommitGone)) throw error;
  const review = { commit: isCommitGone ? null : commit, body, comments: [], rest: [...comments, ...rest] };
  const refused = await sendOnce(client, pull, { reviews: [review] }, ourLogin);
  for (const one of refused.values()) throw one;
}

type Refused = ReadonlyMap<string, GzaError>;

/** Sends the change. When the answer was lost, checks what was posted, so that no review is posted twice. */
async function sendOnce(
  client: GithubClient,
  pull: Pull,
  change: PullChange,
  ourLogin: string,
): Promise<Refused> {
  const { reviews = [] } = change;
  try {
    return await send(client, pull, change);
  } catch (error) {
    if (!isGzaError(error) || !error.data['isLost']) throw error;
    const posted = await ourReviews(client, pull.number, ourLogin);
    if (!reviews.every((one) => posted.includes(textOf(one)))) throw error;
    return send(client, pull, { ...change, reviews: [] });
  }
}

const reviewPart = ['AddPullRequestReviewInput', 'addPullRequestReview', 'pullRequestReview { id }'] as const;
const fieldsPart = ['UpdatePullRequestInput', 'updatePullRequest', 'pullRequest { id }'] as const;
const readyPart = [
  'MarkPullRequestReadyForReviewInput',
  'markPullRequestReadyForReview',
  'pullRequest { id }',
] as const;
const draftPart = [
  'ConvertPullRequestToDraftInput',
  'convertPullRequestToDraft',
  'pullRequest { id }',
] as const;

const resolvePart = ['ResolveReviewThreadInput', 'resolveReviewThread', 'thread { id }'] as const;
const hidePart = ['MinimizeCommentInput', 'minimizeComment', 'minimizedComment { isMinimized }'] as const;

interface Part {
  readonly name: string;
  /** The type of its input, the field it is sent in, and the fields requested in the answer. */
  readonly of: readonly [type: string, field: string, answer: string];
  readonly input: Readonly<Record<string, unknown>>;
}

function partsOf({ nodeId }: Pull, { reviews = [], fields, ready, outdated }: PullChange): Part[] {
  const onPull = { pullRequestId: nodeId };
  const parts: Part[] = reviews.map((review, index) => {
    return { name: `review${index}`, of: reviewPart, input: { ...onPull, ...reviewInput(review) } };
  });
  if (fields) {
    const { base, ...words } = fields;
    const input = { ...onPull, ...words, ...(base ? { baseRefName: base } : {}) };
    parts.push({ name: 'fields', of: fieldsPart, input });
  }
  if (ready !== undefined) parts.push({ name: 'ready', of: ready ? readyPart : draftPart, input: onPull });
  for (const [index, one] of (outdated?.threads ?? []).entries())
    parts.push({ name: `resolve${index}`, of: resolvePart, input: { threadId: one.nodeId } });
  for (const [index, subjectId] of (outdated?.reviews ?? []).entries())
    parts.push({ name: `hide${index}`, of: hidePart, input: { subjectId, classifier: 'OUTDATED' } });
  return parts;
}

async function send(client: GithubClient, pull: Pull, change: PullChange): Promise<Refused> {
  const { reviews = [] } = change;
  const parts = partsOf(pull, change);
  if (parts.length === 0) return new Map();
  const inputs = parts.map(({ name, of: [type] }) => `$${name}: ${type}!`).join(', ');
  const changes = parts.map(
    ({ name, of: [, field, answer] }) => `${name}: ${field}(input: $${name}) { ${answer} }`,
  );
  return client.change({
    operation: reviews.length > 0 ? 'post a review' : 'update a pull request',
    query: `mutation (${inputs}) {\n${changes.join('\n')}\n}`,
    variables: Object.fromEntries(parts.map(({ name, input }) => [name, input])),
    repeatable: reviews.length === 0,
  });
}

/** The review is always a comment: a bot can neither approve nor reject its own pull request. */
function reviewInput(review: ReviewWanted): Readonly<Record<string, unknown>> {
  const { commit, comments } = review;
  const threads = comments.map(({ path, line, body }) => ({
    path,
    line,
    side: 'RIGHT',
    body: body.slice(0, bodyCharactersMax),
  }));
  return {
    event: 'COMMENT',
    body: textOf(review),
    ...(commit === null ? {} : { commitOID: commit }),
    ...(threads.length > 0 ? { threads } : {}),
  };
}

function textOf({ body, rest }: ReviewWanted): string {
  return reviewBody(body, rest, bodyCharactersMax).text;
}

function withinLimits(review: ReviewWanted): ReviewWanted {
  const { comments, rest } = review;
  return {
    ...review,
    comments: comments.slice(0, inlineMax),
    rest: [...comments.slice(inlineMax), ...rest],
  };
}

/** The texts of our reviews, among the first 300. */
export async function ourReviews(client: GithubClient, pull: number, ourLogin: string): Promise<string[]> {
  const { items } = await client.list(
    {
      operation: 'read pull requests',
      pages: (rest, here) => [rest.pulls.listReviews, { ...here, pull_number: pull }],
    },
    { itemsMax: 300 },
  );
  return items.filter(({ user }) => user?.login === ourLogin).map(({ body }) => body);
}
