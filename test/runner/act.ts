/**
 * Plays what the simulated GitHub has queued with nektos/act, a runner that follows GitHub's own: real processes, real
 * action files, its own parser and evaluator. GitHub itself (API, git, events) stays the simulated one.
 *
 * Where act differs from GitHub, the copy of the product that it plays is rewritten (`rewritten`), and nowhere else:
 * it knows neither `$/` nor `queue`; an output of a job that was skipped is the text of its expression; it has one
 * token for all jobs of a run, and no concurrency.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Github } from '../github/github.ts';
import { bot, type Run } from '../github/state.ts';

const version = '0.2.89';

/** `ACT` in the environment, else act of the PATH, else built from Go's module proxy into the user's cache, once. */
function findAct(): string {
  const given = process.env['ACT'];
  if (given) return given;
  const found = run('sh', ['-c', 'command -v act || true']).trim();
  if (found) return found;
  const folder = join(homedir(), '.cache', 'gza-test', `act-${version}`);
  const built = join(folder, 'act');
  if (existsSync(built)) return built;
  const env = { ...process.env, GOBIN: folder };
  execFileSync('go', ['install', `github.com/nektos/act@v${version}`], {
    env,
    stdio: 'inherit',
    timeout: 900_000,
  });
  return built;
}

function run(file: string, args: readonly string[], cwd?: string): string {
  return execFileSync(file, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** The commit by which the inline form names gza here. */
export const pin = '0123456789abcdef0123456789abcdef01234567';

const standIns = fileURLToPath(new URL('actions', import.meta.url));

export interface Played {
  /** Of jobs that ran: their names, in the order of their ends. */
  readonly jobs: readonly string[];
  readonly log: string;
  /** Where the runner's token, or another secret, was seen. */
  readonly leaks: readonly string[];
}

export interface PlayOptions {
  readonly github: Github;
  readonly product: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly runsMax?: number;
}

/** Until nothing is queued any more. */
export async function playWithAct(options: PlayOptions): Promise<Played> {
  const { github, runsMax = 30 } = options;
  const temp = mkdtempSync(join(tmpdir(), 'gza-act-'));
  const [jobs, log, leaks]: [string[], string[], Set<string>] = [[], [], new Set()];
  try {
    const product = rewritten(options.product, join(temp, 'product'));
    for (let count = 0; ; count++) {
      const next = github.state.runs.find(({ status }) => status === 'queued');
      if (!next) break;
      if (count === runsMax) throw new Error(`more than ${runsMax} runs:\n${log.join('\n')}`);
      await playOne({ ...options, product, temp, jobs, log, leaks }, next);
    }
  } finally {
    rmSync(temp, { recursive: true, force: true, maxRetries: 3 });
  }
  return { jobs, log: log.join('\n'), leaks: [...leaks] };
}

function calledIn(product: string): string[] {
  const folder = join(product, '.github/workflows');
  return (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) =>
    /^gza[.-]/.test(name) ? [join(folder, name)] : [],
  );
}

/** What act does not know is written in another way. Each line of this is a difference to GitHub. */
function rewrite(folder: string): void {
  for (const path of calledIn(folder)) {
    const text = readFileSync(path, 'utf8')
      .replaceAll(/uses: \$\/(\S+)/g, 'uses: gza-dev/gza/$1@v1')
      .replaceAll(/^ +queue: max\n/gm, '')
      .replaceAll(/(needs\.(\w+)\.outputs\.\w+) \|\|/g, "needs.$2.result == 'success' && $1 ||");
    writeFileSync(path, text);
  }
}

function rewritten(product: string, folder: string): string {
  cpSync(product, folder, { recursive: true });
  rewrite(folder);
  run('git', ['init', '-q', '-b', 'v1', folder]);
  run('git', ['add', '-A'], folder);
  run('git', ['-c', 'user.name=x', '-c', 'user.email=x@x.invalid', 'commit', '-q', '-m', 'x'], folder);
  return folder;
}

interface One extends PlayOptions {
  readonly temp: string;
  readonly jobs: string[];
  readonly log: string[];
  readonly leaks: Set<string>;
}

async function playOne(one: One, next: Run): Promise<void> {
  const { github, temp, jobs, log } = one;
  const { state } = github;
  const folder = join(temp, `run-${next.id}`);
  run('git', ['clone', '-q', '--no-local', github.gitDir, folder]);
  run('git', ['checkout', '-q', '--detach', next.headSha], folder);
  // Of the inline form, which is the repository's own.
  rewrite(folder);
  writeFileSync(join(folder, '.git/event.json'), JSON.stringify(next.payload));
  const token = github.token({
    kind: 'actions',
    login: bot.login,
    permissions: {
      actions: 'write',
      contents: 'write',
      issues: 'write',
      pull_requests: 'write',
      statuses: 'write',
    },
    runId: next.id,
    job: 'act',
  });
  Object.assign(next, { status: 'in_progress' });
  const code = await act(one, next, folder, token);
  const known = state.tokens[token];
  if (known) known.revoked = true;
  const conclusion = code === 0 ? 'success' : 'failure';
  Object.assign(next, { status: 'completed', conclusion, updatedAt: state.now });
  log.push(`run ${next.id} (${next.event}): ${conclusion}; ${jobs.length} jobs so far`);
}

function environment({ github }: One, run: Run, temp: string): Record<string, string> {
  const { owner, repo } = github.state;
  return {
    GITHUB_API_URL: github.apiUrl,
    GITHUB_GRAPHQL_URL: github.graphqlUrl,
    GITHUB_SERVER_URL: github.serverUrl,
    GITHUB_REPOSITORY: `${owner}/${repo}`,
    GITHUB_REPOSITORY_OWNER: owner,
    GITHUB_REF: run.ref,
    GITHUB_REF_NAME: run.ref.replace(/^refs\/\w+\//, ''),
    GITHUB_RUN_ID: String(run.id),
    GITHUB_RUN_NUMBER: String(run.number),
    GITHUB_RUN_ATTEMPT: String(run.attempt),
    GITHUB_WORKFLOW_REF: `${owner}/${repo}/${run.workflow}@${run.ref}`,
    SHA_REF: run.headSha,
    GZA_ACT_ARTIFACTS: join(temp, 'artifacts'),
  };
}

async function act(one: One, run: Run, folder: string, token: string): Promise<number> {
  const { product, secrets, temp, jobs, log, leaks } = one;
  mkdirSync(join(temp, 'artifacts'), { recursive: true });
  mkdirSync(join(temp, 'home'), { recursive: true });
  const local = (name: string, path: string) =>
    ['https://github.com', one.github.serverUrl].map((host) => `--local-repository=${host}/${name}=${path}`);
  const standIn = calledIn(product).flatMap((path) => [
    ...readFileSync(path, 'utf8').matchAll(/uses: (actions\/([\w-]+)@\w+)/g),
  ]);
  const args = [
    run.event,
    '--json',
    '--no-skip-checkout',
    '--no-cache-server',
    '--concurrent-jobs=2',
    '-P=ubuntu-latest=-self-hosted',
    `-W=${run.workflow}`,
    `-e=${join(folder, '.git/event.json')}`,
    `--actor=${run.actor}`,
    `--action-cache-path=${join(temp, 'cache')}`,
    '--env-file=/dev/null',
    `--secret-file=${join(temp, 'secrets')}`,
    ...local('gza-dev/gza@v1', product),
    ...local(`gza-dev/gza@${pin}`, product),
    ...new Set(standIn.flatMap(([, uses = '', name = '']) => local(uses, join(standIns, name)))),
    ...Object.entries(environment(one, run, temp)).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
  ];
  const lines = Object.entries({ ...secrets, GITHUB_TOKEN: token }).map(
    ([name, value]) => `${name}=${value}`,
  );
  writeFileSync(join(temp, 'secrets'), `${lines.join('\n')}\n`, { mode: 0o600 });
  const env = { PATH: process.env['PATH'] ?? '', HOME: join(temp, 'home'), TMPDIR: temp };
  const child = spawn(findAct(), args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const hidden = [token, ...Object.values(secrets)];
  const watching = setInterval(() => {
    watchArguments(hidden, leaks);
    watchConfigurations(join(temp, 'cache'), hidden, leaks);
  }, 40);
  const read = async (stream: NodeJS.ReadableStream) => {
    for await (const line of createInterface({ input: stream })) {
      const said = parse(line);
      if (hidden.some((secret) => said.text.includes(secret))) leaks.add(`log: ${said.text.slice(0, 300)}`);
      log.push(said.text);
      if (said.ended) jobs.push(said.ended);
    }
  };
  const ended = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)));
  await Promise.all([read(child.stdout), read(child.stderr)]);
  clearInterval(watching);
  return ended;
}

function parse(line: string): { readonly text: string; readonly ended?: string } {
  try {
    const { job = '', msg = '', jobResult } = JSON.parse(line) as Record<string, string>;
    const text = `[${job}] ${msg.trimEnd()}`;
    return jobResult === undefined ? { text } : { text, ended: `${job}: ${jobResult}` };
  } catch {
    return { text: line };
  }
}

/** Of the folders in which jobs work: what git keeps there is read by whatever the job starts. */
function watchConfigurations(cache: string, hidden: readonly string[], leaks: Set<string>): void {
  if (!existsSync(cache)) return;
  for (const job of readdirSync(cache)) {
    let text = '';
    try {
      text = readFileSync(join(cache, job, 'hostexecutor/.git/config'), 'utf8');
    } catch {
      continue;
    }
    if (hidden.some((secret) => text.includes(secret) || text.includes(btoa(`x-access-token:${secret}`))))
      leaks.add(`git configuration: ${text.slice(0, 300)}`);
  }
}

/** As another user of the machine could. */
function watchArguments(hidden: readonly string[], leaks: Set<string>): void {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  for (const id of ids) {
    let line = '';
    try {
      line = readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch {
      continue;
    }
    if (hidden.some((secret) => line.includes(secret))) leaks.add(`arguments: ${line.slice(0, 300)}`);
  }
}
