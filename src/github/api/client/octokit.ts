/**
 * Octokit as gza uses it. Its plugins queue, space and repeat requests. The innermost hook decides what is
 * repeated and after what wait, because it sees each answer unchanged: the plugins would repeat a POST whose
 * answer was lost, and they put no limit on the total wait.
 */

import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import { RequestError } from '@octokit/request-error';
import { Octokit } from '@octokit/rest';
import Bottleneck from 'bottleneck/light.js';
import { GzaError } from '../../../core/errors.ts';
import { addSeconds, parseTime, printDuration, toSecond } from '../../../core/time.ts';
import { version } from '../../../core/version.ts';
import type { Operation } from './operations.ts';

/** Options for one request, stored beside Octokit's own. */
export interface Sending {
  readonly operation: Operation;
  /** Whether a POST may be sent again when nobody knows if the first one took effect. */
  readonly repeatable: boolean;
  /** How often the request has been sent so far. */
  tries?: number;
}

export interface OctokitOptions {
  readonly token: string;
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly betweenWritesMs: number;
  readonly triesMax: number;
  readonly waits: Waits;
  /** ISO 8601, UTC. */
  readonly now: () => string;
}

export interface Octokits {
  readonly spaced: Octokit;
  /** For GraphQL queries, which the throttling plugin would space out like writes. */
  readonly unspaced: Octokit;
}

/** The two clients together send one request at a time, as GitHub asks. Refusals are not thrown. */
export function openOctokits(options: OctokitOptions): Octokits {
  const { token, apiUrl, graphqlUrl, betweenWritesMs } = options;
  // The first plugin is the innermost.
  const Wired = Octokit.plugin((octokit) => decide(octokit, options), throttling, retry);
  const fetch = apiFetch([apiUrl, graphqlUrl], options.fetch);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const global = new Bottleneck.Group({ maxConcurrent: 1 });
  const open = (minTime: number) => {
    // The plugin's own limiters are shared by all clients and put three seconds between comments.
    const limiters = {
      global,
      write: new Bottleneck.Group({ maxConcurrent: 1, minTime }),
      notifications: new Bottleneck.Group({ maxConcurrent: 1 }),
    };
    return new Wired({
      auth: token,
      baseUrl: apiUrl,
      userAgent: `gza/${version}`,
      log,
      request: { fetch, log },
      // `decide` has already waited when a plugin repeats a request.
      retry: { retryAfterBaseValue: 0, doNotRetry: [limited] },
      throttle: {
        retryAfterBaseValue: 0,
        onRateLimit: () => true,
        onSecondaryRateLimit: () => true,
        ...limiters,
      },
    });
  };
  return { spaced: open(betweenWritesMs), unspaced: open(0) };
}

const limited = 429;
/** Effectively unlimited: `decide` determines when to give up. */
const retriesMax = 1000;

function decide(octokit: Pick<Octokit, 'hook'>, { waits, now, triesMax }: OctokitOptions): void {
  octokit.hook.wrap('request', async (request, options) => {
    const sending = options.request as unknown as Sending;
    const tries = (sending.tries ?? 0) + 1;
    sending.tries = tries;
    const answer = await answerTo(async () => (await request(options)) as Answer);
    const limit = 'lost' in answer ? null : budgetWait(answer, tries, now());
    if (limit) {
      await waits(limit, sending.operation);
      // The plugin knows a rate limit only by this message, but GitHub has four more ways to report one.
      const response = { ...answer, headers: {} } as never;
      throw new RequestError('secondary rate limit', limited, { request: options, response });
    }
    if (!('lost' in answer) && answer.status < 500) return answer as never;
    const what = 'lost' in answer ? 'no answer came that could be read' : `it answered ${answer.status}`;
    const mayRepeat = options.method !== 'POST' || sending.repeatable;
    if (!mayRepeat || tries >= triesMax) throw failure({ ...sending, repeatable: mayRepeat }, what, answer);
    const milliseconds = 1000 * 2 ** (tries - 1);
    await waits({ milliseconds, why: `GitHub failed (${what})` }, sending.operation);
    options.request.retries = retriesMax;
    throw new RequestError(what, 502, { request: options });
  });
}

interface Lost {
  readonly lost: unknown;
}

async function answerTo(send: () => Promise<Answer>): Promise<Answer | Lost> {
  try {
    return withFailure(await send());
  } catch (error) {
    if (!(error instanceof RequestError)) return { lost: error };
    if (error.cause instanceof GzaError) throw error.cause;
    return (error.response as Answer | undefined) ?? { lost: error.cause };
  }
}

/** GraphQL reports its own failures in an answer with status 200. */
function withFailure(answer: Answer): Answer {
  if (answer.status !== 200) return answer;
  const { errors } = (answer.data ?? {}) as {
    errors?: readonly { readonly type?: string; readonly message?: string }[];
  };
  const isFailure =
    Array.isArray(errors) &&
    errors.some((one) => !one?.type && /something went wrong|timed? ?out/i.test(one?.message ?? ''));
  return isFailure ? { ...answer, status: 502 } : answer;
}

/** GitHub failed or its answer was lost, so nobody knows whether the request took effect. */
function failure(
  { operation, repeatable: mayRepeat, tries }: Sending,
  what: string,
  answer: Answer | Lost,
): GzaError {
  return new GzaError('world', `GitHub failed when asked to ${operation}: ${what}.`, {
    hint: mayRepeat
      ? `It was asked ${tries} times. See https://www.githubstatus.com and try again later.`
      : 'Whether it was done is not known, so it was not asked again. The next run looks and completes it.',
    data: { operation, isLost: !mayRepeat, ...('lost' in answer ? {} : { status: answer.status }) },
    ...('lost' in answer ? { cause: plainCause(answer.lost) } : {}),
  });
}

/** Returns only the message of a failed fetch: the error object holds the request and its token. */
function plainCause(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return inner instanceof Error ? inner.message : 'unknown';
}

/** An answer as Octokit returns it. `data` has the declared type only when the status is below 300. */
export interface Answer<T = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly data: T;
}

/** When GitHub gives no time, it asks clients to wait at least a minute, and longer each time. */
const minuteMs = 60_000;

/** Whether an answer asks to try again later, and how long to wait. GitHub says this in five ways. */
function budgetWait(answer: Answer, tries: number, now: string): Wait | null {
  if (!isLimited(answer)) return null;
  const after = Number(answer.headers['retry-after'] ?? 0);
  if (after > 0) return { milliseconds: Math.max(1000, after * 1000), why: 'GitHub asks to slow down' };
  const reset = Number(answer.headers['x-ratelimit-reset'] ?? 0);
  if (answer.headers['x-ratelimit-remaining'] === '0' && reset > 0)
    return { milliseconds: Math.max(1000, reset * 1000 - theirTime(answer, now)), why: used(answer) };
  return { milliseconds: minuteMs * 2 ** (tries - 1), why: 'GitHub asks to slow down' };
}

function isLimited({ status, headers, data }: Answer): boolean {
  const { message, errors } = (data ?? {}) as { message?: unknown; errors?: readonly SaidError[] };
  const list = Array.isArray(errors) ? errors : [];
  const words = [message, ...list.map((one) => one?.message)].join('\n');
  if (status === 429) return true;
  if (status === 403)
    return (
      headers['retry-after'] !== undefined ||
      /secondary rate limit|rate limit exceeded|abuse detection/i.test(words)
    );
  if (status === 422) return /submitted too quickly/i.test(words);
  // GraphQL reports an exhausted rate limit in an answer with status 200.
  return (
    status === 200 && list.some((one) => one?.type === 'RATE_LIMITED' || /secondary rate limit/i.test(words))
  );
}

interface SaidError {
  readonly type?: unknown;
  readonly message?: unknown;
}

/** GitHub's current time. The reset time is by GitHub's clock, which may differ from ours. */
function theirTime({ headers }: Answer, now: string): number {
  const theirs = Date.parse(String(headers['date'] ?? ''));
  return Number.isNaN(theirs) ? parseTime(now) : theirs;
}

function used({ headers }: Answer): string {
  const limit = headers['x-ratelimit-limit'];
  return `GitHub's limit of ${limit ?? 'the'} requests an hour for this token is used up`;
}

/** The waits of one client. Their total is limited. */
export interface WaitOptions {
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** ISO 8601, UTC. */
  readonly now: () => string;
  /** Prints a line for people, for example before a wait. */
  readonly log?: ((line: string) => void) | undefined;
}

export interface Wait {
  readonly milliseconds: number;
  readonly why: string;
}

export type Waits = (wait: Wait, operation: string) => Promise<void>;

export function openWaits({ sleep, now, log }: WaitOptions, waitMsMax: number): Waits {
  let waited = 0;
  return async ({ milliseconds, why }, operation) => {
    const seconds = Math.ceil(milliseconds / 1000);
    if (waited + milliseconds > waitMsMax) throw tooLong(why, operation, addSeconds(now(), seconds));
    waited += milliseconds;
    log?.(`${why}: waiting ${printDuration(seconds)} to ${operation}.`);
    await sleep(milliseconds);
  };
}

function tooLong(why: string, operation: string, resumeAt: string): GzaError {
  return new GzaError('world', `${why}; gza may go on to ${operation} at ${toSecond(resumeAt)}.`, {
    hint: 'Nothing was lost: what is done is recorded, and the next run goes on from there.',
    data: { operation, resumeAt },
  });
}

/**
 * The fetch that Octokit uses. Octokit itself treats an HTML page or a broken-off answer as an empty success,
 * follows redirects to any host with the token, and has no deadline. This fetch returns a complete answer or
 * throws.
 */

interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const answerBytesMax = 32 << 20;
const answerMsMax = 60_000;
const redirectsMax = 3;
const kept = 100;

/** The token is sent only to the servers of `urls`. Unchanged answers are cached: they cost no rate limit. */
function apiFetch(
  urls: readonly string[],
  fetch: typeof globalThis.fetch = globalThis.fetch,
): (url: string, sent: Sent) => Promise<Response> {
  const origins = new Set(urls.map((url) => new URL(url).origin));
  const known = new Map<string, Received>();
  return async (url, { method, headers, body }) => {
    const before = method === 'GET' ? known.get(url) : undefined;
    const tag = before?.headers.get('etag');
    const sent = {
      method,
      headers: { ...headers, 'x-github-api-version': '2022-11-28', ...(tag ? { 'if-none-match': tag } : {}) },
      ...(body === undefined ? {} : { body }),
    };
    const received = await follow(url, sent, { origins, fetch });
    // Otherwise an empty answer would be read as an empty list.
    if (method === 'GET' && received.status === 200 && received.text === '')
      throw new Error('the answer is empty');
    if (received.status === 304 && before) return asResponse(url, before);
    if (method === 'GET' && received.status === 200 && received.headers.has('etag'))
      keep(known, url, received);
    return asResponse(url, received);
  };
}

function keep(known: Map<string, Received>, url: string, one: Received): void {
  known.delete(url);
  known.set(url, one);
  const [oldest] = known.keys();
  if (known.size > kept && oldest !== undefined) known.delete(oldest);
}

/** Follows redirects: a renamed repository answers with its new address. */
async function follow(
  url: string,
  sent: Sent,
  { origins, fetch }: { readonly origins: ReadonlySet<string>; readonly fetch: typeof globalThis.fetch },
): Promise<Received> {
  let to = url;
  for (let count = 0; ; count += 1) {
    if (!origins.has(new URL(to).origin))
      throw new GzaError(
        'world',
        `GitHub names ${new URL(to).host} as a place of its API, which is not asked.`,
      );
    const response = await fetch(to, {
      ...sent,
      redirect: 'manual',
      signal: AbortSignal.timeout(answerMsMax),
    });
    const location = response.headers.get('location');
    const isMoved = [301, 302, 307, 308].includes(response.status) && location !== null;
    const received = { status: response.status, headers: response.headers, text: await readText(response) };
    if (!isMoved || count === redirectsMax) return received;
    const next = new URL(location, to);
    if (!origins.has(next.origin)) return received;
    to = next.href;
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > answerBytesMax)
      throw new GzaError('world', `An answer of GitHub's is larger than ${answerBytesMax >> 20} MiB.`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  // An HTML page of a proxy or a failing server is no answer, so text that is not JSON throws.
  if (response.ok && text !== '') JSON.parse(text);
  return text;
}

const tailReadMax = 256 << 20;

/** Reads the end of a long text. The address is valid for a minute and needs no token. */
export async function readTail(
  url: string,
  bytesMax: number,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<string | null> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(answerMsMax) });
  if (!response.ok) return null;
  let tail: Uint8Array = Buffer.alloc(0);
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > tailReadMax) return null;
    tail = Buffer.concat([tail, chunk]).subarray(-bytesMax);
  }
  return Buffer.from(tail).toString('utf8');
}

function asResponse(url: string, { status, headers, text }: Received): Response {
  const typed = new Headers(headers);
  typed.set('content-type', 'application/json');
  const response = new Response(text === '' ? null : text, { status, headers: typed });
  // The pagination plugin reads `url`.
  return Object.defineProperty(response, 'url', { value: url });
}
