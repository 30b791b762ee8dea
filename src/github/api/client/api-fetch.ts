/**
 * The fetch that Octokit uses. Octokit itself treats an HTML page or a broken-off answer as an empty success,
 * follows redirects to any host with the token, and has no deadline. This fetch returns a complete answer or
 * throws.
 */
import { GzaError } from '../../../core/errors.ts';

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
export function apiFetch(
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
