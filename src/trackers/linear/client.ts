/**
 * GraphQL over fetch. gza does not use Linear's SDK, because loading @linear/sdk 98 (3.2 MB) takes 275 ms,
 * gza itself starts in 60 ms, and it needs only a dozen requests. The tests check these against Linear's
 * schema. The key is never printed: no message contains it, and Linear's error texts are cut and redacted.
 */

import { GzaError } from '../../core/errors.ts';
import { oneLine } from '../../core/markdown/neutralise.ts';
import { redact } from '../../system/redacted-log.ts';

export interface LinearOptions {
  readonly key: string;
  readonly url: string;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Prints a line for people, for example before a wait. */
  readonly log: (line: string) => void;
  readonly timeoutMs: number;
  /** The longest total wait for Linear's rate limits. */
  readonly waitMsMax: number;
  /** After this many milliseconds no request is sent. */
  readonly totalMsMax: number;
}

/** Linear refused the request. */
export interface LinearRefusal {
  readonly kind: 'refused';
  readonly why: string;
  /** The refused part of the request, if Linear names it. */
  readonly at: string | null;
}

export type LinearAnswer = { readonly kind: 'data'; readonly data: Data } | LinearRefusal;
export type Data = Readonly<Record<string, unknown>>;

export interface LinearClient {
  /** For reading: a failed request is repeated, and a refusal is thrown. */
  look(query: string, variables: Data): Promise<Data>;
  /** Sent only once. If the answer is lost, a later read shows whether it was done. */
  change(query: string, variables: Data): Promise<LinearAnswer>;
}

interface GraphqlError {
  readonly message?: unknown;
  readonly path?: readonly unknown[];
  readonly extensions?: { readonly code?: unknown; readonly userPresentableMessage?: unknown };
}

interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly data: Data | null;
  readonly errors: readonly GraphqlError[];
}

const triesMax = 3;
const answerBytesMax = 32 << 20;

export function linearClient(options: LinearOptions): LinearClient {
  const budget = { waitedMs: 0 };
  const began = options.now();
  const ask = async (query: string, variables: Data): Promise<LinearAnswer> => {
    for (;;) {
      if (options.now() - began > options.totalMsMax)
        throw final(`Linear takes longer than the ${Math.round(options.totalMsMax / 1000)} s it is given`);
      const heard = await send(options, query, variables);
      const waitMs = limitWait(heard, options.now());
      if (waitMs === null) return judge(heard, options);
      await waitForLimit(options, budget, waitMs);
    }
  };
  return {
    change: ask,
    async look(query, variables) {
      for (let tries = 1; ; tries += 1) {
        try {
          const answer = await ask(query, variables);
          if (answer.kind === 'data') return answer.data;
          throw final(`Linear refuses a request: ${answer.why}`);
        } catch (error) {
          const isLost = error instanceof GzaError && error.data['isLost'] === true;
          if (!isLost || tries >= triesMax) throw error;
          await options.sleep(500 * 2 ** (tries - 1));
        }
      }
    },
  };
}

async function send(options: LinearOptions, query: string, variables: Data): Promise<Heard> {
  const { key, url, timeoutMs } = options;
  try {
    const response = await fetch(url, {
      method: 'POST',
      // Personal keys are sent as they are, tokens of applications as bearer tokens.
      headers: {
        'content-type': 'application/json',
        authorization: key.startsWith('lin_api_') ? key : `Bearer ${key}`,
        'user-agent': 'gza',
      },
      body: JSON.stringify({ query, variables }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { status, headers } = response;
    const body = parse(await read(response));
    if (body === null)
      throw lost(status >= 400 ? `it answered ${status}` : 'its answer is not what was asked for');
    return { status, headers, ...body };
  } catch (error) {
    if (error instanceof GzaError) throw error;
    const isLate = (error as { name?: unknown } | null)?.name === 'TimeoutError';
    throw lost(
      isLate ? `no answer in ${Math.round(timeoutMs / 1000)} s` : `no answer came (${plainCause(error)})`,
    );
  }
}

async function read(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) throw lost(`its answer is over ${answerBytesMax >> 20} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): Pick<Heard, 'data' | 'errors'> | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return null;
    const { data, errors } = value;
    if (!isObject(data) && !Array.isArray(errors)) return null;
    return {
      data: isObject(data) ? data : null,
      errors: Array.isArray(errors) ? errors.filter(isObject) : [],
    };
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function judge({ status, data, errors }: Heard, { key }: LinearOptions): LinearAnswer {
  const [first] = errors;
  if (status < 300 && !first && data) return { kind: 'data', data };
  const code = typeof first?.extensions?.code === 'string' ? first.extensions.code : '';
  const why = wordsOf(first, key) || `it answered ${status}`;
  if (status === 401 || code === 'AUTHENTICATION_ERROR')
    throw new GzaError('input', `Linear does not take the key: ${why}`, {
      hint: 'LINEAR_API_KEY must hold a key of someone in the team: Linear, Settings, Security & access, New API key.',
    });
  if (status >= 500 || code === 'INTERNAL_SERVER_ERROR') throw lost(`it answered ${status}: ${why}`);
  const [at] = first?.path ?? [];
  return { kind: 'refused', why, at: typeof at === 'string' ? at : null };
}

/** Linear's text for people or else its message, on one line and without keys. */
function wordsOf(error: GraphqlError | undefined, key: string): string {
  const words = error?.extensions?.userPresentableMessage ?? error?.message;
  return typeof words === 'string' ? oneLine(redact(words, [key]), 300) : '';
}

/** Milliseconds to wait for a rate limit, until the time at which Linear resets it. */
function limitWait({ status, headers, errors }: Heard, now: number): number | null {
  const isLimited = status === 429 || errors.some(({ extensions }) => extensions?.code === 'RATELIMITED');
  if (!isLimited) return null;
  const after = Number(headers.get('retry-after') ?? Number.NaN);
  if (Number.isFinite(after)) return Math.max(0, after * 1000);
  const resets = ['requests', 'complexity', 'endpoint-requests'].flatMap((kind) => {
    const left = headers.get(`x-ratelimit-${kind}-remaining`);
    const reset = Number(headers.get(`x-ratelimit-${kind}-reset`) ?? Number.NaN);
    return left !== null && Number(left) <= 0 && Number.isFinite(reset) ? [reset - now] : [];
  });
  return resets.length > 0 ? Math.max(0, ...resets) : 60_000;
}

async function waitForLimit(
  { sleep, log, waitMsMax }: LinearOptions,
  budget: { waitedMs: number },
  waitMs: number,
): Promise<void> {
  const milliseconds = Math.ceil(waitMs) + 250;
  const seconds = Math.ceil(milliseconds / 1000);
  if (budget.waitedMs + milliseconds > waitMsMax)
    throw final(`Linear's limit of requests is spent for ${seconds} s more`);
  budget.waitedMs += milliseconds;
  if (milliseconds >= 2_000) log(`Linear asks to wait ${seconds} s.`);
  await sleep(milliseconds);
}

function lost(what: string): GzaError {
  return new GzaError('world', `Linear cannot be reached: ${what}`, { data: { isLost: true } });
}

/** An error after which another round is useless. */
function final(message: string): GzaError {
  return new GzaError('world', message, { data: { isFinal: true } });
}

/** Returns only the message of a failed fetch: the error object holds the request and its key. */
function plainCause(error: unknown): string {
  const { cause, message } = error as { cause?: { message?: unknown } | null; message?: unknown };
  const words = cause?.message ?? message;
  return typeof words === 'string' ? oneLine(words, 200) : 'unknown';
}
