/**
 * The one way this program talks to GitHub's API. Why not @octokit/rest: with its plugins for retries and throttling
 * it is 216 KB more to load at each start, and what matters here is in none of them: waits that have an end, no
 * second POST when the answer to the first was lost, and refusals that say what to do.
 *
 * One request at a time, as GitHub asks for; a second between writes; GETs are asked with the tag of the last answer
 * (an unchanged one costs nothing of the hourly budget).
 */
import { GzaError } from '../../core/errors.ts';
import { explain } from './explain.ts';
import { type Answer, type HttpRequest, openHttp } from './http.ts';
import type { Operation } from './operations.ts';
import { type Limits, openPace, type Pace, type Wait } from './pace.ts';
import { budgetWait } from './rate-limit.ts';

export interface ClientOptions {
  readonly token: string;
  /** `owner/name`. */
  readonly repository: string;
  /** `https://api.github.com`, or of a server `https://<host>/api/v3`. */
  readonly apiUrl: string;
  /** Made from `apiUrl` when not given. */
  readonly graphqlUrl?: string | undefined;
  /** By default the one of node, which knows no proxy. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** ISO 8601, UTC. */
  readonly now: () => string;
  /** A line for people, as when it waits. */
  readonly log?: ((line: string) => void) | undefined;
  /** The job that this runs in, for messages about its permissions. */
  readonly job?: string | undefined;
  readonly limits?: Partial<Limits>;
}

export interface Asked {
  readonly operation: Operation;
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below the repository, or from the root when it begins with `/`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  /** Said twice it does what it does said once; so a lost answer is no reason to stop. */
  readonly repeatable?: boolean;
}

interface Listed<T> {
  readonly items: T[];
  /** There were more than were asked for. */
  readonly isCut: boolean;
}

export interface GithubClient {
  readonly repository: string;
  readonly apiUrl: string;
  /** Whatever GitHub says to it after all waits and repeats; throws when there is no answer to be had. */
  ask(asked: Asked): Promise<Answer>;
  /** The body of a success; anything else is thrown, explained. */
  must<T>(asked: Asked): Promise<T>;
  /** The same, and null for what is not there. */
  find<T>(asked: Asked): Promise<T | null>;
  /** Page after page, at most `itemsMax`. `key` names the list where it is not the whole answer. */
  list<T>(asked: Asked, options: { readonly itemsMax: number; readonly key?: string }): Promise<Listed<T>>;
  /** Mutations too may be repeated: each that is used says how something shall be. */
  graphql<T>(asked: GraphqlAsked): Promise<T>;
  /** A refusal as an error that says what to do. */
  refused(asked: Asked, answer: Answer): GzaError;
}

interface GraphqlAsked {
  readonly operation: Operation;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly isMutation?: boolean;
}

interface GraphqlAnswer {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly type?: string;
    readonly message?: string;
    readonly path?: readonly (string | number)[];
  }[];
}

export function githubClient(options: ClientOptions): GithubClient {
  const { repository, job } = options;
  const apiUrl = options.apiUrl.replace(/\/+$/, '');
  const graphqlUrl = options.graphqlUrl ?? graphqlOf(apiUrl);
  const http = openHttp(options.token, [apiUrl, graphqlUrl], options.fetch);
  const pace = openPace(options);
  const say = (asked: Pick<Asked, 'operation'>, answer: Answer) =>
    explain({ operation: asked.operation, answer, repository, job });

  const ask = (asked: Asked) => {
    const { method = 'GET' } = asked;
    const request: HttpRequest = { method, url: urlOf(apiUrl, repository, asked), body: asked.body };
    const mayRepeat = method !== 'POST' || asked.repeatable === true;
    return inPace(pace, asked.operation, { isWrite: method !== 'GET', mayRepeat }, () => http(request));
  };
  const must = async <T>(asked: Asked): Promise<T> => {
    const answer = await ask(asked);
    if (answer.status >= 300) throw say(asked, answer);
    return answer.body as T;
  };
  const client: GithubClient = {
    repository,
    apiUrl,
    ask,
    must,
    async find<T>(asked: Asked): Promise<T | null> {
      const answer = await ask(asked);
      if (answer.status === 404) return null;
      if (answer.status >= 300) throw say(asked, answer);
      return answer.body as T;
    },
    async list<T>(asked: Asked, { itemsMax, key }: { itemsMax: number; key?: string }): Promise<Listed<T>> {
      const items: T[] = [];
      let query: NonNullable<Asked['query']> = { per_page: Math.min(100, itemsMax), ...asked.query };
      for (;;) {
        const answer = await ask({ ...asked, query });
        if (answer.status >= 300) throw say(asked, answer);
        const list = listIn(answer.body, key);
        if (list === null)
          throw new GzaError(
            'world',
            `GitHub failed when asked to ${asked.operation}: what came is no list.`,
            {
              hint: 'See https://www.githubstatus.com and try again later.',
            },
          );
        items.push(...(list as T[]));
        const next = nextPage(answer.headers.get('link'));
        if (!next || items.length >= itemsMax)
          return { items: items.slice(0, itemsMax), isCut: next !== null || items.length > itemsMax };
        query = next;
      }
    },
    async graphql<T>({ operation, query, variables, isMutation = false }: GraphqlAsked): Promise<T> {
      const request: HttpRequest = { method: 'POST', url: graphqlUrl, body: { query, variables } };
      const answer = await inPace(pace, operation, { isWrite: isMutation, mayRepeat: true }, async () =>
        asFailure(await http(request)),
      );
      if (answer.status >= 300) throw say({ operation }, answer);
      return dataOf(answer, (failed) => say({ operation }, failed)) as T;
    },
    refused: say,
  };
  return client;
}

function graphqlOf(apiUrl: string): string {
  return apiUrl.endsWith('/api/v3') ? apiUrl.replace(/\/v3$/, '/graphql') : `${apiUrl}/graphql`;
}

function urlOf(apiUrl: string, repository: string, { path, query = {} }: Asked): string {
  const url = new URL(
    `${apiUrl}${path.startsWith('/') ? path : `/repos/${repository}/${path}`}`.replace(/\/$/, ''),
  );
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}

/** Null for what is no list: to take it for an empty one would lose what people said. */
function listIn(body: unknown, key: string | undefined): unknown[] | null {
  const list = key === undefined ? body : (body as Record<string, unknown> | null)?.[key];
  return Array.isArray(list) ? list : null;
}

/** Only what it asks for is taken from the link, not where it points. */
function nextPage(link: string | null): Record<string, string> | null {
  const next = /<([^>]+)>;[^,]*rel="next"/.exec(link ?? '')?.[1];
  return next && URL.canParse(next) ? Object.fromEntries(new URL(next).searchParams) : null;
}

/** GraphQL tells of a failure of its own in a success. */
function asFailure(answer: Answer): Answer {
  const { errors = [] } = (answer.body ?? {}) as GraphqlAnswer;
  const isFailure = errors.some(
    (one) => !one.type && /something went wrong|timed? ?out/i.test(one.message ?? ''),
  );
  return isFailure ? { ...answer, status: 502 } : answer;
}

/** What is asked for by number and is not there is null in the data; every other error stops. */
function dataOf(answer: Answer, say: (answer: Answer) => GzaError): unknown {
  const { data, errors = [] } = (answer.body ?? {}) as GraphqlAnswer;
  const fatal = errors.find((one) => one.type !== 'NOT_FOUND' || (one.path?.length ?? 0) < 2);
  if (!fatal && data) return data;
  const status = fatal?.type === 'FORBIDDEN' ? 403 : fatal?.type === 'NOT_FOUND' ? 404 : 422;
  throw say({ ...answer, status, body: { message: fatal?.message ?? 'no data' } });
}

interface Manner {
  readonly isWrite: boolean;
  readonly mayRepeat: boolean;
}

/** Sends it until there is an answer that is about the request itself. */
function inPace(
  pace: Pace,
  operation: Operation,
  manner: Manner,
  send: () => Promise<Answer>,
): Promise<Answer> {
  return pace.inTurn(async () => {
    for (let tries = 1; ; tries += 1) {
      if (manner.isWrite) await pace.beforeWrite();
      const sent = await attempt(send);
      if ('status' in sent) {
        const wait = budgetWait(sent, tries, pace.now());
        if (wait) await pace.wait(wait, operation);
        else if (sent.status < 500) return sent;
        else await again(pace, operation, manner, tries, { status: sent.status });
      } else await again(pace, operation, manner, tries, { cause: sent.cause });
    }
  });
}

async function attempt(send: () => Promise<Answer>): Promise<Answer | { readonly cause: unknown }> {
  try {
    return await send();
  } catch (cause) {
    if (cause instanceof GzaError) throw cause;
    return { cause };
  }
}

/** GitHub failed, or the answer was lost: it may have happened or not. */
async function again(
  pace: Pace,
  operation: Operation,
  { mayRepeat }: Manner,
  tries: number,
  { status, cause }: { status?: number; cause?: unknown },
): Promise<void> {
  const what = status === undefined ? 'no answer came that could be read' : `it answered ${status}`;
  if (mayRepeat && tries < pace.limits.triesMax) {
    const wait: Wait = { milliseconds: 1000 * 2 ** (tries - 1), why: `GitHub failed (${what})` };
    return pace.wait(wait, operation);
  }
  throw new GzaError('world', `GitHub failed when asked to ${operation}: ${what}.`, {
    hint: mayRepeat
      ? `It was asked ${tries} times. See https://www.githubstatus.com and try again later.`
      : 'Whether it was done is not known, so it was not asked again. The next run looks and completes it.',
    data: { operation, isLost: !mayRepeat, ...(status === undefined ? {} : { status }) },
    ...(cause === undefined ? {} : { cause: plainCause(cause) }),
  });
}

/** Of a failed fetch only the words: the object holds the request and its token. */
function plainCause(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return inner instanceof Error ? inner.message : 'unknown';
}
