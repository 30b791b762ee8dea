/** Changes of pull requests by GraphQL: what REST checks and does, with GraphQL's names and errors. */
import { Refusal } from './answers.ts';
import { failure, need, pullValue } from './graphql-values.ts';
import type { Call } from './route.ts';
import { updatePull } from './routes/pulls.ts';
import { createReview } from './routes/reviews.ts';
import { isPull, type PullIssue, type Review, type Token } from './state.ts';
import { render, type World } from './world.ts';

export interface Input<T> {
  readonly input: T & { readonly clientMutationId?: string };
}

interface OfPull {
  readonly pullRequestId: string;
}

export function pullToChange(world: World, token: Token, { pullRequestId: id }: OfPull): PullIssue {
  need(world, token, 'pull_requests:write');
  const pulls = world.state.issues.filter(isPull);
  const found = pulls.find((one) => id === render(world).node('PR', one.id));
  if (!found) throw failure('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
  return found;
}

interface Update extends OfPull {
  readonly title?: string;
  readonly body?: string;
  readonly baseRefName?: string;
  readonly state?: 'OPEN' | 'CLOSED';
}

interface NewReview extends OfPull {
  readonly body?: string;
  readonly commitOID?: string;
  readonly event?: 'APPROVE' | 'COMMENT' | 'REQUEST_CHANGES';
  readonly threads?: readonly {
    readonly path: string;
    readonly line?: number;
    readonly side?: string;
    readonly body: string;
  }[];
}

export function pullChanges(world: World, token: Token) {
  const asRest = async (pull: PullIssue, body: Record<string, unknown>, send: (call: Call) => unknown) => {
    const { state, data } = world;
    const params = { pull_number: String(pull.number) };
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    const call: Call = {
      world,
      state,
      data,
      render: render(world),
      params,
      query: new URLSearchParams(),
      body: given,
      token,
    };
    try {
      return await send(call);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw failure('UNPROCESSABLE', wordsOf(error));
    }
  };
  return {
    /** Docs, GraphQL mutations: only where the base has a queue, and only the head that is named. */
    enqueuePullRequest({ input }: Input<OfPull & { readonly expectedHeadOid?: string }>) {
      need(world, token, 'contents:write');
      const pull = pullToChange(world, token, input);
      const { state } = world;
      const { head, draft, base } = pull.pull;
      const isQueued = state.settings.mergeQueue && base === state.defaultBranch;
      if (!isQueued) throw failure('UNPROCESSABLE', 'The base branch does not require a merge queue');
      if (pull.state === 'closed' || draft) throw failure('UNPROCESSABLE', 'Pull request is not mergeable');
      if (input.expectedHeadOid !== undefined && input.expectedHeadOid !== head.sha)
        throw failure('UNPROCESSABLE', 'Head branch was modified');
      if (state.queue?.includes(pull.number))
        throw failure('UNPROCESSABLE', 'Pull request is already in the queue');
      (state.queue ??= []).push(pull.number);
      return { clientMutationId: input.clientMutationId };
    },
    async updatePullRequest({ input }: Input<Update>) {
      const pull = pullToChange(world, token, input);
      const { title, body, baseRefName: base } = input;
      await asRest(pull, { title, body, base, state: input.state?.toLowerCase() }, updatePull);
      return { pullRequest: pullValue(world, pull), clientMutationId: input.clientMutationId };
    },
    async addPullRequestReview({ input }: Input<NewReview>) {
      const pull = pullToChange(world, token, input);
      const { body, commitOID: commit_id, event, threads: comments } = input;
      await asRest(pull, { body, commit_id, event, comments }, createReview);
      const made = world.state.reviews.at(-1) as Review;
      const review = { id: render(world).node('PRR', made.id), databaseId: made.id, body: made.body };
      return { pullRequestReview: review, clientMutationId: input.clientMutationId };
    },
  };
}

/** GitHub names the field, or says the sentence alone. */
function wordsOf({ answer }: Refusal): string {
  const { message, errors = [] } = answer.body as { message: string; errors?: readonly unknown[] };
  const said = errors.map((one) => (typeof one === 'string' ? one : (one as { message?: string }).message));
  return said.find((one) => one !== undefined) ?? message;
}
