/**
 * Real git over real HTTP, with GitHub's tokens, permissions and refusals in front of it: `git http-backend`, and for
 * what is fetched what that would start, which is one process less for most requests.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { FaultEffect, Seen } from './faults.ts';
import { isAllowed } from './permissions.ts';
import { renameReasons } from './push-report.ts';
import { type Move, recordMoves, zero } from './record-moves.ts';
import { cutOff, type Desk, readBody, tokenOf } from './server.ts';
import type { State, Token } from './state.ts';
import { by, type World } from './world.ts';

export async function serveGit(desk: Desk, gitDir: string): Promise<Server> {
  const server = createServer((request, response) => {
    void handle(desk, gitDir, request, response).catch((error: unknown) => {
      desk.world.violations.push(
        `the git server broke: ${error instanceof Error ? error.stack : String(error)}`,
      );
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function handle(
  desk: Desk,
  gitDir: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { world } = desk;
  const raw = await readBody(request);
  const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
  const url = new URL(request.url ?? '/', 'http://git');
  const token = tokenOf(world, request);
  const service = url.searchParams.get('service') ?? url.pathname.split('/').at(-1) ?? '';
  const isPush = service === 'git-receive-pack';
  const commands = isPush && request.method === 'POST' ? commandsOf(body) : [];
  const seen = note(desk, request, url, token, isPush, commands);
  const effects = desk.faults.take(seen);
  for (const effect of effects) {
    if (effect.kind === 'delay') await new Promise((resolve) => setTimeout(resolve, effect.ms));
    if (effect.kind === 'run' && effect.phase === 'before') await effect.run(seen);
  }
  if (effects.some((effect) => effect.kind === 'drop')) return void request.socket.destroy();
  if (effects.some((effect) => effect.kind === 'hang')) return;
  const refusal = refused(world, url, tokenOf(world, request), request, isPush) ?? faulty(effects, 'answer');
  if (refusal) return finish(response, seen, refusal.status, refusal.headers, Buffer.from(refusal.text));
  const limit = world.state.settings.refsPerPushMax;
  const tooMany =
    limit !== null && commands.length > limit
      ? `Repository policies do not allow pushes that update more than ${limit} branches or tags.`
      : '';
  if (tooMany) return finish(response, seen, 403, { 'content-type': 'text/plain' }, Buffer.from(tooMany));
  const ask = () => backend(world, gitDir, request, url, body, token);
  const answer = await (isGreeting(request, url) ? (greeting ??= ask()) : ask());
  if (commands.length > 0) await afterPush(world, commands, token);
  for (const effect of effects) if (effect.kind === 'run' && effect.phase === 'after') await effect.run(seen);
  if (effects.some((effect) => effect.kind === 'drop-after')) return void request.socket.destroy();
  if (effects.some((effect) => effect.kind === 'hang-after')) return;
  if (effects.some((effect) => effect.kind === 'half')) {
    response.writeHead(answer.status, answer.headers);
    return cutOff(response, answer.body);
  }
  const told = faulty(effects, 'answer-after');
  if (told) return finish(response, seen, told.status, told.headers, Buffer.from(told.text));
  finish(response, seen, answer.status, answer.headers, answer.body);
}

function note(
  desk: Desk,
  request: IncomingMessage,
  url: URL,
  token: Token | undefined,
  isPush: boolean,
  commands: readonly Move[],
): Seen {
  const { state } = desk.world;
  state.now += state.stepMs;
  const seen: Seen = {
    at: state.now,
    kind: 'git',
    method: request.method ?? 'GET',
    path: `${url.pathname}${url.search}`,
    operation:
      request.method === 'GET'
        ? isPush
          ? 'git/info-push'
          : 'git/info-fetch'
        : isPush
          ? 'git/push'
          : 'git/fetch',
    login: token?.login ?? '',
    runId: token?.runId,
    job: token?.job,
    creates: false,
    body: commands.length > 0 ? commands : undefined,
    status: 0,
  };
  desk.seen.push(seen);
  return seen;
}

interface Plain {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

function refused(
  world: World,
  url: URL,
  token: Token | undefined,
  request: IncomingMessage,
  isPush: boolean,
): Plain | undefined {
  const { state } = world;
  const plain = (status: number, text: string, headers: Record<string, string> = {}): Plain => ({
    status,
    headers: { 'content-type': 'text/plain', ...headers },
    text,
  });
  const name = url.pathname
    .split('/')
    .slice(1, 3)
    .join('/')
    .replace(/\.git$/, '');
  // A token that is not known is refused where none at all would do.
  if (!token && (state.settings.private || isPush || request.headers.authorization))
    return plain(401, 'No anonymous write access.', { 'www-authenticate': 'Basic realm="GitHub"' });
  if (name !== `${state.owner}/${state.repo}`) return plain(404, 'Repository not found.');
  if (token && !isAllowed(state, token, [isPush ? 'contents:write' : 'contents:read']))
    return plain(
      403,
      isPush
        ? `Permission to ${name}.git denied to ${token.login}.`
        : 'Write access to repository not granted.',
    );
  return undefined;
}

function faulty(effects: readonly FaultEffect[], kind: 'answer' | 'answer-after'): Plain | undefined {
  const effect = effects.find((one) => one.kind === kind);
  if (!effect || !('answer' in effect)) return undefined;
  const { status, headers, body } = effect.answer;
  return {
    status,
    headers: { ...headers },
    text: typeof body === 'string' ? body : JSON.stringify(body ?? ''),
  };
}

function finish(
  response: ServerResponse,
  seen: Seen,
  status: number,
  headers: Record<string, string>,
  body: Buffer,
): void {
  seen.status = status;
  response.writeHead(status, { date: new Date(seen.at).toUTCString(), ...headers }).end(body);
}

/** The commands at the head of a push: pkt-lines up to the flush, each `old new ref`. */
function commandsOf(body: Buffer): Move[] {
  const commands: Move[] = [];
  for (let at = 0; at + 4 <= body.length; ) {
    const length = Number.parseInt(body.subarray(at, at + 4).toString('latin1'), 16);
    if (!(length >= 4)) break;
    const line = body.subarray(at + 4, at + length).toString('utf8');
    const [, old = '', to = '', ref = ''] = /^([0-9a-f]{40}) ([0-9a-f]{40}) ([^\0\n]+)/.exec(line) ?? [];
    if (ref) commands.push({ old, new: to, ref });
    at += length;
  }
  return commands;
}

function hookEnvironment(state: State, token: Token | undefined, reasons: string): Record<string, string> {
  const bypass = token !== undefined && state.settings.bypassLogins.includes(token.login);
  const workflows = token !== undefined && isAllowed(state, token, ['workflows:write']);
  return {
    FAKE_REASONS: reasons,
    FAKE_PROTECTED: bypass ? '' : state.settings.protectedBranches.join(' '),
    FAKE_RULES: bypass ? '' : state.settings.pushRules.join(' '),
    FAKE_WORKFLOWS: workflows ? 'yes' : 'no',
  };
}

/** What begins each fetch names no refs, and is the same for all repositories of one git: it is asked once. */
let greeting: Promise<BackendAnswer> | undefined;

function isGreeting({ method, headers }: IncomingMessage, { searchParams }: URL): boolean {
  return (
    method === 'GET' &&
    searchParams.get('service') === 'git-upload-pack' &&
    headers['git-protocol'] === 'version=2'
  );
}

interface BackendAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

async function backend(
  world: World,
  gitDir: string,
  request: IncomingMessage,
  url: URL,
  body: Buffer,
  token: Token | undefined,
): Promise<BackendAnswer> {
  const folder = mkdtempSync(join(tmpdir(), 'fake-push-'));
  const reasons = join(folder, 'reasons');
  const path = url.pathname.replace(/^\/[^/]+\/[^/]+/, '/repository.git');
  try {
    const env = {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: dirname(gitDir),
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      PATH_INFO: path,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: String(body.length),
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_USER: token?.login ?? 'anonymous',
      REMOTE_ADDR: '127.0.0.1',
      ...hookEnvironment(world.state, token, reasons),
    };
    if (request.method === 'POST' && path.endsWith('/git-upload-pack'))
      return await upload(gitDir, env, body);
    const answer = splitCgi(await runBackend(env, body));
    const said = existsSync(reasons) ? readFileSync(reasons, 'utf8') : '';
    return said ? { ...answer, body: renameReasons(answer.body, said) } : answer;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function upload(gitDir: string, env: NodeJS.ProcessEnv, body: Buffer): Promise<BackendAnswer> {
  const headers = { 'content-type': 'application/x-git-upload-pack-result', 'cache-control': 'no-cache' };
  const sent = await feed('git', ['upload-pack', '--stateless-rpc', gitDir], env, body);
  return { status: 200, headers, body: sent };
}

let programs = '';

function execPath(): string {
  programs ||= execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim();
  return programs;
}

/** Not `git http-backend`, which would be one more process to start for each request. */
function runBackend(env: NodeJS.ProcessEnv, body: Buffer): Promise<Buffer> {
  return feed(join(execPath(), 'git-http-backend'), [], env, body);
}

function feed(program: string, args: string[], env: NodeJS.ProcessEnv, body: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    const out: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.on('error', reject);
    child.on('close', () => resolve(Buffer.concat(out)));
    child.stdin.on('error', () => {});
    child.stdin.end(body);
  });
}

function splitCgi(out: Buffer): BackendAnswer {
  const end = out.indexOf('\r\n\r\n');
  const headers: Record<string, string> = {};
  let status = 200;
  for (const line of out.subarray(0, Math.max(0, end)).toString('utf8').split('\r\n')) {
    const [name = '', ...value] = line.split(': ');
    if (name.toLowerCase() === 'status') status = Number.parseInt(value.join(': '), 10);
    else if (name) headers[name] = value.join(': ');
  }
  return { status, headers, body: out.subarray(end + 4) };
}

/** Only what really moved counts: a push may be refused in part. */
async function afterPush(world: World, commands: readonly Move[], token: Token | undefined): Promise<void> {
  const run = async () => {
    const refs = await world.data.refs();
    const moves = commands.filter((one) => (refs.get(one.ref) ?? zero) === one.new);
    await recordMoves(world, moves, token ? by(token) : { login: 'nobody', kind: 'user' });
  };
  const result = world.exclusive.then(run, run);
  world.exclusive = result.catch(() => {});
  await result;
}
