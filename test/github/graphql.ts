/**
 * GraphQL over the part of GitHub's own schema in graphql/github.graphql. A query that the part does not know is
 * answered 501 and fails the test: then extend extract.mjs, not the query.
 */
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  execute,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  validate,
} from 'graphql';
import { type Answer, refuse } from './answers.ts';
import { type Input, pullChanges, pullToChange } from './graphql-pull-changes.ts';
import {
  connection,
  failure,
  issueValue,
  need,
  type Order,
  ordered,
  pullValue,
  threadValue,
  type Window,
} from './graphql-values.ts';
import { bucketOf } from './rate.ts';
import { recordMoves, zero } from './record-moves.ts';
import { findPull, iso, isPull, type Token, takeId } from './state.ts';
import { by, render, type World } from './world.ts';

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
        pullRequests(
          args: Window & {
            states?: string[];
            headRefName?: string;
            baseRefName?: string;
            orderBy?: Order;
          },
        ) {
          need(world, token, 'pull_requests:read');
          const all = state.issues.filter(isPull).map((pull) => pullValue(world, pull));
          const found = all
            .filter((one) => !args.states || args.states.includes(one.state))
            .filter((one) => !args.headRefName || one.headRefName === args.headRefName)
            .filter((one) => !args.baseRefName || one.baseRefName === args.baseRefName);
          return connection('pullRequests', ordered(found, args.orderBy))(args);
        },
        issues(
          args: Window & {
            filterBy?: { createdBy?: string; since?: string };
            labels?: readonly string[];
            states?: readonly string[];
            orderBy?: Order;
          },
        ) {
          need(world, token, 'issues:read');
          const found = state.issues
            .filter((one) => !one.pull)
            .filter((one) => !args.filterBy?.createdBy || one.author === args.filterBy.createdBy)
            .filter((one) => !args.labels || args.labels.some((label) => one.labels.includes(label)))
            .filter((one) => !args.states || args.states.includes(one.state.toUpperCase()))
            .filter((one) => !args.filterBy?.since || iso(one.updatedAt) >= args.filterBy.since)
            .map((one) => issueValue(world, one));
          return connection('issues', ordered(found, args.orderBy))(args);
        },
        issue({ number }: { number: number }) {
          need(world, token, 'issues:read');
          const issue = state.issues.find((one) => one.number === number && !one.pull);
          if (!issue)
            throw failure('NOT_FOUND', `Could not resolve to an Issue with the number of ${number}.`);
          return issueValue(world, issue);
        },
      };
    },
  };
}

function mutations(world: World, token: Token) {
  const { state } = world;
  const draft =
    (to: boolean) =>
    ({ input }: Input<{ pullRequestId: string }>) => {
      const pull = pullToChange(world, token, input);
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
      comment.resolvedBy = token.login;
      return { thread: threadValue(world, comment), clientMutationId: input.clientMutationId };
    };
  return {
    ...pullChanges(world, token),
    markPullRequestReadyForReview: draft(false),
    convertPullRequestToDraft: draft(true),
    resolveReviewThread: resolve(true),
    unresolveReviewThread: resolve(false),
    addReaction({ input }: Input<{ subjectId: string; content: string }>) {
      need(world, token, 'pull_requests:write');
      const review = state.reviews.find((one) => render(world).node('PRR', one.id) === input.subjectId);
      if (!review)
        throw failure('NOT_FOUND', `Could not resolve to a node with the global id of '${input.subjectId}'`);
      const content = input.content.toLowerCase().replace('thumbs_down', '-1');
      const [id, target, createdAt] = [takeId(state), review.id, state.now];
      state.reactions.push({ id, on: 'review', target, author: token.login, content, createdAt });
      return { clientMutationId: input.clientMutationId };
    },
    minimizeComment({ input }: Input<{ subjectId: string; classifier: string }>) {
      need(world, token, 'pull_requests:write');
      const review = state.reviews.find((one) => render(world).node('PRR', one.id) === input.subjectId);
      if (!review)
        throw failure('NOT_FOUND', `Could not resolve to a node with the global id of '${input.subjectId}'`);
      review.minimized = input.classifier;
      const minimizedComment = { __typename: 'PullRequestReview', isMinimized: true };
      return { minimizedComment, clientMutationId: input.clientMutationId };
    },
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
  const before = await world.data.refs();
  const done = await world.data.git.run(['update-ref', '-z', '--stdin'], { stdin: lines.join('') });
  if (done.code !== 0) throw failure('UNPROCESSABLE', `Reference update failed: ${done.stderr.trim()}`);
  const moves = input.refUpdates.map((one) => ({
    ref: one.name,
    old: before.get(one.name) ?? zero,
    new: one.afterOid,
  }));
  await recordMoves(world, moves, by(token));
  return { clientMutationId: input.clientMutationId };
}
