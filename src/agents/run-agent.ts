/** Runs an agent once, from a request to a result. It does everything that a pure adapter cannot do. */
import { randomUUID } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import { noUsage, type PriceTable, priceUsage } from '../core/policy/cost.ts';
import type { ResultKind } from '../core/policy/endings.ts';
import { whyFailed } from '../core/system-error.ts';
import { version } from '../core/version.ts';
import { type AgentLog, openAgentLog, openLineSplitter, redact } from '../system/redacted-log.ts';
import {
  type AgentEnvironment,
  type HeldKeys,
  holdKeys,
  inTurn,
  linkLogins,
  loginFiles,
  type Probe,
  probeAgent,
  writeHomeFiles,
} from './agent-environment.ts';
import type {
  AgentAdapter,
  AgentEvent,
  AgentParser,
  AgentRequest,
  AgentResult,
  Launch,
  ToolPhase,
} from './agents.ts';
import { type FollowedFile, followFile } from './follow-file.ts';
import type { Metered } from './proxy/meter.ts';
import { type ProcessLimits, type ProcessResult, type RunningProcess, startProcess } from './run-process.ts';
import { openSandbox, type Sandbox, type SandboxSettings } from './sandbox/sandbox.ts';
import { stripEscapes } from './strip-escapes.ts';

/** The program behind `gza` and `git tasks`. It is named, because the action is another program. */
export const commandLine: string =
  version === 'source' ? (process.argv[1] ?? '') : join(import.meta.dirname, 'cli.js');

export interface RunAgentOptions {
  readonly adapter: AgentAdapter;
  /** The keys come from the environment. */
  readonly request: Omit<AgentRequest, 'keys' | 'isRoot'>;
  readonly environment: AgentEnvironment;
  readonly limits: ProcessLimits;
  /** Without it the agent runs unconfined, as the person. */
  readonly sandbox?: SandboxSettings | undefined;
  /** Paths that it may read, besides its tree and its HOME. */
  readonly readable?: readonly string[] | undefined;
  readonly logPath: string;
  /** Prices for agents that report no dollars, and for the budget. They take precedence over list prices. */
  readonly prices?: PriceTable | undefined;
  /** The person's HOME. Its login is used when there is no key. */
  readonly userHome?: string | undefined;
  /** False: the agent gets its keys in its environment, and there is no proxy. */
  readonly proxy?: boolean | undefined;
  /** Starts without a key too: the person may have a login that gza cannot see, such as in a keychain. */
  readonly asPerson?: boolean | undefined;
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
  /** Receives lines for a person, without escape sequences and secrets. */
  readonly onLine?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface AgentRun {
  readonly result: AgentResult;
  /** Absent when the agent was not started. */
  readonly process?: ProcessResult | undefined;
  readonly agent: {
    readonly name: string;
    readonly file?: string | undefined;
    readonly version?: string | undefined;
  };
  readonly warnings: readonly string[];
}

const stderrCharsMax = 8192;
const detailCharsMax = 160;

export async function runAgent(options: RunAgentOptions): Promise<AgentRun> {
  const { adapter, environment } = options;
  const { keys } = environment;
  const { home } = options.request;
  const hasKey = adapter.secretNames.some((name) => keys[name]);
  const hasLogin = hasKey ? false : linkLogins(adapter, home, options.userHome);
  if (adapter.missing !== undefined && !hasKey && !hasLogin && !options.asPerson)
    return notStarted(adapter, 'auth', adapter.missing);
  if (!hasLogin) return runReady(options, false);
  const waiting = () => options.onLine?.(`(waits: another run of ${adapter.name} has the login)`);
  return inTurn(`${adapter.name} ${options.userHome}`, waiting, () => runReady(options, true));
}

async function runReady(options: RunAgentOptions, hasLogin: boolean): Promise<AgentRun> {
  const { adapter, signal } = options;
  const { home } = options.request;
  if (signal?.aborted) return notStarted(adapter, 'cancelled', 'it was cancelled before it began');
  writeHomeFiles(home, []);
  const held = await holdKeys(options, hasLogin);
  let box: Sandbox | undefined;
  try {
    box = await openFor(options, held);
    const request = { ...options.request, keys: held.environment.keys, isRoot: process.getuid?.() === 0 };
    const { cwd } = request;
    const probe = await probeAgent(adapter, { env: held.environment.env, cwd, home, sandbox: box });
    if (probe === undefined) return notStarted(adapter, 'config', notFound(adapter));
    return await launchAgent({ ...options, request, held, environment: held.environment, box }, probe);
  } finally {
    box?.close();
    await held.proxy?.close();
  }
}

async function openFor(options: RunAgentOptions, held: HeldKeys): Promise<Sandbox | undefined> {
  const { adapter, request, environment, userHome } = options;
  if (!options.sandbox) return undefined;
  return openSandbox(options.sandbox, {
    tree: request.cwd,
    home: request.home,
    env: held.environment.env,
    write: [...(request.writable ?? []), ...loginFiles(adapter, environment.keys, userHome)],
    read: options.readable,
    // The commands of `git tasks` need these programs.
    programs: [adapter.program, commandLine, process.execPath].filter((path) => isAbsolute(path)),
    ports: held.proxy ? [Number(new URL(held.proxy.address).port)] : [],
    asksModels: held.proxy === undefined,
  });
}

interface Prepared extends RunAgentOptions {
  readonly request: AgentRequest;
  readonly box: Sandbox | undefined;
  readonly held: HeldKeys;
}

async function launchAgent(options: Prepared, probe: Probe): Promise<AgentRun> {
  const { adapter, request, environment, limits, logPath } = options;
  const launch = adapter.launch(request);
  const warnings = [...(launch.warnings ?? []), ...budgetWarnings(options), ...refusedWarnings(environment)];
  writeHomeFiles(request.home, launch.files ?? []);
  const log = openAgentLog({ path: logPath, secrets: environment.secrets, bytesMax: limits.outputBytesMax });
  try {
    log.note(
      `${adapter.name} ${probe.version ?? ''} (${request.access}, ${request.model ?? 'its own model'})`,
    );
    log.note(options.held.said);
    const how =
      options.box?.describe() ?? 'sandbox: none, as `git tasks run` works in your own folder as you';
    log.note(how);
    if (options.box) options.onLine?.(how);
    for (const warning of warnings) log.note(`warning: ${warning}`);
    const { result, ended } = await converse(options, launch, probe.file, log);
    log.note(`ended: ${result.kind}${result.error ? `: ${result.error}` : ''}`);
    const agent = { name: adapter.name, file: probe.file, version: probe.version };
    return { result, process: ended, agent, warnings };
  } finally {
    log.close();
  }
}

async function converse(options: Prepared, launch: Launch, file: string, log: AgentLog) {
  const { adapter, request, environment, limits, signal } = options;
  const parser = adapter.parser(request);
  const { follow } = launch;
  const followed = follow && followFile(join(request.home, follow.folder), follow.name, follow.all);
  const watcher = watch(options);
  let stderr = '';
  const lines = openLineSplitter();
  let fault: unknown;
  // These callbacks run outside of any promise. An exception would end this program with nothing recorded.
  const guarded =
    <A extends unknown[], R>(take: (...given: A) => R, otherwise: R) =>
    (...given: A): R => {
      try {
        return take(...given);
      } catch (thrown) {
        fault ??= thrown;
        watcher.running?.stop('cancelled');
        return otherwise;
      }
    };
  const takeLine = (line: string): void => {
    if (!adapter.noise.some((part) => line.includes(part))) log.output(`${line}\n`);
    for (const event of parser.line(line, 'stdout')) watcher.see(event);
  };
  const running = startProcess({
    file,
    args: launch.args,
    cwd: request.cwd,
    env: { ...environment.env, ...launch.env },
    stdin: launch.stdin,
    mark: randomUUID(),
    limits,
    sandbox: options.box,
    signal,
    onStdout: guarded((text) => lines.push(text).forEach(takeLine), undefined),
    onStderr: guarded((text) => {
      stderr = (stderr + text).slice(-stderrCharsMax);
      log.errors(text);
    }, undefined),
    onPoll: guarded(() => readFollowed(followed, parser, watcher), false),
  });
  watcher.running = running;
  options.held.onStop(() => running.stop('budget'));
  const ended = await running.ended;
  guarded(() => {
    lines.end().forEach(takeLine);
    readFollowed(followed, parser, watcher);
  }, undefined)();
  const result = conclude(options, parser, ended, stderr);
  if (fault === undefined) return { result, ended };
  const error = `what it printed could not be taken: ${whyFailed(fault)}`;
  return { result: { ...result, kind: 'crash' as const, error }, ended };
}

interface Watcher {
  running: RunningProcess | undefined;
  see(event: AgentEvent): void;
}

/** Enforces the limits that the agent does not enforce itself, and passes events on. */
function watch({ adapter, request, prices = {}, environment, onEvent, onLine }: RunAgentOptions): Watcher {
  const { maxTurns = Number.POSITIVE_INFINITY, budgetUsd = Number.POSITIVE_INFINITY } = request;
  let turns = 0;
  let spentUsd = 0;
  const watcher: Watcher = {
    running: undefined,
    see(event) {
      if (event.kind === 'turn') turns += 1;
      if (event.kind === 'usage') {
        const unpriced = { [event.model ?? '']: event.usage };
        spentUsd += event.costUsd ?? priceUsage(unpriced, prices, request.model).costUsd ?? 0;
      }
      if (!adapter.ownLimits.turns && turns > maxTurns) watcher.running?.stop('max_turns');
      if (!adapter.ownLimits.budget && spentUsd >= budgetUsd) watcher.running?.stop('budget');
      onEvent?.(event);
      const line = onLine && printEvent(event);
      if (line !== undefined) onLine?.(stripEscapes(redact(line, environment.secrets)));
    },
  };
  return watcher;
}

/** Formats one event for a person who watches; undefined for events that only the program needs. */
export function printEvent(event: AgentEvent): string | undefined {
  switch (event.kind) {
    case 'text':
      return event.text;
    case 'tool':
      return toolLine(event.name, event.phase, event.detail);
    case 'retry':
      return event.status === undefined ? '(retrying)' : `(retrying after ${event.status})`;
    case 'error':
      return `error: ${event.message}`;
    case 'session':
    case 'turn':
    case 'usage':
      return undefined;
  }
}

function toolLine(name: string, phase: ToolPhase, detail: string | undefined) {
  const line = detail?.split('\n')[0] ?? '';
  const short = line.length > detailCharsMax ? `${line.slice(0, detailCharsMax)}…` : line;
  const what = short ? `${name}: ${short}` : name;
  switch (phase) {
    case 'start':
      return `> ${what}`;
    case 'error':
      return `> ${what} (failed)`;
    case 'denied':
      return `> ${what} (denied)`;
    case 'ok':
      // A tool that was announced needs no second line. Some agents announce none; then this line names it.
      return detail === undefined ? undefined : `> ${what}`;
  }
}

function readFollowed(followed: FollowedFile | undefined, parser: AgentParser, watcher: Watcher): boolean {
  const lines = followed?.read() ?? [];
  for (const line of lines) for (const event of parser.line(line, 'file')) watcher.see(event);
  return lines.length > 0;
}

function conclude(
  { request, prices = {}, environment, held }: Prepared,
  parser: AgentParser,
  ended: ProcessResult,
  stderr: string,
): AgentResult {
  if (ended.spawnError !== undefined) return failed('config', `it could not be started: ${ended.spawnError}`);
  const { exitCode: code, signal, killedBy, used } = ended;
  const result = parser.finish({ code, signal, killedBy, used, stderr, now: Date.now() });
  // Some programs print the prompt. It is removed because it is not the agent's text.
  const prompt = request.prompt.trim();
  const text = prompt.includes('\n') ? result.text.replaceAll(prompt, '').trim() : result.text;
  const seen = metered({ ...result, text }, held.proxy?.usage(), prices);
  return withoutSecrets(withPrice(seen, prices, request.model), environment.secrets);
}

function withPrice(result: AgentResult, prices: PriceTable, model: string | undefined): AgentResult {
  const { costUsd, ...priced } = priceUsage(result.unpriced ?? {}, prices, model);
  const sum = costUsd === null ? result.costUsd : (result.costUsd ?? 0) + costUsd;
  return { ...result, ...priced, costUsd: sum };
}

/**
 * Uses the token counts of the proxy instead of those that the agent reported. The agent's cost is kept if
 * it covers everything and no price is configured.
 */
function metered(result: AgentResult, seen: Metered | undefined, prices: PriceTable): AgentResult {
  if (!seen) return result;
  const { answers, models, usage, stopped } = seen;
  const ended =
    stopped === undefined || result.kind === 'cancelled' ? {} : { kind: 'budget' as const, error: stopped };
  if (answers === 0) return { ...result, ...ended };
  const { pricedAsOf, unpriced } = priceUsage(models, prices, undefined);
  const isSet = pricedAsOf === undefined && Object.keys(unpriced).length === 0;
  const isTold = result.costUsd !== null && Object.keys(result.unpriced ?? {}).length === 0;
  const cost = isTold && !isSet ? { unpriced: {} } : { costUsd: null, unpriced: models };
  return { ...result, ...ended, ...cost, usage };
}

/** The agent's text may end up on a pull request. */
function withoutSecrets(result: AgentResult, secrets: readonly string[]): AgentResult {
  const clean = (text: string) => redact(text, secrets);
  return {
    ...result,
    text: clean(result.text),
    error: result.error === undefined ? undefined : stripEscapes(clean(result.error)),
    ...(result.structured === undefined
      ? {}
      : { structured: JSON.parse(clean(JSON.stringify(result.structured))) }),
  };
}

function budgetWarnings({ adapter, request, prices = {} }: RunAgentOptions): string[] {
  const { budgetUsd, model } = request;
  const hasPrice = priceUsage({ '': noUsage }, prices, model).costUsd !== null;
  if (budgetUsd === undefined || adapter.ownLimits.budget || hasPrice) return [];
  const what = model ?? 'the model it chooses itself';
  return [
    `the budget of $${budgetUsd} holds only if ${adapter.name} reports dollars: there is no price for ${what}`,
  ];
}

function refusedWarnings({ refused }: AgentEnvironment): string[] {
  return refused.map((name) => `${name} never reaches an agent, although it is allowed`);
}

function notFound({ name, program }: AgentAdapter): string {
  if (/[\\/]/.test(program) && !isAbsolute(program)) {
    return `${name} is not there: the step has no file ${JSON.stringify(program)}, since it sees only what is committed. Commit it, or give its whole path.`;
  }
  return `${name} is not installed: there is no program ${JSON.stringify(program)} on PATH. Install it, or give its path in the configuration.`;
}

function notStarted(adapter: AgentAdapter, kind: ResultKind, error: string): AgentRun {
  return { result: failed(kind, error), agent: { name: adapter.name }, warnings: [] };
}

function failed(kind: ResultKind, error: string): AgentResult {
  return { kind, text: '', turns: 0, usage: null, costUsd: null, denials: [], error };
}
