/** The state as the objects that GraphQL's resolvers walk. */
import { GraphQLError } from 'graphql';
import { isAllowed } from './permissions.ts';
import {
  type Edit,
  type Issue,
  iso,
  type PullIssue,
  type ReviewComment,
  type State,
  type Token,
} from './state.ts';
import { render, type World } from './world.ts';

export function failure(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}

export function need(world: World, token: Token, ...needs: string[]): void {
  if (!isAllowed(world.state, token, needs))
    throw failure('FORBIDDEN', 'Resource not accessible by integration');
}

/** GraphQL names a bot without the `[bot]` that REST puts behind. */
function actor(state: State, login: string) {
  const isBot = state.users[login]?.type === 'Bot';
  const databaseId = state.users[login]?.id ?? null;
  return { __typename: isBot ? 'Bot' : 'User', login: login.replace(/\[bot\]$/, ''), databaseId };
}

export interface Window {
  readonly first?: number;
  readonly last?: number;
  readonly after?: string;
}

export function connection(name: string, list: readonly unknown[]) {
  return ({ first, last, after }: Window) => {
    if (first === undefined && last === undefined)
      throw failure(
        'MISSING_PAGINATION_BOUNDARIES',
        `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`,
      );
    if ((first ?? last ?? 0) > 100)
      throw failure(
        'EXCESSIVE_PAGINATION',
        `Requesting ${first ?? last} records on the \`${name}\` connection exceeds the \`first\` limit of 100 records.`,
      );
    const start = after
      ? Number(Buffer.from(after, 'base64').toString('utf8'))
      : last !== undefined
        ? Math.max(0, list.length - last)
        : 0;
    const end = Math.min(list.length, start + (first ?? list.length));
    const cursor = (at: number) => Buffer.from(String(at)).toString('base64');
    return {
      nodes: list.slice(start, end),
      totalCount: list.length,
      pageInfo: {
        hasNextPage: end < list.length,
        endCursor: cursor(end),
        hasPreviousPage: start > 0,
        startCursor: cursor(start),
      },
    };
  };
}

export interface Order {
  readonly field: 'CREATED_AT' | 'UPDATED_AT' | 'COMMENTS';
  readonly direction: 'ASC' | 'DESC';
}

/** By default the oldest first. */
export function ordered<T extends { readonly createdAt: string; readonly updatedAt: string }>(
  list: readonly T[],
  order: Order = { field: 'CREATED_AT', direction: 'ASC' },
): T[] {
  const key = order.field === 'UPDATED_AT' ? 'updatedAt' : 'createdAt';
  const sorted = list.toSorted((a, b) => (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0));
  return order.direction === 'DESC' ? sorted.toReversed() : sorted;
}

function edits(state: State, list: readonly Edit[]) {
  // Newest first, as GitHub lists them.
  return [...list].reverse().map((edit) => ({
    editor: actor(state, edit.editor),
    editedAt: iso(edit.at),
    createdAt: iso(edit.at),
    diff: edit.from,
  }));
}

function words(world: World, issue: Issue) {
  const { state } = world;
  const last = issue.edits.at(-1);
  return {
    number: issue.number,
    title: issue.title,
    body: issue.body ?? '',
    closed: issue.state === 'closed',
    createdAt: iso(issue.createdAt),
    updatedAt: iso(issue.updatedAt),
    lastEditedAt: last ? iso(last.at) : null,
    editor: last ? actor(state, last.editor) : null,
    author: actor(state, issue.author),
    userContentEdits: connection('userContentEdits', edits(state, issue.edits)),
    url: `${render(world).html}/${issue.pull ? 'pull' : 'issues'}/${issue.number}`,
  };
}

export function issueValue(world: World, issue: Issue) {
  const comments = commentsOn(world, issue);
  const timelineItems = timelineOf(world, issue);
  return {
    ...words(world, issue),
    id: `I_${issue.id}`,
    state: issue.state.toUpperCase(),
    comments,
    timelineItems,
  };
}

function commentsOn({ state }: World, issue: Issue) {
  const all = state.comments
    .filter((one) => one.issue === issue.number)
    .map((one) => ({
      id: `IC_${one.id}`,
      databaseId: one.id,
      body: one.body,
      author: actor(state, one.author),
      createdAt: iso(one.createdAt),
      updatedAt: iso(one.updatedAt),
      isMinimized: false,
    }));
  return connection('comments', all);
}

const eventNames = {
  closed: 'ClosedEvent',
  base_ref_deleted: 'BaseRefDeletedEvent',
  labeled: 'LabeledEvent',
  renamed: 'RenamedTitleEvent',
} as const;

/** Of the page's events those that the schema has a type for. */
function timelineOf({ state }: World, { number }: Issue) {
  const all = state.timeline
    .filter((one) => one.issue === number)
    .flatMap((one) => {
      const __typename = eventNames[one.event as keyof typeof eventNames];
      const label = { name: one.label };
      return __typename
        ? [{ __typename, actor: actor(state, one.actor), createdAt: iso(one.at), label }]
        : [];
    });
  const typeOf = (name: string) => name.replace(/(?<!^)([A-Z])/g, '_$1').toUpperCase();
  return (args: Window & { itemTypes?: readonly string[] }) =>
    connection(
      'timelineItems',
      all.filter(({ __typename }) => !args.itemTypes || args.itemTypes.includes(typeOf(__typename))),
    )(args);
}

export function pullValue(world: World, pull: PullIssue) {
  const { state, data } = world;
  const { pull: facts } = pull;
  const roots = state.reviewComments.filter((one) => one.issue === pull.number && one.inReplyTo === null);
  return {
    ...words(world, pull),
    id: render(world).node('PR', pull.id),
    state: facts.merged ? 'MERGED' : pull.state.toUpperCase(),
    merged: facts.merged,
    mergedAt: facts.mergedAt === null ? null : iso(facts.mergedAt),
    mergeCommit: facts.mergeCommit ? { oid: facts.mergeCommit } : null,
    closedAt: pull.closedAt === null ? null : iso(pull.closedAt),
    isDraft: facts.draft,
    baseRefName: facts.base,
    baseRefOid: () => data.commit(`refs/heads/${facts.base}`),
    headRefName: facts.head.ref,
    headRefOid: facts.head.sha,
    mergeable: 'UNKNOWN',
    isCrossRepository: facts.head.repo !== `${state.owner}/${state.repo}`,
    labels: connection(
      'labels',
      pull.labels.map((name) => ({ name })),
    ),
    timelineItems: timelineOf(world, pull),
    comments: commentsOn(world, pull),
    reviews: connection(
      'reviews',
      state.reviews
        .filter((one) => one.pull === pull.number && one.state !== 'PENDING')
        .map((one) => ({
          id: render(world).node('PRR', one.id),
          databaseId: one.id,
          body: one.body,
          author: actor(state, one.author),
          state: one.state,
          createdAt: iso(one.submittedAt),
          updatedAt: iso(one.submittedAt),
          submittedAt: iso(one.submittedAt),
          lastEditedAt: null,
          isMinimized: one.minimized !== undefined,
        })),
    ),
    reviewThreads: connection(
      'reviewThreads',
      roots.map((one) => threadValue(world, one)),
    ),
  };
}

export function threadValue({ state }: World, rootComment: ReviewComment) {
  const comments = state.reviewComments.filter(
    (one) => one.id === rootComment.id || one.inReplyTo === rootComment.id,
  );
  return {
    id: `PRRT_${rootComment.id}`,
    isResolved: rootComment.resolved,
    path: rootComment.path,
    line: rootComment.line,
    resolvedBy: rootComment.resolved ? actor(state, rootComment.resolvedBy ?? state.owner) : null,
    comments: connection(
      'comments',
      comments.map((one) => ({
        id: `PRRC_${one.id}`,
        databaseId: one.id,
        body: one.body,
        author: actor(state, one.author),
        createdAt: iso(one.createdAt),
        updatedAt: iso(one.updatedAt),
      })),
    ),
  };
}
