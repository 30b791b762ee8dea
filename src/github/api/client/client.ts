/** The one way this program talks to GitHub's API: what gza asks in its own words, and Octokit below. */
import type { Octokit } from '@octokit/rest';
import { GzaError } from '../../../core/errors.ts';
import { readTail } from './api-fetch.ts';
import { explain } from './explain.ts';
import { type Answer, type Octokits, openWaits, type Sending, type WaitOptions } from './octokit.ts';
import type { Operation } from './operations.ts';

export interface Limits {
  /** All waits of one client together. Default 15 minutes. */
  readonly waitMsMax: number;
  /** How often a request is sent when GitHub fails. Default 3. */
  readonly triesMax: number;
  /** Default 1000. */
  readonly betweenWritesMs: number;
}

export interface ClientOptions extends WaitOptions {
  readonly token: string;
  /** `owner/name`. */
  readonly repository: string;
  /** `https://api.github.com`, or of a server `https://<host>/api/v3`. */
  readonly apiUrl: string;
  /** Made from `apiUrl` when not given. */
  readonly graphqlUrl?: string | undefined;
  /** By default the one of node, which knows no proxy. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** The job that this runs in, for messages about its permissions. */
  readonly job?: string | undefined;
  readonly limits?: Partial<Limits>;
}

type Rest = Octokit['rest'];

type Place = Readonly<Record<'owner' | 'repo', string>>;

/** What every request below the repository has. */
export type Here = Place & { readonly request: Record<string, unknown> };

interface Asking {
  readonly operation: Operation;
  /** A POST that does the same when it is sent twice; so a lost answer is no reason to stop. */
  readonly repeatable?: boolean;
}

export interface Asked<T = unknown> extends Asking {
  readonly send: (rest: Rest, here: Here) => Promise<Answer<T>>;
}

type Endpoint = Rest['issues']['listForRepo'] | ((parameters?: never) => Promise<{ readonly data: unknown }>);

interface AskedList<E extends Endpoint> extends Asking {
  readonly pages: (rest: Rest, here: Place) => readonly [endpoint: E, parameters: Parameters<E>[0]];
}

type ItemOf<E extends Endpoint> = Awaited<ReturnType<E>>['data'] extends infer D
  ? D extends readonly (infer I)[]
    ? I
    : D extends { readonly workflow_runs: readonly (infer I)[] }
      ? I
      : never
  : never;

interface Listed<T> {
  readonly items: T[];
  /** There were more than were asked for. */
  readonly isCut: boolean;
}

export interface GithubClient {
  readonly repository: string;
  readonly apiUrl: string;
  /** Whatever GitHub says to it after all waits and repeats; throws when there is no answer to be had. */
  ask<T>(asked: Asked<T>): Promise<Answer<T>>;
  /** The data of a success; anything else is thrown, explained. */
  must<T>(asked: Asked<T>): Promise<T>;
  /** The same, and null for what is not there. */
  find<T>(asked: Asked<T>): Promise<T | null>;
  /** Page after page, at most `itemsMax`. */
  list<E extends Endpoint>(
    asked: AskedList<E>,
    options: { readonly itemsMax: number },
  ): Promise<Listed<ItemOf<E>>>;
  /** The end of a text that GitHub keeps elsewhere; null where it keeps none. */
  tail(asked: Asked, bytesMax: number): Promise<string | null>;
  graphql<T>(asked: GraphqlAsked): Promise<T>;
  /** Mutations, made one after the other. Those that GitHub refused, by their names in the request. */
  change(asked: GraphqlAsked & { readonly repeatable: boolean }): Promise<ReadonlyMap<string, GzaError>>;
  /** A refusal as an error that says what to do. */
  refused(asked: Pick<Asked, 'operation'>, answer: Answer): GzaError;
}

interface GraphqlAsked {
  readonly operation: Operation;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

interface GraphqlError {
  readonly type?: string;
  readonly message?: string;
  readonly path?: readonly (string | number)[];
}

interface GraphqlData {
  readonly data?: object | null;
  readonly errors?: readonly GraphqlError[];
}

export function githubClient(options: ClientOptions): GithubClient {
  const { repository, job, now } = options;
  const limits: Limits = { waitMsMax: 900_000, triesMax: 3, betweenWritesMs: 1000, ...options.limits };
  const apiUrl = options.apiUrl.replace(/\/+$/, '');
  const graphqlUrl = options.graphqlUrl ?? graphqlOf(apiUrl);
  const waits = openWaits(options, limits.waitMsMax);
  const token = checkedToken(options.token);
  let opened: Promise<Octokits> | null = null;
  // Loaded when something is asked: few calls do.
  const octokits = () => {
    opened ??= import('./octokit.ts').then(({ openOctokits }) =>
      openOctokits({ token, apiUrl, graphqlUrl, fetch: options.fetch, ...limits, waits, now }),
    );
    return opened;
  };
  const [owner = '', repo = ''] = repository.split('/');
  const here = ({ operation, repeatable = false }: Asking): Here => ({
    owner,
    repo,
    request: { operation, repeatable } satisfies Sending,
  });
  const say = ({ operation }: Asking, answer: Answer) => explain({ operation, answer, repository, job });
  const ask = async <T>(asked: Asked<T>): Promise<Answer<T>> =>
    asked.send((await octokits()).spaced.rest, here(asked));
  const post = async (
    octokit: Octokit,
    { operation, query, variables }: GraphqlAsked,
    repeatable: boolean,
  ) => {
    const request: Sending = { operation, repeatable };
    const answer = await octokit.request({ method: 'POST', url: graphqlUrl, query, variables, request });
    if (answer.status >= 300) throw say({ operation }, answer);
    return answer;
  };
  return {
    repository,
    apiUrl,
    ask,
    async must(asked) {
      const answer = await ask(asked);
      if (answer.status >= 300) throw say(asked, answer);
      return answer.data;
    },
    async find(asked) {
      const answer = await ask(asked);
      if (answer.status === 404) return null;
      if (answer.status >= 300) throw say(asked, answer);
      return answer.data;
    },
    list: async (asked, { itemsMax }) => list((await octokits()).spaced, asked, here(asked), itemsMax, say),
    async tail(asked, bytesMax) {
      const { status, headers } = await ask(asked);
      const { location } = headers;
      if (status !== 302 || typeof location !== 'string') return null;
      return readTail(location, bytesMax, options.fetch);
    },
    async graphql<T>(asked: GraphqlAsked): Promise<T> {
      const answer = await post((await octokits()).unspaced, asked, true);
      return dataOf(answer, (failed) => say(asked, failed)) as T;
    },
    async change(asked) {
      const answer = await post((await octokits()).spaced, asked, asked.repeatable);
      return refusalsIn(answer, (failed) => say(asked, failed));
    },
    refused: say,
  };
}

async function list<E extends Endpoint>(
  octokit: Octokit,
  asked: AskedList<E>,
  { request, ...place }: Here,
  itemsMax: number,
  say: (asked: Asking, answer: Answer) => GzaError,
): Promise<Listed<ItemOf<E>>> {
  const [endpoint, given] = asked.pages(octokit.rest, place);
  const parameters = { per_page: Math.min(100, itemsMax), ...given };
  // The plugin passes on URL and headers alone, so what it shall keep beside them is a default.
  const kept = (endpoint as typeof octokit.request).defaults({ request });
  const pages = octokit.paginate.iterator(kept as never, parameters as never);
  const items: ItemOf<E>[] = [];
  for await (const page of pages as AsyncIterable<Answer>) {
    if (page.status >= 300) throw say(asked, page);
    if (!Array.isArray(page.data)) throw noList(asked);
    items.push(...(page.data as ItemOf<E>[]));
    const isLast = !String(page.headers['link'] ?? '').includes('rel="next"');
    if (items.length >= itemsMax)
      return { items: items.slice(0, itemsMax), isCut: !isLast || items.length > itemsMax };
  }
  return { items, isCut: false };
}

/** A header with a line break in it would be refused in words that show the token. */
function checkedToken(given: string): string {
  const token = given.trim();
  if (/^[\x21-\x7e]{1,4096}$/.test(token)) return token;
  throw new GzaError('input', "GitHub's token is empty or has characters that no token has.", {
    hint: 'Set GITHUB_TOKEN to the token alone, without quotes, spaces or line breaks.',
  });
}

function graphqlOf(apiUrl: string): string {
  return apiUrl.endsWith('/api/v3') ? apiUrl.replace(/\/v3$/, '/graphql') : `${apiUrl}/graphql`;
}

/** To take it for an empty one would lose what people said. */
function noList({ operation }: Asking): GzaError {
  return new GzaError('world', `GitHub failed when asked to ${operation}: what came is no list.`, {
    hint: 'See https://www.githubstatus.com and try again later.',
  });
}

/** What is asked for by number and is not there is null in the data; every other error stops. */
function dataOf(answer: Answer, say: (answer: Answer) => GzaError): unknown {
  const { data, errors = [] } = (answer.data ?? {}) as GraphqlData;
  const fatal = errors.find((one) => one.type !== 'NOT_FOUND' || (one.path?.length ?? 0) < 2);
  if (!fatal && data) return data;
  throw say(asRest(answer, fatal));
}

/** What is refused is null in the data. An error that names no part is the whole request's. */
function refusalsIn(answer: Answer, say: (answer: Answer) => GzaError): Map<string, GzaError> {
  const { data, errors = [] } = (answer.data ?? {}) as GraphqlData;
  const refused = new Map<string, GzaError>();
  for (const error of errors) {
    const [name] = error.path ?? [];
    if (typeof name !== 'string') throw say(asRest(answer, error));
    refused.set(name, say(asRest(answer, error)));
  }
  for (const [name, made] of Object.entries(data ?? {}))
    if (made === null && !refused.has(name)) refused.set(name, say(asRest(answer, undefined)));
  if (!data && refused.size === 0) throw say(asRest(answer, undefined));
  return refused;
}

function asRest(answer: Answer, error: GraphqlError | undefined): Answer {
  const status = error?.type === 'FORBIDDEN' ? 403 : error?.type === 'NOT_FOUND' ? 404 : 422;
  return { ...answer, status, data: { message: error?.message ?? 'no data' } };
}
