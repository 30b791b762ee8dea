/**
 * The action: inputs → command → outputs, log, summary. No other file depends on running inside a step of
 * GitHub Actions. All errors end here.
 */
// Must be the first import, because imports run in this order.
import '../cli/ignore-debugger.ts';
import { accessSync } from 'node:fs';
import { splitCommand } from '../agents/agent-named.ts';
import { withoutCommands } from '../agents/strip-escapes.ts';
import { processPorts } from '../cli/main.ts';
import { nearestWord } from '../core/arguments/nearest-word.ts';
import { exitCode, GzaError, isGzaError } from '../core/errors.ts';
import { printError } from '../core/text/terminal/error.ts';
import { plain } from '../core/text/terminal/lines.ts';
import type { JobContext } from '../github/jobs/job-context.ts';
import { gitAccess } from '../github/jobs/open-job.ts';
import { checkMachine } from '../github/pick/pick-and-update.ts';
import { openToolkit } from './toolkit.ts';

type Context = typeof import('@actions/github').context;

const { env } = process;
const toolkit = openToolkit();
const { input } = toolkit;

const jobs: Readonly<Record<string, (ci: JobContext) => Promise<unknown>>> = {
  intake: async (ci) => (await import('../github/comments/intake.ts')).intakeJob(ci),
  pick: async (ci) => (await import('../github/pick/pick-and-update.ts')).pickAndUpdate(ci),
  fetch: async (ci) => (await import('../github/jobs/open-job.ts')).fetchJob(ci),
  agent: async (ci) => (await import('../github/jobs/apart.ts')).agentApart(ci),
  verify: async (ci) => (await import('../github/jobs/apart.ts')).verifyApart(ci),
  land: async (ci) => (await import('../github/jobs/land.ts')).landAndTell(ci),
  next: async (ci) => (await import('../github/jobs/next.ts')).nextJob(ci),
  start: async (ci) => (await import('../github/jobs/next.ts')).startWorkflows(ci),
};

async function main(): Promise<number> {
  try {
    const words = splitCommand(input('command'));
    const name = words[0];
    if (name === undefined) {
      throw new GzaError('usage', 'the input `command` is empty', {
        hint: `Set it to one of ${Object.keys(jobs).join(', ')}, or to a verb of the command line.`,
      });
    }
    const ci = await openCi(name);
    const job = jobs[name];
    if (job === undefined) return await runVerb(words, ci);
    checkMachine(ci, name);
    await job(ci);
    return 0;
  } catch (error) {
    const text = isGzaError(error) ? printError(error, plain) : String((error as Error).stack ?? error);
    toolkit.error(text);
    toolkit.summary(`**gza failed**\n\n~~~\n${text.replaceAll('~~~', '~ ~ ~')}\n~~~\n`);
    return exitCode(error);
  }
}

async function runVerb(words: readonly string[], ci: JobContext): Promise<number> {
  if (words[0] === 'work' && input('unsafe') !== 'true') {
    throw new GzaError('refused', '`command: work` runs agents in the job that holds the token', {
      hint: 'An agent could take the token from its parent process. Use the callable workflow, which keeps them apart; or, in a repository whose tasks, code and comments you trust altogether, set `unsafe: true`.',
    });
  }
  const { findVerb } = await import('../commands/commands.ts');
  const near = nearestWord(words[0] ?? '', Object.keys(jobs));
  if (near !== null && !findVerb(words[0] ?? '')) {
    throw new GzaError('usage', `unknown command "${words[0]}": did you mean ${near}?`);
  }
  // Claims are shared and results pushed to where the other jobs look, unless the words say otherwise.
  const isShared = words[0] === 'work' && input('token') !== '' && !words.includes('--offline');
  if (isShared) {
    const { workJob } = await import('../github/jobs/work.ts');
    const shared = words.includes('--push') ? words : [...words, '--push'];
    return workJob(ci, () => printVerb(shared, ci));
  }
  return printVerb(words, ci);
}

async function printVerb(words: readonly string[], ci: JobContext): Promise<number> {
  const { runWords } = await import('../cli/main.ts');
  const outcome = await runWords(words, ci.ports);
  const json = words.includes('--json');
  // The text contains task texts, which must not become commands to the runner. JSON is escaped, so its
  // values stay the same.
  const text = json
    ? (JSON.stringify(outcome.json, null, 2) ?? '').replaceAll('##', '#\\u0023')
    : withoutCommands(outcome.text);
  process.stdout.write(`${text}\n`);
  if (words.includes('--markdown')) ci.summary(outcome.text);
  const result = JSON.stringify(outcome.json) ?? '';
  // Outputs have a size limit. Longer results must be read from the log or the ledger.
  if (result.length < 200_000) ci.output('result', result);
  return outcome.exit ?? 0;
}

async function openCi(command: string): Promise<JobContext> {
  const context = await openContext();
  const { serverUrl: server, payload } = context;
  const token = input('token');
  // Must happen before any git starts.
  if (token !== '') Object.assign(env, gitAccess(server, token, toolkit.mask));
  const repository = env['GITHUB_REPOSITORY'] ?? '';
  // Lines may come from a machine with hostile code, so commands are removed.
  const say = (line: string) => process.stdout.write(`${withoutCommands(line)}\n`);
  const id = context.runId || 0;
  return {
    ports: jobPorts((line) =>
      line.startsWith(warning) ? toolkit.warn(line.slice(warning.length)) : say(line),
    ),
    input,
    event: { name: context.eventName ?? '', payload },
    repository,
    defaultBranch: defaultBranchOf(payload),
    run: {
      id,
      attempt: context.runAttempt || 1,
      url: `${server}/${repository}/actions/runs/${id}`,
      workflow: workflowFile(),
    },
    temp: env['RUNNER_TEMP'] ?? '/tmp',
    // The intake only adds a reaction, which is not worth a long wait.
    forge: await forgeOpener(context, token, say, command === 'intake' ? { waitMsMax: 60_000 } : {}),
    output: toolkit.output,
    summary: toolkit.summary,
    say,
    warn: toolkit.warn,
    group: toolkit.group,
  };
}

/** Information about this run. The toolkit reads it while it is loaded. */
async function openContext(): Promise<Context> {
  const path = env['GITHUB_EVENT_PATH'] ?? '';
  try {
    if (path !== '') accessSync(path);
    return (await import('@actions/github')).context;
  } catch (cause) {
    throw new GzaError('world', `what this run is cannot be read: ${(cause as Error).message}`, {
      hint: `Look at the file of its event (${path}), and at http_proxy, https_proxy and no_proxy where the runner sets them.`,
      cause,
    });
  }
}

/** The prefix that verbs use for warnings. */
const warning = 'warning: ';

/** A cancelled job gets SIGINT, and SIGTERM 7.5 seconds later. */
function jobPorts(progress: (line: string) => void): JobContext['ports'] {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort());
  return { ...processPorts(), program: 'gza', progress, signal: stop.signal };
}

function defaultBranchOf(payload: Readonly<Record<string, unknown>>): string {
  const repository = payload['repository'] as { default_branch?: unknown } | undefined;
  const told = repository?.default_branch;
  return typeof told === 'string' && told !== '' ? told : (env['GITHUB_REF_NAME'] ?? 'main');
}

/** `owner/name/.github/workflows/gza.yml@refs/heads/main` → `gza.yml` */
function workflowFile(): string {
  return /\/([^/@]+)@/.exec(env['GITHUB_WORKFLOW_REF'] ?? '')?.[1] ?? 'gza.yml';
}

async function forgeOpener(
  { apiUrl, graphqlUrl, job }: Context,
  token: string,
  say: (line: string) => void,
  limits: { readonly waitMsMax?: number },
): Promise<JobContext['forge']> {
  if (token === '') {
    return () => {
      throw new GzaError('usage', 'this command needs the input `token`', {
        hint: 'Leave it out to get the token of the job, with the permissions that the job names.',
      });
    };
  }
  const [{ githubForge }, { setTimeout: wait }, { defaults }] = await Promise.all([
    import('../github/api/write.ts'),
    import('node:timers/promises'),
    import('@actions/github/lib/utils'),
  ]);
  const { read, write } = githubForge({
    token,
    repository: env['GITHUB_REPOSITORY'] ?? '',
    apiUrl,
    graphqlUrl,
    // Uses the proxy that a self-hosted runner may need.
    fetch: defaults.request?.fetch as typeof globalThis.fetch,
    sleep: (milliseconds) => wait(milliseconds),
    now: () => new Date().toISOString(),
    log: say,
    job,
    login: input('login') || undefined,
    limits,
  });
  const forge = { ...read, ...write };
  return () => forge;
}

async function start(): Promise<void> {
  process.exitCode = await main();
  await toolkit.writeSummary();
}

/** For callers that run this file inside their own process. */
export const ended = start();
