/** One request and its answer, as JSON. Knows the token and keeps it to the addresses it is for. */
import { GzaError } from '../../core/errors.ts';
import { version } from '../../core/version.ts';

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** JSON, or the text where it is none. */
  readonly body: unknown;
}

const answerBytesMax = 32 << 20;
const answerMsMax = 60_000;
const redirectsMax = 3;
const kept = 100;

interface Tagged {
  readonly tag: string;
  readonly answer: Answer;
}

export function openHttp(
  token: string,
  urls: readonly string[],
  fetch: typeof globalThis.fetch = globalThis.fetch,
): (request: HttpRequest) => Promise<Answer> {
  const headers = headersWith(token.trim());
  const origins = new Set(urls.map((url) => new URL(url).origin));
  const tags = new Map<string, Tagged>();
  return async (request) => {
    const known = request.method === 'GET' ? tags.get(request.url) : undefined;
    const sent = known ? { ...headers, 'if-none-match': known.tag } : headers;
    const answer = await follow(request, sent, { origins, fetch });
    if (answer.status === 304 && known) return known.answer;
    const tag = answer.headers.get('etag');
    if (request.method === 'GET' && answer.status === 200 && tag) keep(tags, request.url, { tag, answer });
    return answer;
  };
}

function headersWith(token: string): Record<string, string> {
  // A header with a line break in it would be refused in words that show the token.
  if (!/^[\x21-\x7e]{1,4096}$/.test(token))
    throw new GzaError('input', "GitHub's token is empty or has characters that no token has.", {
      hint: 'Set GITHUB_TOKEN to the token alone, without quotes, spaces or line breaks.',
    });
  return {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    'x-github-api-version': '2022-11-28',
    'user-agent': `gza/${version}`,
  };
}

function keep(tags: Map<string, Tagged>, url: string, one: Tagged): void {
  tags.delete(url);
  tags.set(url, one);
  const [oldest] = tags.keys();
  if (tags.size > kept && oldest !== undefined) tags.delete(oldest);
}

/** A renamed repository answers with where it went; only within the same server, as the token goes with it. */
async function follow(
  { method, url, body }: HttpRequest,
  headers: Record<string, string>,
  { origins, fetch }: { readonly origins: ReadonlySet<string>; readonly fetch: typeof globalThis.fetch },
): Promise<Answer> {
  let to = url;
  for (let count = 0; ; count += 1) {
    const response = await fetch(to, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(answerMsMax),
    });
    const location = response.headers.get('location');
    const isMoved = [301, 302, 307, 308].includes(response.status) && location !== null;
    const answer = { status: response.status, headers: response.headers, body: await readJson(response) };
    if (!isMoved || count === redirectsMax) return answer;
    const next = new URL(location, to);
    if (!origins.has(next.origin)) return answer;
    to = next.href;
  }
}

async function readJson(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > answerBytesMax)
      throw new GzaError('world', `An answer of GitHub's is larger than ${answerBytesMax >> 20} MiB.`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // A proxy's page, or a server that is ill: who knows whether anything was done, and an empty list it is not.
    if (response.ok) throw new Error('the answer is no JSON');
    return text;
  }
}
