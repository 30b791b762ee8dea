/** The API over HTTP: token, permission, budget, GitHub's description, the route, its description again. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type Answer,
  badCredentials,
  notAccessible,
  notFound,
  noVersion,
  Refusal,
  refuse,
} from './answers.ts';
import type { FaultEffect, Faults, Seen } from './faults.ts';
import { answerGraphql } from './graphql.ts';
import { checkAnswer, checkRequest, type Operation } from './openapi/check.ts';
import { fill } from './openapi/fill.ts';
import { isAllowed } from './permissions.ts';
import { bucketOf, checkRate, contentLimit, type Resource, rateHeaders } from './rate.ts';
import type { Call, Page, Route } from './route.ts';
import { decode, match, routes } from './route-table.ts';
import type { Token } from './state.ts';
import { checkHeaders, versions } from './strict-rules.ts';
import { render, type World } from './world.ts';

export interface Desk {
  readonly world: World;
  readonly faults: Faults;
  readonly seen: Seen[];
}

export async function serveApi(desk: Desk): Promise<Server> {
  const server = createServer((request, response) => {
    void handle(desk, request, response).catch((error: unknown) => {
      desk.world.violations.push(`the fake broke: ${error instanceof Error ? error.stack : String(error)}`);
      response.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** One request at a time, as the state has no other lock. */
function inTurn<T>(world: World, work: () => Promise<T>): Promise<T> {
  const result = world.exclusive.then(work, work);
  world.exclusive = result.catch(() => {});
  return result;
}

async function handle(desk: Desk, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const raw = await readBody(request);
  const { world } = desk;
  const url = new URL(request.url ?? '/', 'http://api');
  const seen = describe(desk, request, url, raw);
  desk.seen.push(seen);
  const effects = desk.faults.take(seen);
  await before(effects, seen);
  if (effects.some((effect) => effect.kind === 'drop')) return void request.socket.destroy();
  if (effects.some((effect) => effect.kind === 'hang')) return;
  const instead = effects.find((effect) => effect.kind === 'answer');
  const answer = instead
    ? instead.answer
    : await inTurn(world, () => answerTo(desk, request, url, seen, effects));
  for (const effect of effects) if (effect.kind === 'run' && effect.phase === 'after') await effect.run(seen);
  if (effects.some((effect) => effect.kind === 'drop-after')) return void request.socket.destroy();
  if (effects.some((effect) => effect.kind === 'hang-after')) return;
  const told = effects.find((effect) => effect.kind === 'answer-after')?.answer ?? answer;
  seen.status = told.status;
  send(
    response,
    told,
    world,
    effects.some((effect) => effect.kind === 'half'),
  );
}

async function before(effects: readonly FaultEffect[], seen: Seen): Promise<void> {
  for (const effect of effects) {
    if (effect.kind === 'delay') await new Promise((resolve) => setTimeout(resolve, effect.ms));
    if (effect.kind === 'run' && effect.phase === 'before') await effect.run(seen);
  }
}

function describe(desk: Desk, request: IncomingMessage, url: URL, raw: Buffer): Seen {
  const { state } = desk.world;
  const method = request.method ?? 'GET';
  const token = tokenOf(desk.world, request);
  const matched = match(method, url);
  const kind =
    url.pathname === '/graphql' ? 'graphql' : url.pathname.startsWith('/_signed/') ? 'signed' : 'rest';
  state.now += state.stepMs;
  return {
    at: state.now,
    kind,
    method,
    path: `${decode(url.pathname)}${url.search}`,
    operation:
      kind === 'rest' ? (matched?.operation.id ?? 'unknown') : kind === 'graphql' ? graphqlField(raw) : kind,
    login: token?.login ?? '',
    runId: token?.runId,
    job: token?.job,
    creates: matched
      ? routes[matched.operation.id]?.creates === true
      : kind === 'graphql' && graphqlField(raw) === 'graphql/addPullRequestReview',
    body: parseBody(raw),
    status: 0,
  };
}

/** `graphql/markPullRequestReadyForReview`: the first field that is asked for. */
function graphqlField(raw: Buffer): string {
  const { query } = (parseBody(raw) ?? {}) as { query?: string };
  return `graphql/${/\{\s*(?:\w+\s*:\s*)?(\w+)/.exec(query ?? '')?.[1] ?? ''}`;
}

function parseBody(raw: Buffer): unknown {
  if (raw.length === 0) return undefined;
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    return raw.toString('utf8');
  }
}

export function tokenOf(world: World, request: IncomingMessage): Token | undefined {
  const header = request.headers.authorization ?? '';
  const basic = /^basic (.+)$/i.exec(header)?.[1];
  const secret = basic
    ? Buffer.from(basic, 'base64').toString('utf8').split(':').slice(1).join(':')
    : /^(?:bearer|token) (.+)$/i.exec(header)?.[1];
  const token = secret === undefined ? undefined : world.state.tokens[secret];
  return token?.revoked ? undefined : token;
}

async function answerTo(
  desk: Desk,
  request: IncomingMessage,
  url: URL,
  seen: Seen,
  effects: readonly FaultEffect[],
): Promise<Answer> {
  const { world } = desk;
  if (seen.kind === 'signed') return signed(world, request, url);
  const token = tokenOf(world, request);
  const resource: Resource = seen.kind === 'graphql' ? 'graphql' : 'core';
  try {
    if (!token) throw request.headers.authorization ? badCredentials() : notFound();
    checkRate(world.state, token, resource);
    const stale = effects.find((effect) => effect.kind === 'stale');
    const view: World = stale
      ? { ...world, state: { ...structuredClone(stale.state), now: world.state.now } }
      : world;
    const answer =
      seen.kind === 'graphql'
        ? await answerGraphql(view, token, seen.body)
        : await rest(desk, view, request, url, seen, token);
    const tagged = withTag(answer, seen, request);
    if (tagged.status !== 304 && seen.operation !== 'rate-limit/get')
      bucketOf(world.state, token, resource).used += 1;
    return { ...tagged, headers: { ...tagged.headers, ...rateHeaders(world.state, token, resource) } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (seen.kind === 'graphql' && error.answer.status === 403)
      return graphqlLimited(error.answer, world, token);
    const headers = token ? rateHeaders(world.state, token, resource) : {};
    return { ...error.answer, headers: { ...headers, ...error.answer.headers } };
  }
}

/** GraphQL tells of a spent budget in a 200. */
function graphqlLimited(answer: Answer, { state }: World, token: Token | undefined): Answer {
  const { message } = answer.body as { message: string };
  const headers = token ? rateHeaders(state, token, 'graphql') : {};
  return { status: 200, body: { errors: [{ type: 'RATE_LIMITED', message }] }, headers };
}

async function rest(
  desk: Desk,
  world: World,
  request: IncomingMessage,
  url: URL,
  seen: Seen,
  token: Token,
): Promise<Answer> {
  const matched = match(seen.method, url);
  const route = matched && routes[matched.operation.id];
  if (!matched || !route) {
    world.violations.push(`unknown route: ${seen.method} ${seen.path}`);
    throw refuse(501, `The fake knows no ${seen.method} ${seen.path}`);
  }
  const { operation, params } = matched;
  if (
    params['owner'] &&
    `${params['owner']}/${params['repo']}`.toLowerCase() !== `${world.state.owner}/${world.state.repo}`
  )
    throw notFound();
  world.violations.push(...checkHeaders(operation.id, request.headers));
  const version = String(request.headers['x-github-api-version'] ?? versions[0]);
  if (!versions.includes(version)) throw noVersion(version);
  const wrong = checkRequest(operation, { params, query: url.searchParams, body: seen.body });
  if (wrong.length > 0) {
    world.violations.push(...wrong.map((text) => `${operation.id}: ${text}`));
    throw refuse(422, `Invalid request.\n\n${wrong.join('\n')}`);
  }
  const limited = route.creates ? contentLimit(creations(desk, seen), world.state.now) : null;
  if (limited) return limited;
  return permitted(world, route, operation, { params, url, seen, token });
}

function creations(desk: Desk, now: Seen): number[] {
  return desk.seen
    .filter((one) => one.creates && one !== now && one.login === now.login && one.status < 300)
    .map((one) => one.at);
}

async function permitted(
  world: World,
  route: Route,
  operation: Operation,
  { params, url, seen, token }: { params: Record<string, string>; url: URL; seen: Seen; token: Token },
): Promise<Answer> {
  const { state, data } = world;
  if (!isAllowed(state, token, route.needs))
    throw token.kind === 'user'
      ? refuse(403, 'Must have admin rights to Repository.')
      : notAccessible(route.needs);
  const call: Call = {
    world,
    state,
    data,
    render: render(world),
    params,
    query: url.searchParams,
    body: (seen.body ?? {}) as Record<string, unknown>,
    token,
  };
  const answer = paged(await route.handle(call), call, url);
  return checked(world, operation, answer);
}

/** The answer in GitHub's full shape, held against GitHub's description. */
function checked(world: World, operation: Operation, answer: Answer): Answer {
  const schema = operation.responses[String(answer.status)];
  const body = schema && answer.body !== undefined ? fill(schema, answer.body) : answer.body;
  // As the client will see it: without keys that are undefined.
  const plain = body === undefined ? undefined : (JSON.parse(JSON.stringify(body)) as unknown);
  const wrong = checkAnswer(operation, answer.status, plain);
  world.violations.push(
    ...wrong.slice(0, 5).map((text) => `the fake's answer to ${operation.id} is not GitHub's: ${text}`),
  );
  return { ...answer, body: plain };
}

function paged(answer: Answer & { readonly page?: Page }, call: Call, url: URL): Answer {
  const { page } = answer;
  if (!page) return answer;
  const size = Math.min(100, Math.max(1, Number(call.query.get('per_page') ?? 30)));
  const at = Math.max(1, Number(call.query.get('page') ?? 1));
  const last = Math.max(1, Math.ceil(page.list.length / size));
  const link = (to: number, rel: string) => {
    const target = new URL(`${call.world.urls.api}${url.pathname}${url.search}`);
    target.searchParams.set('page', String(to));
    return `<${target.href}>; rel="${rel}"`;
  };
  const links = [
    ...(at > 1 ? [link(at - 1, 'prev'), link(1, 'first')] : []),
    ...(at < last ? [link(at + 1, 'next'), link(last, 'last')] : []),
  ];
  const body = page.wrap(page.list.slice((at - 1) * size, at * size), page.list.length);
  return { status: 200, body, ...(links.length > 0 ? { headers: { link: links.join(', ') } } : {}) };
}

function withTag(answer: Answer, seen: Seen, request: IncomingMessage): Answer {
  if (seen.method !== 'GET' || answer.status !== 200) return answer;
  const etag = `W/"${createHash('sha256').update(JSON.stringify(answer.body)).digest('hex')}"`;
  const headers = { ...answer.headers, etag };
  return request.headers['if-none-match'] === etag ? { status: 304, headers } : { ...answer, headers };
}

/** Where artifacts really are: a store that knows no token of GitHub's and refuses who sends one. */
function signed(world: World, request: IncomingMessage, url: URL): Answer {
  const artifact = world.state.artifacts.find((one) => String(one.id) === url.pathname.split('/').at(-1));
  if (request.headers.authorization) {
    world.violations.push('a signed address was asked with an Authorization header');
    return { status: 400, body: { message: 'InvalidAuthenticationInfo' } };
  }
  const log = /\/logs\/(\d+)$/.exec(url.pathname)?.[1];
  if (log !== undefined && url.searchParams.get('sig') === `log${log}`) {
    const job = world.state.runs.flatMap((run) => run.jobs).find((one) => one.id === Number(log));
    return { status: 200, body: job?.log ?? '', headers: { 'content-type': 'text/plain' } };
  }
  if (!artifact || url.searchParams.get('sig') !== artifact.digest.slice(0, 16))
    return { status: 403, body: { message: 'AuthenticationFailed' } };
  return { status: 200, body: artifact.zip, headers: { 'content-type': 'application/zip' } };
}

function send(response: ServerResponse, answer: Answer, world: World, isHalf: boolean): void {
  const body = Buffer.isBuffer(answer.body)
    ? answer.body
    : answer.body === undefined
      ? ''
      : typeof answer.body === 'string'
        ? answer.body
        : JSON.stringify(answer.body);
  response.writeHead(answer.status, {
    'content-type': 'application/json; charset=utf-8',
    date: new Date(world.state.now).toUTCString(),
    'x-github-request-id': `FAKE:${world.state.now}`,
    ...answer.headers,
  });
  if (isHalf) cutOff(response, Buffer.from(body));
  else response.end(body);
}

/** Half of it arrives, and then the line is dead. */
export function cutOff(response: ServerResponse, body: Buffer): void {
  response.write(body.subarray(0, body.length >> 1), () => response.destroy());
}
