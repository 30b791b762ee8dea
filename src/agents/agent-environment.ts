/**
 * Builds the environment of an agent from a short list. It is not inherited, because the agent's shell
 * commands see all of it, and a hostile task text could make them leak it. This file also finds the agent's
 * program and version.
 */

import { randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { GzaError } from '../core/errors.ts';
import type { PriceTable } from '../core/policy/cost.ts';
import type { AgentAdapter, LaunchFile } from './agents.ts';
import { type ModelProxy, startModelProxy } from './proxy/model-proxy.ts';
import { startProcess } from './run-process.ts';
import type { Sandbox } from './sandbox/sandbox.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface AgentEnvironmentOptions {
  /** The environment of this program. */
  readonly caller: Environment;
  readonly adapter: Pick<AgentAdapter, 'name' | 'keyNames'>;
  readonly home: string;
  /** More names that the configuration or the task allows. */
  readonly allow?: readonly string[] | undefined;
  /** Variables that override all others, for example a PATH that finds `git tasks`. */
  readonly set?: Readonly<Record<string, string>> | undefined;
  readonly taskId?: string | undefined;
  /** Folder where `git tasks add/done/note` leave their requests. */
  readonly spool?: string | undefined;
}

export interface AgentEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** The agent's own variables and the allowed ones, for AgentRequest.keys. */
  readonly keys: Readonly<Record<string, string>>;
  /** Values that must not appear in a log or a result. */
  readonly secrets: readonly string[];
  /** Names that the configuration allows but that never reach an agent. */
  readonly refused: readonly string[];
}

const inherited = new Set(
  (
    'PATH LANG LANGUAGE TZ TERM NO_COLOR CI TMPDIR USER LOGNAME SHELL ' +
    'HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE ' +
    'CURL_CA_BUNDLE SYSTEMROOT COMSPEC PATHEXT TEMP TMP'
  ).split(' '),
);

// With one of these variables, an agent could act as the person or the pipeline that started it.
const neverNames =
  /^(GIT_.*|ACTIONS_.*|SSH_.*|GPG_.*|GH_.*|GITLAB_.*|GITEA_.*|BITBUCKET_.*|CI_JOB_.*|RUNNER_.*)$/;
const neverTokens =
  /^(GITHUB_TOKEN|GZA_AGENT_ENV|GZA_APP_PRIVATE_KEY|GITHUB_.*(TOKEN|PAT)|GZA_.*TOKEN|CI_.*TOKEN|SYSTEM_ACCESSTOKEN|.*_FORGE_TOKEN)$/;

export function agentEnvironment(options: AgentEnvironmentOptions): AgentEnvironment {
  const { caller, adapter, home, allow = [], set = {}, taskId, spool } = options;
  const refused = allow.filter(isRefused);
  const keyNames = [...adapter.keyNames, ...allow].filter((name) => !isRefused(name));
  const known = { ...agentLinesIn(caller), ...pick(caller, () => true) };
  const keys = pick(known, (name) => keyNames.includes(name));
  const env = {
    ...pick(caller, (name) => inherited.has(name.toUpperCase()) || name.startsWith('LC_')),
    ...keys,
    ...homes(home),
    ...gitSettings(),
    GZA_AGENT: adapter.name,
    ...(taskId === undefined ? {} : { GZA_TASK: taskId }),
    ...(spool === undefined ? {} : { GZA_SPOOL: spool }),
    ...set,
  };
  return { env, keys, secrets: secretValues(env, known), refused };
}

/** For an agent that works in a person's own tree, as that person: with their HOME, keys and git identity. */
export function personsEnvironment({
  caller,
  adapter,
  taskId,
  set = {},
}: Pick<AgentEnvironmentOptions, 'caller' | 'adapter' | 'taskId' | 'set'>): AgentEnvironment {
  const task = taskId === undefined ? {} : { GZA_TASK: taskId };
  const env = { ...pick(caller, () => true), GZA_AGENT: adapter.name, ...task, ...set };
  const keys = pick(caller, (name) => adapter.keyNames.includes(name));
  return { env, keys, secrets: secretValues(keys, env), refused: [] };
}

/** The lines NAME=value of the variable GZA_AGENT_ENV. A real variable of the same name takes precedence. */
function agentLinesIn(caller: Environment): Record<string, string> {
  const lines = (caller['GZA_AGENT_ENV'] ?? '').split('\n').slice(0, 1000);
  return Object.fromEntries(
    lines.flatMap((line): [string, string][] => {
      const [, name, value = ''] = /^\s{0,20}([A-Za-z_]\w{0,127})=(.*)/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value.trim()]];
    }),
  );
}

function isRefused(name: string): boolean {
  return neverNames.test(name) || neverTokens.test(name);
}

function pick(from: Environment, wanted: (name: string) => boolean): Record<string, string> {
  const entries = Object.entries(from).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '' && wanted(entry[0]),
  );
  return Object.fromEntries(entries);
}

function homes(home: string): Record<string, string> {
  return {
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    XDG_CACHE_HOME: join(home, '.cache'),
  };
}

/** git inside the run has an identity of its own, no system configuration, no credentials and no prompts. */
function gitSettings(): Record<string, string> {
  const config: readonly (readonly [string, string])[] = [
    ['user.name', 'gza agent'],
    ['user.email', 'agent@gza.invalid'],
    // An empty value removes all credential helpers that were configured before it.
    ['credential.helper', ''],
    ['commit.gpgSign', 'false'],
    ['tag.gpgSign', 'false'],
  ];
  const numbered = config.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_COUNT: String(config.length),
    ...Object.fromEntries(numbered),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    SSH_ASKPASS: 'false',
    GCM_INTERACTIVE: 'never',
    // ssh finds the person's keys even without HOME, so these options forbid all keys.
    GIT_SSH_COMMAND: 'ssh -F /dev/null -o BatchMode=yes -o IdentitiesOnly=yes -o IdentityFile=/dev/null',
  };
}

const secretName = /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH/i;
/** Names that look secret but hold an identity or a socket path. Redacting it would spoil the log. */
const plainNames = /^GIT_(CONFIG|AUTHOR)_|_SOCK$|^XAUTHORITY$|^GZA_AGENT_ENV$/;

/**
 * Values to redact: the agent's own secrets, and those in the caller's environment that other programs of
 * this user may find.
 */
function secretValues(own: Environment, beside: Environment): string[] {
  const named = (from: Environment) =>
    Object.entries(from).flatMap(([name, value]) =>
      value !== undefined && secretName.test(name) && !plainNames.test(name) ? [value] : [],
    );
  const proxies = Object.entries({ ...beside, ...own }).filter(([name]) => /_PROXY$/i.test(name));
  const passwords = proxies.flatMap(([, value]) => /:\/\/[^/@:]*:([^/@]+)@/.exec(value ?? '')?.[1] ?? []);
  const others = named(beside).flatMap(secretsIn).filter(looksSecret);
  return [...new Set([...named(own), ...passwords, ...others])];
}

/** Each line of a multi-line key counts as a secret, because it could be printed alone. */
function secretsIn(value: string): string[] {
  return value.includes('\n') ? value.split('\n').map((line) => line.trim()) : [value];
}

/** Skips paths, addresses, words and modes: many variables with a secret-sounding name hold one. */
function looksSecret(value: string): boolean {
  if (/^(?:[.~]?\/|[a-z]{2,10}:\/\/[^@]*$|-----|[A-Z]:\\)/i.test(value) || /\s/.test(value)) return false;
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value);
  return (value.length >= 12 && /\d/.test(value) && /[a-z]/i.test(value)) || (value.length >= 20 && isMixed);
}

/**
 * Writes the agent's files under its HOME. An earlier run may have left links there that lead elsewhere, so
 * each file is removed and created again, and only inside HOME.
 */
export function writeHomeFiles(home: string, files: readonly LaunchFile[]): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  for (const { path, text } of files) {
    const file = insideHome(home, path);
    rmSync(file, { force: true, recursive: true });
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  }
}

/** Links the person's login into the agent's HOME and returns whether there is one. */
export function linkLogins(adapter: AgentAdapter, home: string, userHome: string | undefined): boolean {
  if (userHome === undefined || userHome === home)
    return adapter.logins.some((path) => existsSync(join(home, path)));
  const found = adapter.logins.filter((path) => existsSync(join(userHome, path)));
  for (const path of found) {
    const file = insideHome(home, path);
    rmSync(file, { force: true });
    symlinkSync(join(userHome, path), file);
  }
  return found.length > 0;
}

/** The person's own login files that an agent without a key uses. */
export function loginFiles(
  { logins, secretNames }: AgentAdapter,
  keys: Readonly<Record<string, string>>,
  home: string | undefined,
): string[] {
  if (home === undefined || secretNames.some((name) => keys[name])) return [];
  return logins.map((path) => join(home, path)).filter((path) => existsSync(path));
}

const turns = new Map<string, Promise<unknown>>();

/**
 * Lets only one run at a time use a login. A run may renew the login's token, and the provider may then
 * treat the old token of another run as stolen. Other gza processes are not covered.
 */
export async function inTurn<T>(login: string, waiting: () => void, run: () => Promise<T>): Promise<T> {
  const before = turns.get(login);
  if (before) waiting();
  const mine = (async () => {
    await before?.catch(() => {});
    return run();
  })();
  turns.set(login, mine);
  try {
    return await mine;
  } finally {
    if (turns.get(login) === mine) turns.delete(login);
  }
}

function insideHome(home: string, path: string): string {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  const folder = realpathSync(dirname(file));
  if (`${folder}${sep}`.startsWith(`${realpathSync(home)}${sep}`)) return file;
  throw new GzaError('world', `${dirname(file)} leads out of the agent's HOME, to ${folder}`, {
    hint: 'An earlier run left a link there. Remove the folder and run again.',
  });
}

export interface Probe {
  readonly file: string;
  /** The first line of its answer to `--version`; undefined when it does not answer. */
  readonly version: string | undefined;
}

interface ProbeOptions {
  readonly env: Readonly<Record<string, string>>;
  /** A program whose name is a relative path is resolved from here. */
  readonly cwd: string;
  /** The working directory of the version check: not the work tree, whose settings the program would read. */
  readonly home: string;
  readonly sandbox?: Sandbox | undefined;
}

// Cached for each file, because some programs take two seconds to print their version.
const versions = new Map<string, string | undefined>();

/** The program and its version for the run's record; undefined when it is not installed. */
export async function probeAgent(adapter: AgentAdapter, options: ProbeOptions): Promise<Probe | undefined> {
  const { env, cwd } = options;
  const file = findProgram(adapter.program, env['PATH'], cwd);
  if (file === undefined) return undefined;
  if (!adapter.tellsVersion) return { file, version: undefined };
  const key = `${file} ${statSync(file).mtimeMs}`;
  if (!versions.has(key)) versions.set(key, await askVersion(file, env, options));
  return { file, version: versions.get(key) };
}

/** Runs in the sandbox like the agent itself, because an earlier run may have left settings in HOME. */
async function askVersion(file: string, env: Readonly<Record<string, string>>, options: ProbeOptions) {
  let text = '';
  const { exitCode } = await startProcess({
    file,
    args: ['--version'],
    cwd: options.home,
    env,
    stdin: '',
    mark: randomUUID(),
    limits: { timeoutMs: 30_000, idleMs: 30_000, outputBytesMax: 1 << 20, graceMs: 0 },
    sandbox: options.sandbox,
    onStdout: (more) => {
      text += more;
    },
    onStderr: () => {},
  }).ended;
  const line = text.trim().split('\n')[0]?.trim().slice(0, 100);
  return exitCode !== 0 || !line ? undefined : line;
}

/**
 * Finds a program on PATH as a shell would, but without starting a shell. Relative folders on PATH are
 * skipped, so that no program of the work tree is run by accident. A name with a slash is a path.
 */
export function findProgram(program: string, path: string | undefined, cwd: string): string | undefined {
  if (/[\\/]/.test(program)) {
    const file = resolve(cwd, program);
    return isProgram(file) ? file : undefined;
  }
  const folders = (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
  const files = folders.flatMap((folder) => endings.map((ending) => join(folder, program + ending)));
  return files.find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

export interface HoldOptions {
  readonly adapter: Pick<AgentAdapter, 'name' | 'holding'>;
  readonly environment: AgentEnvironment;
  readonly request: { readonly budgetUsd?: number | undefined };
  readonly prices?: PriceTable | undefined;
  readonly proxy?: boolean | undefined;
}

export interface HeldKeys {
  readonly environment: AgentEnvironment;
  readonly proxy?: ModelProxy | undefined;
  /** Names of the variables that held the keys. */
  readonly names: readonly string[];
  /** One line for the log. */
  readonly said: string;
  /** Sets what happens when a cap is reached. It is called a few seconds after the agent gets the error. */
  readonly onStop: (end: () => void) => void;
}

/** More than any real run needs. A run beyond it is going in circles. */
const tokensMax = 500_000_000;
/** Time for the agent to print its last output and exit by itself. */
const lastWordsMs = 5000;

export async function holdKeys(options: HoldOptions, hasLogin: boolean): Promise<HeldKeys> {
  const { adapter, environment, request, prices = {} } = options;
  const holding =
    options.proxy === false ? { why: 'gza.yaml asks for it' } : adapter.holding(environment.keys);
  if (holding === undefined || 'why' in holding) {
    const why = holding?.why ?? (hasLogin ? 'a login is not proxied' : 'there is none');
    const said = `no model proxy, the key is with the agent: ${why}`;
    return { environment, names: [], said: holding || hasLogin ? said : 'no key', onStop: () => {} };
  }
  let end = () => {};
  const proxy = await startModelProxy({
    targets: holding.targets,
    caps: { usd: request.budgetUsd, tokens: tokensMax },
    prices,
    environment: environment.env,
    onStop: () => setTimeout(() => end(), lastWordsMs).unref(),
  });
  return {
    environment: withVariables(environment, holding.variables(proxy.address, proxy.words)),
    proxy,
    names: Object.keys(environment.keys),
    said: `the model proxy holds the key for ${holding.targets.map(({ upstream }) => new URL(upstream).host).join(', ')}`,
    onStop: (then) => {
      end = then;
    },
  };
}

function withVariables(
  environment: AgentEnvironment,
  variables: Readonly<Record<string, string | undefined>>,
): AgentEnvironment {
  const set = (before: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries({ ...before, ...variables }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      ),
    );
  const { env } = environment;
  // A company's proxy could not reach a loopback address of this machine.
  const spared = [env['NO_PROXY'] ?? env['no_proxy'], '127.0.0.1'].filter(Boolean).join(',');
  const isProxied = Object.keys(env).some((name) => /^https?_proxy$|^all_proxy$/i.test(name));
  const near = isProxied ? { NO_PROXY: spared, no_proxy: spared } : {};
  return { ...environment, env: { ...set(env), ...near }, keys: set(environment.keys) };
}
