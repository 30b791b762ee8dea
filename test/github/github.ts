/**
 * A GitHub for one test: `await using github = await startGithub()`. Two addresses as in life (the API, and the
 * server with git), one state, one bare repository. Closing fails when anything was asked that GitHub has not.
 */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openGit } from '../../src/git/git.ts';
import { type CommitOptions, commit, type ForkPull, forkPull } from './commits.ts';
import { createState } from './create-state.ts';
import { createFaults, type Faults, type RequestKind, type Seen } from './faults.ts';
import { type GitData, openGitData } from './git-data.ts';
import { serveGit } from './git-http.ts';
import { mergeByQueue } from './merge-queue.ts';
import { type Person, person } from './person.ts';
import { serveApi } from './server.ts';
import { copyRepository, copyState, type Snapshot } from './snapshot.ts';
import { type GithubEvent, type Permissions, type Settings, type State, type Token } from './state.ts';
import { createRuns } from './triggers.ts';
import { installHooks } from './update-hook.ts';
import { schedulePayload } from './webhooks.ts';
import { emitOnDefault, type World } from './world.ts';

export interface StartOptions {
  readonly settings?: Partial<Settings>;
  readonly now?: number;
  /** A name of whom the repository is; olive administers it all the same. */
  readonly owner?: string;
  /** The first commit on main. */
  readonly files?: Readonly<Record<string, string>>;
  /** How another one was at that moment, instead of all of these. */
  readonly from?: Snapshot;
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
  /** As a merge queue does, with its branch and its bot. */
  mergeByQueue(number: number): Promise<void>;
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
  owner,
  files = { 'README.md': '# demo\n' },
  from,
}: StartOptions = {}): Promise<Github> {
  const folder = mkdtempSync(join(tmpdir(), 'fake-github-'));
  const gitDir = join(folder, 'repository.git');
  if (from) copyRepository(from, gitDir);
  else await makeRepository(folder, gitDir);
  const urls = { api: '', server: '' };
  const state = from ? copyState(from.state) : createState(settings, now, owner);
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
    as: (login) => person(github, login, addToken(state, { kind: 'user', login })),
    commit: (options) => commit(world, options),
    replay: (event) => createRuns(world, event),
    forkPull: (options) => forkPull(world, options),
    mergeByQueue: (number) => mergeByQueue(world, number),
    async tickSchedule(cron) {
      const runs = state.runs.length;
      await emitOnDefault(world, 'schedule', schedulePayload(cron), {
        login: 'github-actions[bot]',
        kind: 'user',
      });
      if (state.runs.length === runs) throw new Error(`no workflow is scheduled for '${cron}'`);
    },
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
  if (from) return github;
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
