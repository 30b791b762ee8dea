/**
 * The proxy between an agent and its model, so that the agent never has the key. It listens on loopback,
 * accepts a throw-away word in place of the key, and forwards only questions to the configured model APIs.
 * It counts what the answers used and stops at the cap, even in the middle of an answer. It writes no log.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PriceTable } from '../../core/policy/cost.ts';
import { asObject, jsonLine } from '../adapters/json-line.ts';
import type { ModelTarget } from '../agents.ts';
import { Answer, type Caps, Meter, type Metered } from './meter.ts';
import { type ModelApi, readQuestion, refusal, routeOf } from './model-api.ts';
import { reach } from './reach.ts';

export interface ModelProxyOptions {
  readonly targets: readonly ModelTarget[];
  readonly caps: Caps;
  readonly prices: PriceTable;
  /** This program's environment, which may name an HTTPS proxy. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called once, when a cap is reached. */
  readonly onStop?: ((why: string) => void) | undefined;
  /** Listens on this Unix socket instead of a loopback port. */
  readonly socketPath?: string | undefined;
}

export interface ModelProxy {
  /** `http://127.0.0.1:<port>`, or the path of the socket. */
  readonly address: string;
  /** For each target, the word that stands in for its key. */
  readonly words: readonly string[];
  readonly usage: () => Metered;
  readonly close: () => Promise<void>;
}

const questionBytesMax = 64 << 20;
const loadBytesMax = 192 << 20;
const answerBytesMax = 256 << 20;
/** The limit for an event, or an answer that is not a stream. Anything longer is passed on and estimated. */
const readBytesMax = 32 << 20;
const errorBytesMax = 1 << 20;
const maxConnections = 64;
const silenceMsMax = 15 * 60_000;
/** A header that tells a gza proxy in front of this one that a cap was reached. */
const stoppedHeader = 'x-gza-stopped';

export async function startModelProxy(options: ModelProxyOptions): Promise<ModelProxy> {
  const { targets, caps, prices, onStop, socketPath } = options;
  const words = targets.map(() => `gza-${randomBytes(24).toString('hex')}`);
  const meter = new Meter(caps, prices);
  const stop = (why: string) => {
    if (meter.read().stopped !== undefined) return;
    meter.stop(why);
    onStop?.(why);
  };
  const load = { bytes: 0 };
  const server = createServer({ maxHeaderSize: 32 << 10 }, (request, response) => {
    // The agent may disconnect at any time. That ends this exchange and nothing else.
    for (const one of [request, response]) one.on('error', () => {});
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const { signal } = gone;
    forward({ options, words, meter, stop, load, request, response, signal }).catch(() => response.destroy());
  });
  server.on('upgrade', (_, socket) => {
    socket.on('error', () => {});
    socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
  });
  Object.assign(server, { maxConnections, keepAliveTimeout: 60_000 });
  server.listen(socketPath === undefined ? { port: 0, host: '127.0.0.1' } : { path: socketPath });
  await once(server, 'listening');
  return {
    address: socketPath ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    words,
    usage: () => meter.read(),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Exchange {
  readonly options: ModelProxyOptions;
  readonly words: readonly string[];
  readonly meter: Meter;
  readonly stop: (why: string) => void;
  /** The total size of all questions being read or answered. */
  readonly load: { bytes: number };
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the agent disconnects. */
  readonly signal: AbortSignal;
}

async function forward(exchange: Exchange): Promise<void> {
  const { options, words, meter, load, request, response } = exchange;
  const target = options.targets[words.findIndex((word) => isSame(wordOf(request.headers), word))];
  // A refused client must be read to the end, or it would still be sending and miss the answer.
  response.on('finish', () => request.resume());
  if (!target) return deny(response, 401, 'gza: this is not the word of this run', 'authentication_error');
  const { pathname, search } = new URL(`http://model${request.url?.startsWith('/') ? request.url : '/'}`);
  const route = routeOf(request.method ?? '', pathname);
  if (!route) return deny(response, 403, `gza: ${request.method} ${pathname} is no question to a model`);
  const full = route === 'free' ? undefined : (meter.read().stopped ?? meter.whyFull());
  if (full !== undefined) return denyFull(exchange, full);
  let taken = 0;
  response.on('close', () => {
    load.bytes -= taken;
  });
  const body = await readBody(request, questionBytesMax, (bytes) => {
    taken += bytes;
    load.bytes += bytes;
    return load.bytes <= loadBytesMax;
  });
  if (!body)
    return deny(response, 413, 'gza: the question is too long, or too many come at once', 'too_large');
  const url = urlAt(target.upstream, pathname, search);
  if (route === 'free') return pass(exchange, { target, url, body });
  const question = readQuestion(route, pathname, body);
  if (!question) return deny(response, 400, 'gza: the question cannot be read, or asks to be answered later');
  const answer = meter.begin(route, question.model, question.body.length);
  try {
    await pass(exchange, { target, url, body: question.body, answer, api: route });
  } finally {
    meter.end(answer, 'none');
  }
}

interface Question {
  readonly target: ModelTarget;
  readonly url: URL;
  readonly body: Buffer;
  readonly answer?: Answer;
  readonly api?: ModelApi;
}

async function pass(exchange: Exchange, question: Question): Promise<void> {
  const { options, request, response, signal, stop } = exchange;
  const { target, url, body, answer } = question;
  const headers = headersTo(request.headers, target, url, body);
  const sent = reach(
    url,
    { method: request.method, headers, signal, timeout: silenceMsMax },
    options.environment,
  );
  sent.on('timeout', () => sent.destroy(new Error(`no answer for ${silenceMsMax / 60_000} minutes`)));
  sent.on('error', () => {}); // once() below reports it.
  sent.end(body);
  let came: IncomingMessage;
  try {
    [came] = (await once(sent, 'response')) as [IncomingMessage];
  } catch (error) {
    // An agent that disconnects before the answer comes must still pay for the question.
    if (signal.aborted && answer) exchange.meter.end(answer, 'cut');
    return deny(response, 502, `gza: ${url.host} cannot be reached: ${codeOf(error)}`, 'api_error');
  }
  if (came.headers[stoppedHeader]) stop(came.headers[stoppedHeader].toString());
  const status = came.statusCode ?? 502;
  if (status >= 300) return passError(response, came, status, target);
  response.writeHead(status, headersFrom(came.headers, target));
  await passAnswer(exchange, came, question);
}

/** Passes the answer on as it comes, in whole lines, so that a cut never leaves half an event. */
async function passAnswer(exchange: Exchange, came: IncomingMessage, question: Question): Promise<void> {
  const { meter, response, signal } = exchange;
  const { answer, api } = question;
  const isStream = /event-stream/.test(came.headers['content-type'] ?? '');
  const read = isStream ? eventReader(answer) : wholeReader(answer);
  let how: 'whole' | 'cut' = 'cut';
  let bytes = 0;
  try {
    for await (const chunk of came as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > answerBytesMax) break;
      const safe = read.take(chunk);
      if (safe.length > 0 && !response.write(safe)) await once(response, 'drain', { signal });
      const over = answer && api && isStream ? meter.whyOver() : undefined;
      if (over !== undefined && api) return cutAnswer(exchange, api, over);
    }
    how = bytes > answerBytesMax ? 'cut' : 'whole';
    const rest = read.end();
    if (how === 'whole') response.end(rest);
  } finally {
    came.destroy();
    if (answer) meter.end(answer, how);
    if (!response.writableEnded) response.destroy();
  }
}

function cutAnswer({ response, stop }: Exchange, api: ModelApi, why: string): void {
  stop(why);
  const { event, data } = api.cut(`gza: ${why}`);
  const named = event === undefined ? '' : `event: ${event}\n`;
  response.end(`\n${named}data: ${JSON.stringify(data)}\n\n`);
}

interface Reader {
  /** Returns what may be passed on now. */
  take(chunk: Buffer): Buffer;
  end(): Buffer;
}

/** Server-sent events: reads their `data:` lines and passes on whole lines. */
function eventReader(answer: Answer | undefined): Reader {
  let held: Buffer[] = [];
  let heldBytes = 0;
  const flush = () => {
    const all = Buffer.concat(held);
    held = [];
    heldBytes = 0;
    return all;
  };
  const read = (lines: Buffer) => {
    for (const line of answer ? lines.toString('utf8').split('\n') : []) {
      const data = line.startsWith('data:') ? jsonLine(line.slice(5)) : undefined;
      if (data) answer?.take(data);
    }
    return lines;
  };
  return {
    take(chunk) {
      held.push(chunk);
      heldBytes += chunk.length;
      const at = chunk.lastIndexOf(10);
      if (at < 0) return heldBytes > readBytesMax ? flush() : Buffer.alloc(0);
      const all = flush();
      const end = all.length - (chunk.length - at - 1);
      if (end < all.length) {
        held = [all.subarray(end)];
        heldBytes = all.length - end;
      }
      return read(all.subarray(0, end));
    },
    end: () => read(flush()),
  };
}

/** An answer that is one JSON value, or a list of them. */
function wholeReader(answer: Answer | undefined): Reader {
  const held: Buffer[] = [];
  let bytes = 0;
  return {
    take(chunk) {
      bytes += chunk.length;
      if (bytes <= readBytesMax) held.push(chunk);
      return chunk;
    },
    end() {
      try {
        const data: unknown = bytes <= readBytesMax ? JSON.parse(Buffer.concat(held).toString('utf8')) : null;
        for (const one of Array.isArray(data) ? data : [data]) if (asObject(one)) answer?.take(one);
      } catch {
        // The usage is estimated instead.
      }
      return Buffer.alloc(0);
    },
  };
}

/** Removes the key from error bodies, because a provider may repeat what it was sent. */
async function passError(
  response: ServerResponse,
  came: IncomingMessage,
  status: number,
  target: ModelTarget,
): Promise<void> {
  const body = (await readBody(came, errorBytesMax)) ?? Buffer.alloc(0);
  came.destroy();
  const text = secretsOf(target).reduce(
    (rest, secret) => rest.replaceAll(secret, '[redacted]'),
    body.toString(),
  );
  response.writeHead(status, headersFrom(came.headers, target));
  response.end(text);
}

function deny(response: ServerResponse, status: number, message: string, type?: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-should-retry': 'false' });
  response.end(JSON.stringify(refusal(message, status, type)));
}

/** Uses status 403, because programs retry it less than any other. */
function denyFull({ response, stop }: Exchange, why: string): void {
  stop(why);
  response.setHeader(stoppedHeader, why);
  deny(response, 403, `gza: ${why}`);
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

/** Null when the body is too long, or when `mayTake` returns false. */
function readBody(
  from: IncomingMessage,
  bytesMax: number,
  mayTake: (bytes: number) => boolean = () => true,
): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] | null = [];
    let bytes = 0;
    from.on('error', reject);
    from.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (chunks === null || (bytes <= bytesMax && mayTake(chunk.length))) return chunks?.push(chunk);
      chunks = null;
      return resolve(null);
    });
    from.on('end', () => resolve(chunks && Buffer.concat(chunks)));
  });
}

const secretHeaders = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const;
/** Headers that belong to one connection, describe the client, or are set here. */
const ownHeaders =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|content-length|cookie|set-cookie|accept-encoding|expect|forwarded|proxy-.*|x-(?:forwarded-.*|gza-.*|http-method.*|method-override|original-.*|rewrite-.*))$/;

function wordOf(headers: IncomingHttpHeaders): string {
  const found = secretHeaders.map((name) => headers[name]).find((value) => value !== undefined);
  return String(found ?? '').replace(/^Bearer /i, '');
}

function isSame(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}

/** Puts the key into the header where the word was. */
function headersTo(
  headers: IncomingHttpHeaders,
  { key, headers: more = {} }: ModelTarget,
  { host }: URL,
  body: Buffer,
): OutgoingHttpHeaders {
  const secret = secretHeaders.find((name) => headers[name] !== undefined) ?? 'authorization';
  // The body is forwarded uncompressed, so `content-encoding` must go.
  const left: readonly string[] = [...secretHeaders, 'content-encoding'];
  const kept = Object.entries(headers).filter(([name]) => !ownHeaders.test(name) && !left.includes(name));
  return {
    ...Object.fromEntries(kept),
    host,
    [secret]: secret === 'authorization' ? `Bearer ${key}` : key,
    ...more,
    ...(body.length > 0 ? { 'content-length': body.length } : {}),
  };
}

function headersFrom(headers: IncomingHttpHeaders, target: ModelTarget): OutgoingHttpHeaders {
  const secrets = secretsOf(target);
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => !ownHeaders.test(name) && !secrets.some((secret) => String(value).includes(secret)),
    ),
  );
}

function secretsOf({ key, headers = {} }: ModelTarget): string[] {
  return [key, ...Object.values(headers)].filter((secret) => secret.length >= 8);
}

/** Appends the API path to the upstream's. A version that both have is kept once. The host never changes. */
function urlAt(upstream: string, pathname: string, search: string): URL {
  const url = new URL(upstream);
  const base = url.pathname.replace(/\/+$/, '');
  const [, first = ''] = pathname.split('/');
  const isTwice = /^v\d/.test(first) && /\/v\d\w*$/.test(base);
  url.pathname = base + (isTwice ? pathname.slice(first.length + 1) : pathname);
  const query = new URLSearchParams(search);
  for (const name of ['key', 'access_token', '$key']) query.delete(name);
  for (const [name, value] of query) url.searchParams.append(name, value);
  return url;
}
