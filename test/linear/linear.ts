/**
 * The offline Linear: a real HTTP server with Linear's own schema over a state in memory. A request that the schema
 * does not allow, or that costs more than Linear takes, is answered as Linear would and fails the test at `close`.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buildSchema, execute, GraphQLError, parse, validate } from 'graphql';
import { complexity, pointsMax } from './complexity.ts';
import { resolvers } from './resolvers.ts';
import { type LinearState, newState } from './state.ts';

const schema = buildSchema(readFileSync(new URL('schema/linear.graphql', import.meta.url), 'utf8'));

export const apiKey = 'lin_api_0123456789abcdefghijklmnopqrstuvwxyzABCD';

export type Fault =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'hang' }
  | { readonly kind: 'drop' }
  /** It happens, and nobody hears of it. */
  | { readonly kind: 'drop-after' }
  | { readonly kind: 'garbage' }
  /** JSON, but not what was asked for. */
  | { readonly kind: 'shape' }
  /** An error that repeats what was sent, key and all. */
  | { readonly kind: 'echo' }
  /** The limit of requests is spent for so long. */
  | { readonly kind: 'limit'; readonly milliseconds: number };

export interface PlannedFault {
  readonly effect: Fault;
  /** `query` or `mutation`; both when not given. */
  readonly on?: 'query' | 'mutation';
  /** Requests of that kind that pass first. */
  skip?: number;
  /** How often; for ever when not given. */
  times?: number;
}

export interface Seen {
  readonly kind: 'query' | 'mutation';
  readonly name: string;
  readonly changes: number;
  readonly points: number;
}

export interface Linear {
  readonly state: LinearState;
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  readonly seen: Seen[];
  readonly faults: PlannedFault[];
  /** Requests that change something, since the last call. */
  takeChanges(): number;
  /** What Linear would not have understood. */
  takeViolations(): string[];
  close(): Promise<void>;
}

export async function startLinear(): Promise<Linear> {
  const state = newState();
  const seen: Seen[] = [];
  const faults: PlannedFault[] = [];
  const violations: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    void answer({ state, seen, faults, violations }, request, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  let counted = 0;
  return {
    state,
    url,
    env: { LINEAR_API_URL: url, LINEAR_API_KEY: apiKey },
    seen,
    faults,
    takeChanges() {
      const all = seen.filter(({ kind }) => kind === 'mutation').length;
      const fresh = all - counted;
      counted = all;
      return fresh;
    },
    takeViolations: () => violations.splice(0),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      if (violations.length > 0) throw new Error(`Linear would not take this:\n${violations.join('\n')}`);
    },
  };
}

interface Inside {
  readonly state: LinearState;
  readonly seen: Seen[];
  readonly faults: PlannedFault[];
  readonly violations: string[];
}

async function answer(inside: Inside, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (request.headers.authorization !== apiKey) {
    const error = {
      message: 'Authentication required, not authenticated',
      extensions: { code: 'AUTHENTICATION_ERROR' },
    };
    return send(response, 401, { errors: [error] });
  }
  const { query, variables } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
    query: string;
    variables: Record<string, unknown>;
  };
  const kind = query.startsWith('mutation') ? 'mutation' : 'query';
  const fault = takeFault(inside.faults, kind);
  if (fault && fault.kind !== 'drop-after') return fail(fault, request, response);
  const result = await run(inside, kind, query, variables);
  if (fault) return void request.socket.destroy();
  send(response, result.status, result.body);
}

function takeFault(faults: PlannedFault[], kind: 'query' | 'mutation'): Fault | null {
  const planned = faults.find((one) => (one.on ?? kind) === kind && one.times !== 0);
  if (!planned) return null;
  if ((planned.skip ?? 0) > 0) {
    planned.skip = (planned.skip ?? 0) - 1;
    return null;
  }
  if (planned.times !== undefined) planned.times -= 1;
  return planned.effect;
}

function fail(fault: Fault, request: IncomingMessage, response: ServerResponse): void {
  switch (fault.kind) {
    case 'status':
      return send(response, fault.status, { errors: [{ message: 'Something broke' }] });
    case 'hang':
      return;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Down for maintenance</html>');
      return;
    case 'shape':
      return send(response, 200, { data: { teams: null, issues: {} } });
    case 'echo':
      return send(response, 400, { errors: [{ message: `Bad header: ${request.headers.authorization}` }] });
    case 'limit': {
      const headers = {
        'X-RateLimit-Requests-Limit': '5000',
        'X-RateLimit-Requests-Remaining': '0',
        'X-RateLimit-Requests-Reset': String(Date.now() + fault.milliseconds),
        'X-RateLimit-Complexity-Remaining': '200000',
        'X-RateLimit-Complexity-Reset': String(Date.now() + 3_600_000),
      };
      const error = { message: 'Rate limit exceeded', extensions: { code: 'RATELIMITED' } };
      return send(response, 400, { errors: [error] }, headers);
    }
    case 'drop':
    case 'drop-after':
      request.socket.destroy();
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function run(
  { state, seen, violations }: Inside,
  kind: Seen['kind'],
  query: string,
  variables: Record<string, unknown>,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const document = parse(query);
  const points = complexity(document);
  const changes = (query.match(/^ {2}a\d+: /gm) ?? []).length;
  seen.push({ kind, name: /Gza\w+/.exec(query)?.[0] ?? '', changes, points });
  const wrong = [...validate(schema, document)];
  if (points > pointsMax) wrong.push(new GraphQLError(`Query too complex: ${points}`));
  if (wrong.length > 0) {
    violations.push(...wrong.map(({ message }) => message));
    return { status: 400, body: { errors: wrong } };
  }
  const result = await execute({ schema, document, rootValue: resolvers(state), variableValues: variables });
  const broken = result.errors?.filter(({ extensions }) => extensions['code'] !== 'INPUT_ERROR') ?? [];
  violations.push(...broken.map(({ message, path }) => `${path?.join('.')}: ${message}`));
  return { status: 200, body: result };
}
