/**
 * GraphQL over the part of GitHub's own schema in graphql/github.graphql. A query that the part does not know is
 * answered 501 and fails the test: then extend extract.mjs, not the query.
 */
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  execute,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  validate,
} from 'graphql';
import { type Answer, refuse } from './answers.ts';
import { isAllowed } from './permissions.ts';
import { bucketOf } from './rate.ts';
import {
  type Edit,
  findPull,
  type Issue,
  iso,
  isPull,
  type PullIssue,
  type ReviewComment,
  type State,
  type Token,
} from './state.ts';
import { by, render, syncPulls, type World } from './world.ts';

const schema = buildSchema(readFileSync(new URL('graphql/github.graphql', import.meta.url), 'utf8'));

export async function answerGraphql(world: World, token: Token, body: unknown): Promise<Answer> {
  const { query = '', variables } = (body ?? {}) as { query?: string; variables?: Record<string, unknown> };
  const document = parse(query);
  const wrong = validate(schema, document);
  if (wrong.length > 0) {
    world.violations.push(...wrong.map((error) => `GraphQL: ${error.message}`));
    throw refuse(501, `The fake's part of the schema does not allow this: ${wrong[0]?.message}`);
  }
  const result = await execute({
    schema,
    document,
    rootValue: root(world, token),
    variableValues: variables,
    typeResolver,
  });
  const operation = document.definitions.find(
    (one): one is OperationDefinitionNode => one.kind === Kind.OPERATION_DEFINITION,
  );
  if (operation?.operation === OperationTypeNode.MUTATION) bucketOf(world.state, token, 'graphql').used += 4;
  const errors = result.errors?.map((error) => ({
    type: error.extensions['type'] ?? 'INTERNAL',
    path: error.path,
    locations: error.locations,
    message: error.message,
  }));
  if (errors?.some((error) => error.type === 'INTERNAL'))
    world.violations.push(`GraphQL broke: ${JSON.stringify(errors)}`);
  return { status: 200, body: { data: result.data ?? null, ...(errors ? { errors } : {}) } };
}

const typeResolver = (value: unknown) => (value as { __typename: string }).__typename;

function failure(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}

function need(world: World, token: Token, ...needs: string[]): void {
  if (!isAllowed(world.state, token, needs))
    throw failure('FORBIDDEN', 'Resource not accessible by integration');
}

/** GraphQL names a bot without the `[bot]` that REST puts behind. */
function actor(state: State, login: string) {
  const isBot = state.users[login]?.type === 'Bot';
  return { __typename: isBot ? 'Bot' : 'User', login: login.replace(/\[bot\]$/, '') };
}

interface Window {
  readonly first?: number;
  readonly last?: number;
  readonly after?: string;
}

function connection(name: string, list: readonly unknown[]) {
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

function pullValue(world: World, pull: PullIssue) {
  const { state, data } = world;
  const { pull: facts } = pull;
  const roots = state.reviewComments.filter((one) => one.issue === pull.number && one.inReplyTo === null);
  return {
    ...words(world, pull),
    id: `PR_${pull.id}`,
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
    reviewThreads: connection(
      'reviewThreads',
      roots.map((one) => threadValue(world, one)),
    ),
  };
}

function threadValue({ state }: World, rootComment: ReviewComment) {
  const comments = state.reviewComments.filter(
    (one) => one.id === rootComment.id || one.inReplyTo === rootComment.id,
  );
  return {
    id: `PRRT_${rootComment.id}`,
    isResolved: rootComment.resolved,
    path: rootComment.path,
    line: rootComment.line,
    resolvedBy: null,
    comments: connection(
      'comments',
      comments.map((one) => ({
        id: `PRRC_${one.id}`,
        databaseId: one.id,
        body: one.body,
        author: actor(state, one.author),
        createdAt: iso(one.createdAt),
      })),
    ),
  };
}

function root(world: World, token: Token) {
  return { ...queries(world, token), ...mutations(world, token) };
}

function queries(world: World, token: Token) {
  const { state } = world;
  return {
    rateLimit() {
      const { used, limit, resetAt } = bucketOf(state, token, 'graphql');
      return { cost: 1, limit, used, remaining: limit - used, resetAt: iso(resetAt) };
    },
    repository({ owner, name }: { owner: string; name: string }) {
      if (owner !== state.owner || name !== state.repo)
        throw failure('NOT_FOUND', `Could not resolve to a Repository with the name '${owner}/${name}'.`);
      return {
        id: 'R_424242',
        nameWithOwner: `${owner}/${name}`,
        pullRequest({ number }: { number: number }) {
          need(world, token, 'pull_requests:read');
          const pull = findPull(state, number);
          if (!pull)
            throw failure('NOT_FOUND', `Could not resolve to a PullRequest with the number of ${number}.`);
          return pullValue(world, pull);
        },
        pullRequests(args: Window & { states?: string[]; headRefName?: string; baseRefName?: string }) {
          need(world, token, 'pull_requests:read');
          const all = state.issues.filter(isPull).map((pull) => pullValue(world, pull));
          const found = all
            .filter((one) => !args.states || args.states.includes(one.state))
            .filter((one) => !args.headRefName || one.headRefName === args.headRefName)
            .filter((one) => !args.baseRefName || one.baseRefName === args.baseRefName);
          return connection('pullRequests', found)(args);
        },
        issue({ number }: { number: number }) {
          need(world, token, 'issues:read');
          const issue = state.issues.find((one) => one.number === number && !one.pull);
          if (!issue)
            throw failure('NOT_FOUND', `Could not resolve to an Issue with the number of ${number}.`);
          return { ...words(world, issue), id: `I_${issue.id}`, state: issue.state.toUpperCase() };
        },
      };
    },
  };
}

interface Input<T> {
  readonly input: T & { readonly clientMutationId?: string };
}

function mutations(world: World, token: Token) {
  const { state } = world;
  const draft =
    (to: boolean) =>
    ({ input }: Input<{ pullRequestId: string }>) => {
      need(world, token, 'pull_requests:write');
      const pull = state.issues
        .filter(isPull)
        .find(
          (one) =>
            input.pullRequestId === `PR_${one.id}` ||
            input.pullRequestId === render(world).node('PR', one.id),
        );
      if (!pull)
        throw failure(
          'NOT_FOUND',
          `Could not resolve to a node with the global id of '${input.pullRequestId}'`,
        );
      if (pull.state === 'closed') throw failure('UNPROCESSABLE', 'Pull request is closed');
      pull.pull.draft = to;
      pull.updatedAt = state.now;
      return { pullRequest: pullValue(world, pull), clientMutationId: input.clientMutationId };
    };
  const resolve =
    (to: boolean) =>
    ({ input }: Input<{ threadId: string }>) => {
      need(world, token, 'pull_requests:write');
      const comment = state.reviewComments.find((one) => `PRRT_${one.id}` === input.threadId);
      if (!comment)
        throw failure('NOT_FOUND', `Could not resolve to a node with the global id of '${input.threadId}'`);
      comment.resolved = to;
      return { thread: threadValue(world, comment), clientMutationId: input.clientMutationId };
    };
  return {
    markPullRequestReadyForReview: draft(false),
    convertPullRequestToDraft: draft(true),
    resolveReviewThread: resolve(true),
    unresolveReviewThread: resolve(false),
    updateRefs: (args: Input<{ refUpdates: readonly RefUpdate[] }>) => updateRefs(world, token, args),
  };
}

interface RefUpdate {
  readonly name: string;
  readonly afterOid: string;
  readonly beforeOid?: string;
}

/** All or nothing; `beforeOid` of zeros means the ref must not be there. */
async function updateRefs(
  world: World,
  token: Token,
  { input }: Input<{ refUpdates: readonly RefUpdate[] }>,
) {
  need(world, token, 'contents:write');
  const lines = input.refUpdates.map(({ name, afterOid, beforeOid }) =>
    /^0+$/.test(afterOid)
      ? `delete ${name}\0${beforeOid ?? ''}\0`
      : `update ${name}\0${afterOid}\0${beforeOid ?? ''}\0`,
  );
  const done = await world.data.git.run(['update-ref', '-z', '--stdin'], { stdin: lines.join('') });
  if (done.code !== 0) throw failure('UNPROCESSABLE', `Reference update failed: ${done.stderr.trim()}`);
  await syncPulls(world, by(token));
  return { clientMutationId: input.clientMutationId };
}
