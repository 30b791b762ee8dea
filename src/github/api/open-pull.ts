/** Opens a pull request. If one exists, or the answer was lost, it is found by its branch. */
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { type GzaError, isGzaError } from '../../core/errors.ts';
import type { Asked, ClientOptions, GithubClient } from './client/client.ts';
import { pullsForbidden, pullsForbiddenHint, wordsOf } from './client/explain.ts';
import type { Opened, PullFacts, PullWanted } from './forge.ts';
import { pullFacts } from './pull-facts.ts';
import { pullNode, pullNumbersOf } from './read-pulls.ts';

export interface OpenPullContext {
  readonly client: GithubClient;
  readonly ourLogin: string;
  readonly sleep: ClientOptions['sleep'];
  readonly log?: ClientOptions['log'];
}

type PullJson = RestEndpointMethodTypes['pulls']['create']['response']['data'];

type Created =
  | { readonly kind: 'created'; readonly json: PullJson }
  | { readonly kind: 'exists' | 'lost'; readonly error: GzaError }
  | { readonly kind: 'no-commits' }
  | { readonly kind: 'forbidden'; readonly hint: string };

/** GitHub's lists may lag behind its writes, so the search is repeated. */
const looksMax = 4;

export async function openPull(context: OpenPullContext, wanted: PullWanted): Promise<Opened> {
  let created = await create(context.client, wanted, wanted.draft);
  if (created.kind === 'lost') {
    const found = await findOpen(context, wanted, 1);
    if (found) return complete(context, wanted, { kind: 'found', pull: found });
    // Creating again is safe: none was found, and GitHub refuses a second one for the same branch.
    created = await create(context.client, wanted, wanted.draft);
  }
  switch (created.kind) {
    case 'no-commits':
    case 'forbidden':
      return created;
    case 'exists':
    case 'lost': {
      const pull = await findOpen(context, wanted, looksMax);
      if (!pull) throw created.error;
      return complete(context, wanted, { kind: 'found', pull });
    }
    case 'created':
      return complete(context, wanted, {
        kind: 'opened',
        pull: factsOf(created.json, wanted, context.ourLogin),
      });
  }
}

async function create(client: GithubClient, wanted: PullWanted, draft: boolean): Promise<Created> {
  const { branch: head, base, title, body } = wanted;
  const asked: Asked<PullJson> = {
    operation: 'open a pull request',
    send: (rest, here) => rest.pulls.create({ ...here, head, base, title, body, draft }),
  };
  try {
    const answer = await client.ask(asked);
    if (answer.status < 300) return { kind: 'created', json: answer.data };
    const words = wordsOf(answer);
    const error = client.refused(asked, answer);
    if (pullsForbidden.test(words)) return { kind: 'forbidden', hint: pullsForbiddenHint };
    if (answer.status !== 422) throw error;
    if (/already exists/i.test(words)) return { kind: 'exists', error };
    if (/no commits between/i.test(words)) return { kind: 'no-commits' };
    // Private repositories of the free plan have no drafts.
    if (draft && /draft pull requests are not supported/i.test(words))
      return await create(client, wanted, false);
    throw error;
  } catch (error) {
    if (isGzaError(error) && error.data['isLost']) return { kind: 'lost', error };
    throw error;
  }
}

async function findOpen(
  { client, ourLogin, sleep }: OpenPullContext,
  { branch, base }: PullWanted,
  looks: number,
): Promise<PullFacts | null> {
  for (let look = 1; look <= looks; look += 1) {
    const pulls: PullFacts[] = [];
    for (const number of (await pullNumbersOf(client, branch, 'open')).slice(0, 3)) {
      const node = await pullNode(client, number);
      if (node) pulls.push(pullFacts(node, ourLogin));
    }
    const found = pulls.find((one) => one.base === base) ?? pulls[0];
    if (found) return found;
    if (look < looks) await sleep(1000 * 2 ** (look - 1));
  }
  return null;
}

/** Asks for reviews only when the pull request is new, so that people are asked once. */
async function complete<T extends Opened & { readonly pull: PullFacts }>(
  { client, log }: OpenPullContext,
  { reviewers }: PullWanted,
  opened: T,
): Promise<T> {
  if (reviewers.length > 0 && opened.kind === 'opened')
    await askReviewers(client, opened.pull.number, reviewers, log);
  return opened;
}

/** Only logs a failure: the pull request matters more than its reviewers. */
async function askReviewers(
  client: GithubClient,
  number: number,
  reviewers: readonly string[],
  log: ClientOptions['log'],
): Promise<void> {
  const asked: Asked = {
    operation: 'ask for reviewers',
    repeatable: true,
    send: (rest, here) =>
      rest.pulls.requestReviewers({ ...here, pull_number: number, ...teamsAndPeople(reviewers) }),
  };
  const answer = await client.ask(asked);
  if (answer.status === 422) log?.(`#${number}: ${client.refused(asked, answer).message}`);
  else if (answer.status >= 300) throw client.refused(asked, answer);
}

/** A team is written `organisation/team`. */
function teamsAndPeople(reviewers: readonly string[]): Record<string, string[]> {
  const teams = reviewers.filter((one) => one.includes('/')).map((one) => one.split('/').at(-1) ?? one);
  const people = reviewers.filter((one) => !one.includes('/'));
  return {
    ...(people.length > 0 ? { reviewers: people } : {}),
    ...(teams.length > 0 ? { team_reviewers: teams } : {}),
  };
}

function factsOf(json: PullJson, { branch, base }: PullWanted, ourLogin: string): PullFacts {
  const author = json.user?.login ?? 'ghost';
  return {
    number: json.number,
    nodeId: json.node_id,
    url: json.html_url,
    state: json.draft ? 'draft' : 'open',
    branch,
    base,
    headCommit: json.head.sha,
    title: json.title,
    body: json.body ?? '',
    isOurs: author === ourLogin,
    author,
    labels: [],
    bodyEditedBy: null,
    updatedAt: json.updated_at,
    mergedAt: null,
    closedWithBase: false,
    fromFork: false,
  };
}
