/**
 * A GitHub for one test: `await using github = await startGithub()`. Two addresses as in life (the API, and the
 * server with git), one state, one bare repository. Closing fails when anything was asked that GitHub has not.
 */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openGit } from '../../src/git.ts';
import { createState } from './create-state.ts';
import { createFaults, type Faults, type RequestKind, type Seen } from './faults.ts';
import { type GitData, openGitData } from './git-data.ts';
import { serveGit } from './git-http.ts';
import { blankIssue, blankPull } from './routes/pulls.ts';
import { serveApi } from './server.ts';
import {
  type GithubEvent,
  nextNumber,
  type Permissions,
  type Settings,
  type State,
  type Token,
} from './state.ts';
import { createRuns } from './triggers.ts';
import { installHooks } from './update-hook.ts';
import { pushPayload, schedulePayload } from './webhooks.ts';
import { emit, emitOnDefault, emitPull, render, syncPulls, type World } from './world.ts';

export interface StartOptions {
  readonly settings?: Partial<Settings>;
  readonly now?: number;
  /** The first commit on main. */
  readonly files?: Readonly<Record<string, string>>;
}

interface CommitOptions {
  readonly branch: string;
  /** null deletes. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly message?: string;
  readonly by?: string;
  /** Where a new branch begins; default main. */
  readonly from?: string;
}

interface ForkPull {
  readonly by: string;
  readonly branch: string;
  readonly files: Readonly<Record<string, string>>;
  readonly title?: string;
  readonly body?: string;
}

interface Person {
  /** Any request, with this person's own token. */
  request(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Record<string, unknown> }>;
  openPull(
    head: string,
    options?: { title?: string; base?: string; body?: string; draft?: boolean },
  ): Promise<number>;
  comment(number: number, body: string): Promise<number>;
  /** Ticks the box whose line contains `words`, as a click in the browser does: the whole body is sent, with CRLF. */
  tick(number: number, words: string): Promise<void>;
  merge(number: number): Promise<void>;
  close(number: number): Promise<void>;
  /** The button on a merged pull request: those based on the branch get its base instead of being closed. */
  deleteBranch(name: string): Promise<void>;
}

export interface Github extends AsyncDisposable {
  readonly state: State;
  readonly world: World;
  readonly data: GitData;
  readonly gitDir: string;
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly serverUrl: string;
  /** To clone from, without a token. */
  readonly gitUrl: string;
  readonly seen: Seen[];
  readonly faults: Faults;
  readonly violations: string[];
  token(token: Partial<Token>): string;
  /** With the token in it. */
  urlFor(secret: string): string;
  as(login: string): Person;
  /** A person's push, past all protection; tells the workflows. */
  commit(options: CommitOptions): Promise<string>;
  /** Delivers an event again, late or twice, with the payload it had then. */
  replay(event: GithubEvent): Promise<void>;
  /** A pull request from someone else's fork. */
  forkPull(options: ForkPull): Promise<number>;
  /** The clock of `on: schedule`. */
  tickSchedule(cron: string): Promise<void>;
  counts(): Record<RequestKind | 'creates' | 'pushes', number>;
  /** What was held against the client so far, and forgets it: for tests that provoke it. */
  takeViolations(): string[];
  close(): Promise<void>;
}

export async function startGithub({
  settings,
  now,
  files = { 'README.md': '# demo\n' },
}: StartOptions = {}): Promise<Github> {
  const folder = mkdtempSync(join(tmpdir(), 'fake-github-'));
  const gitDir = join(folder, 'repository.git');
  await makeRepository(folder, gitDir);
  const urls = { api: '', server: '' };
  const state = createState(settings, now);
  const world: World = {
    state,
    data: openGitData(gitDir),
    urls,
    violations: [],
    exclusive: Promise.resolve(),
  };
  const desk = { world, faults: createFaults(), seen: [] as Seen[] };
  const servers = [await serveApi(desk), await serveGit(desk, gitDir)];
  const [api = '', server = ''] = servers.map(
    (one) => `http://127.0.0.1:${(one.address() as AddressInfo).port}`,
  );
  Object.assign(urls, { api, server });
  let closed = false;
  const github: Github = {
    state,
    world,
    data: world.data,
    gitDir,
    apiUrl: api,
    graphqlUrl: `${api}/graphql`,
    serverUrl: server,
    gitUrl: `${server}/${state.owner}/${state.repo}.git`,
    seen: desk.seen,
    faults: desk.faults,
    violations: world.violations,
    token: (token) => addToken(state, token),
    urlFor: (secret) => github.gitUrl.replace('http://', `http://x-access-token:${secret}@`),
    as: (login) => person(github, login),
    commit: (options) => commit(github, options),
    replay: (event) => createRuns(world, event),
    forkPull: (options) => forkPull(github, options),
    tickSchedule: (cron) =>
      emitOnDefault(world, 'schedule', schedulePayload(render(world), cron), {
        login: 'github-actions[bot]',
        kind: 'user',
      }),
    counts: () => count(desk.seen),
    takeViolations: () => world.violations.splice(0),
    async close() {
      if (closed) return;
      closed = true;
      await Promise.all(servers.map(stop));
      await world.exclusive;
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      if (world.violations.length > 0)
        throw new Error(`GitHub would not have played along:\n${[...new Set(world.violations)].join('\n')}`);
    },
    [Symbol.asyncDispose]: () => github.close(),
  };
  await github.commit({ branch: state.defaultBranch, files, message: 'Begin' });
  state.events.length = 0;
  state.runs.length = 0;
  return github;
}

const settings = `[http]
\treceivepack = true
[receive]
\thideRefs = refs/pull
\tadvertisePushOptions = true
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
`;

async function makeRepository(folder: string, gitDir: string): Promise<void> {
  const git = openGit(folder, { isolated: true });
  await git.text(['init', '--quiet', '--bare', '--template=', '--initial-branch=main', gitDir]);
  // The engine's own git calls switch hooks off; the git server's do not.
  appendFileSync(join(gitDir, 'config'), `${settings}[core]\n\thooksPath = ${join(gitDir, 'hooks')}\n`);
  installHooks(gitDir);
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function addToken(state: State, token: Partial<Token>): string {
  const secret = `ghs_${String(Object.keys(state.tokens).length + 1).padStart(36, 'x')}`;
  const permissions: Permissions = token.permissions ?? {
    contents: 'write',
    pull_requests: 'write',
    issues: 'write',
    statuses: 'write',
    actions: 'write',
  };
  state.tokens[secret] = { kind: 'actions', login: 'github-actions[bot]', ...token, permissions };
  return secret;
}

function count(seen: readonly Seen[]) {
  const of = (test: (one: Seen) => boolean) => seen.filter(test).length;
  return {
    rest: of((one) => one.kind === 'rest'),
    graphql: of((one) => one.kind === 'graphql'),
    git: of((one) => one.kind === 'git'),
    signed: of((one) => one.kind === 'signed'),
    creates: of((one) => one.creates && one.status < 300),
    pushes: of((one) => one.operation === 'git/push'),
  };
}

function person(github: Github, login: string): Person {
  const secret = addToken(github.state, { kind: 'user', login });
  const repo = `${github.apiUrl}/repos/${github.state.owner}/${github.state.repo}`;
  const request: Person['request'] = async (method, path, body) => {
    const response = await fetch(`${repo}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'x-github-api-version': '2022-11-28' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text ? (JSON.parse(text) as Record<string, unknown>) : {} };
  };
  const must = async (method: string, path: string, body?: unknown) => {
    const answer = await request(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${login} may not ${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    request,
    openPull: async (head, options) =>
      Number(
        (await must('POST', '/pulls', { title: head, base: github.state.defaultBranch, ...options, head }))[
          'number'
        ],
      ),
    comment: async (number, body) =>
      Number((await must('POST', `/issues/${number}/comments`, { body }))['id']),
    tick: async (number, words) => {
      const issue = github.state.issues.find((one) => one.number === number);
      const lines = (issue?.body ?? '').replaceAll('\r\n', '\n').split('\n');
      const at = lines.findIndex((line) => /[-*+] \[ \]/.test(line) && line.includes(words));
      if (at < 0) throw new Error(`no open box with ${words} in:\n${lines.join('\n')}`);
      lines[at] = (lines[at] ?? '').replace('[ ]', '[x]');
      await must('PATCH', `/${issue?.pull ? 'pulls' : 'issues'}/${number}`, { body: lines.join('\r\n') });
    },
    merge: async (number) => void (await must('PUT', `/pulls/${number}/merge`, {})),
    deleteBranch: async (name) => {
      const merged = github.state.issues.find((one) => one.pull?.merged && one.pull.head.ref === name);
      if (!merged?.pull) throw new Error(`${name} is not the branch of a merged pull request`);
      for (const one of github.state.issues)
        if (one.state === 'open' && one.pull?.base === name)
          await must('PATCH', `/pulls/${one.number}`, { base: merged.pull.base });
      await must('DELETE', `/git/refs/heads/${name}`);
    },
    close: async (number) => void (await must('PATCH', `/issues/${number}`, { state: 'closed' })),
  };
}

async function commit(
  github: Github,
  { branch, files, message = 'Change', by = 'olive', from }: CommitOptions,
): Promise<string> {
  const { data, state, world } = github;
  const ref = `refs/heads/${branch}`;
  const old = await data.commit(ref);
  const sha = await writeCommit(github, ref, old ?? (await data.commit(from ?? state.defaultBranch)), {
    files,
    message,
    by,
  });
  const person = { login: by, kind: 'user' as const };
  const payload = pushPayload(render(world), {
    ref,
    before: old ?? '0'.repeat(40),
    after: sha,
    sender: by,
    commits: [{ id: sha, message }],
  });
  await emit(world, { name: 'push', payload, by: person, ref, sha });
  await syncPulls(world, person);
  return sha;
}

async function writeCommit(
  { data, state }: Github,
  ref: string,
  parent: string | null,
  { files, message, by }: { files: CommitOptions['files']; message: string; by: string },
): Promise<string> {
  state.now += state.stepMs;
  const who = `${by} <${by}@example.com> ${Math.floor(state.now / 1000)} +0000`;
  const blob = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const changes = Object.entries(files).map(([path, text]) =>
    text === null ? `D ${path}\n` : `M 100644 inline ${path}\n${blob(text)}`,
  );
  const from = parent ? `from ${parent}\n` : '';
  const stream = `commit ${ref}\nauthor ${who}\ncommitter ${who}\n${blob(message)}${from}${changes.join('')}\n`;
  await data.git.text(['fast-import', '--quiet', '--force'], { stdin: stream });
  return (await data.commit(ref)) ?? '';
}

/** Its commits are in the repository under refs/pull alone, as at GitHub; the branch is the fork's. */
async function forkPull(
  github: Github,
  { by, branch, files, title = branch, body = '' }: ForkPull,
): Promise<number> {
  const { state, data, world } = github;
  const number = nextNumber(state);
  const main = await data.commit(state.defaultBranch);
  const sha = await writeCommit(github, `refs/pull/${number}/head`, main, { files, message: title, by });
  const token = { kind: 'user' as const, login: by, permissions: {} };
  const head = { ref: branch, repo: `${by}/${state.repo}`, sha };
  const pull = {
    ...blankIssue({ state, token }, title, body),
    pull: blankPull(state.defaultBranch, head, false),
  };
  state.issues.push(pull);
  await emitPull(world, 'opened', pull, { login: by, kind: 'user' });
  return number;
}
