/**
 * The environment of an agent is built from a short list, not inherited: tool shells see all of it, and so does
 * whatever a task's text talks them into. What is not named here or by the configuration is not there.
 * Also whether the program itself is there, and which version.
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
import type { AgentAdapter, LaunchFile } from './agents.ts';
import { startProcess } from './run-process.ts';
import type { Sandbox } from './sandbox/sandbox.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface AgentEnvironmentOptions {
  /** The environment of this program. */
  readonly caller: Environment;
  readonly adapter: Pick<AgentAdapter, 'name' | 'keyNames'>;
  readonly home: string;
  /** Names the configuration or the task allows besides. */
  readonly allow?: readonly string[] | undefined;
  /** Set as they are, over all else: for a PATH that finds `git tasks`, for instance. */
  readonly set?: Readonly<Record<string, string>> | undefined;
  readonly taskId?: string | undefined;
  /** Folder where `git tasks add/done/note` leave what they file. */
  readonly spool?: string | undefined;
}

export interface AgentEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** The agent's own variables among them, and those allowed: for AgentRequest.keys. */
  readonly keys: Readonly<Record<string, string>>;
  /** Values that must not be seen in a log or a result. */
  readonly secrets: readonly string[];
  /** Names that were allowed but never reach an agent. */
  readonly refused: readonly string[];
}

const inherited = new Set(
  (
    'PATH LANG LANGUAGE TZ TERM NO_COLOR CI TMPDIR USER LOGNAME SHELL ' +
    'HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE ' +
    'CURL_CA_BUNDLE SYSTEMROOT COMSPEC PATHEXT TEMP TMP'
  ).split(' '),
);

// With one of these an agent could act as the person or the pipeline that started it.
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

/** For who works in a person's own tree: as that person, with their HOME, keys and git identity. */
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

/** What the variable GZA_AGENT_ENV holds: a line is NAME=value. Where a name has a variable of its own, that counts. */
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

/** git inside the run: an identity, nobody's configuration, no credentials, no questions. */
function gitSettings(): Record<string, string> {
  const config: readonly (readonly [string, string])[] = [
    ['user.name', 'gza agent'],
    ['user.email', 'agent@gza.invalid'],
    // An empty value takes out all helpers named before it.
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
    // ssh finds the person's keys without HOME, so it is told to use none.
    GIT_SSH_COMMAND: 'ssh -F /dev/null -o BatchMode=yes -o IdentitiesOnly=yes -o IdentityFile=/dev/null',
  };
}

const secretName = /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH/i;
/** An identity, a path of a socket: words that a log is unreadable without. */
const plainNames = /^GIT_(CONFIG|AUTHOR)_|_SOCK$|^XAUTHORITY$|^GZA_AGENT_ENV$/;

/** What must be seen nowhere: secrets of the agent's own, and those beside it that a program of this user may find. */
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

/** Of a key in several lines each line is one. */
function secretsIn(value: string): string[] {
  return value.includes('\n') ? value.split('\n').map((line) => line.trim()) : [value];
}

/** Names say secret of much that is none: paths, addresses, words, modes. */
function looksSecret(value: string): boolean {
  if (/^(?:[.~]?\/|[a-z]{2,10}:\/\/[^@]*$|-----|[A-Z]:\\)/i.test(value) || /\s/.test(value)) return false;
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value);
  return (value.length >= 12 && /\d/.test(value) && /[a-z]/i.test(value)) || (value.length >= 20 && isMixed);
}

/**
 * Files that an agent is given under its HOME. An earlier run may have left links there that lead elsewhere,
 * so a file is made anew instead of written through, and only inside.
 */
export function writeHomeFiles(home: string, files: readonly LaunchFile[]): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  for (const { path, text } of files) {
    const file = insideHome(home, path);
    rmSync(file, { force: true, recursive: true });
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  }
}

/** Lends the person's login to the agent, where it has no key. Says whether there is one. */
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

/** The person's own files that an agent without a key logs in with. */
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
 * One run at a time with one login: a run may renew it, and what another one still holds of it may then be taken for
 * stolen. Runs of other gza processes are not seen.
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
  /** The first line that it prints when asked; undefined when it does not say. */
  readonly version: string | undefined;
}

interface ProbeOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Where the program is looked for when its name is a relative path. */
  readonly cwd: string;
  /** Where it is asked for its version: not the work tree, whose settings it would read. */
  readonly home: string;
  readonly sandbox?: Sandbox | undefined;
}

// Asked once for each file: some need two seconds for the answer.
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

/** It runs with settings that an earlier run may have left in HOME, so with the same care as the run itself. */
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
 * The file that a name stands for, as a shell would find it, without one. Relative folders on PATH are left
 * out: the work tree is not a place to find programs in by accident. A name with a slash is a path.
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
