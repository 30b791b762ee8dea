/** The only way this program talks to GitHub's API. It wraps Octokit. */
import type { Octokit } from '@octokit/rest';
import { GzaError } from '../../../core/errors.ts';
import { explain } from './explain.ts';
import {
  type Answer,
  type Octokits,
  openWaits,
  readTail,
  type Sending,
  type WaitOptions,
} from './octokit.ts';
import type { Operation } from './operations.ts';

export interface Limits {
  /** The longest total wait of one client. Default 15 minutes. */
  readonly waitMsMax: number;
  /** How often a request is sent at most when GitHub fails. Default 3. */
  readonly triesMax: number;
  /** Default 1000. */
  readonly betweenWritesMs: number;
}

export interface ClientOptions extends WaitOptions {
  readonly token: string;
  /** `owner/name`. */
  readonly repository: string;
  /** `https://api.github.com`, or `https://<host>/api/v3` on an own server. */
  readonly apiUrl: string;
  /** Derived from `apiUrl` by default. */
  readonly graphqlUrl?: string | undefined;
  /** Node's fetch by default, which does not use proxies. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** The current job, for messages about its permissions. */
  readonly job?: string | undefined;
  readonly limits?: Partial<Limits>;
}

type Rest = Octokit['rest'];

type Place = Readonly<Record<'owner' | 'repo', string>>;

/** Parameters that every request below the repository needs. */
export type Here = Place & { readonly request: Record<string, unknown> };

interface Asking {
  readonly operation: Operation;
  /** Whether a POST has the same effect when sent twice, so that it may be repeated after a lost answer. */
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
  /** Whether there were more items than the maximum. */
  readonly isCut: boolean;
}

export interface GithubClient {
  readonly repository: string;
  readonly apiUrl: string;
  /**
   * GitHub's final answer after all waits and retries, also a refusal. Throws when GitHub gives no answer.
   */
  ask<T>(asked: Asked<T>): Promise<Answer<T>>;
  /** The data of a successful answer. Anything else is thrown as an error that explains it. */
  must<T>(asked: Asked<T>): Promise<T>;
  /** Like `must`, but null when the thing does not exist. */
  find<T>(asked: Asked<T>): Promise<T | null>;
  /** Reads page after page, up to `itemsMax` items. */
  list<E extends Endpoint>(
    asked: AskedList<E>,
    options: { readonly itemsMax: number },
  ): Promise<Listed<ItemOf<E>>>;
  /** The end of a text that GitHub stores on another server; null when there is none. */
  tail(asked: Asked, bytesMax: number): Promise<string | null>;
  graphql<T>(asked: GraphqlAsked): Promise<T>;
  /** Runs mutations in order. Returns those that GitHub refused, by their names in the request. */
  change(asked: GraphqlAsked & { readonly repeatable: boolean }): Promise<ReadonlyMap<string, GzaError>>;
  /** Turns a refusal into an error that says what to do. */
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
  // Loaded on the first request, since few commands make any.
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
  // The plugin passes only the URL and headers to the next page, so everything else must be a default.
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

/** Rejects a bad token early: fetch's error for a header with a line break would print the token. */
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

/** Treating this answer as an empty list would lose people's comments. */
function noList({ operation }: Asking): GzaError {
  return new GzaError('world', `GitHub failed when asked to ${operation}: what came is no list.`, {
    hint: 'See https://www.githubstatus.com and try again later.',
  });
}

/** Something requested by number that does not exist is null in the data. Every other error is thrown. */
function dataOf(answer: Answer, say: (answer: Answer) => GzaError): unknown {
  const { data, errors = [] } = (answer.data ?? {}) as GraphqlData;
  const fatal = errors.find((one) => one.type !== 'NOT_FOUND' || (one.path?.length ?? 0) < 2);
  if (!fatal && data) return data;
  throw say(asRest(answer, fatal));
}

/** The refused mutations are null in the data. An error that names no mutation concerns the whole request. */
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
