/**
 * The checks after a step, in the tree that the agent left: the files that the task names exist, its tests
 * pass, and the team's command succeeds. All of them run even when one fails, so that the next attempt gets
 * all failures at once. But after a check that hung, or a failed setup, the remaining checks are skipped.
 */
import { existsSync, lstatSync, mkdtempSync, type Stats, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentEnvironment } from '../../agents/agent-environment.ts';
import { openSandbox, type Sandbox, type SandboxSettings } from '../../agents/sandbox/sandbox.ts';
import {
  type Check,
  type CheckName,
  failedChecks,
  namesMissingFile,
  type Verification,
  verificationOf,
} from '../../core/checks/verification.ts';
import { GzaError } from '../../core/errors.ts';
import type { Baseline } from '../../core/ledger/ledger-state.ts';
import { firstLine } from '../../core/markdown/neutralise.ts';
import { normalisePath, type Task } from '../../core/task/task.ts';
import { failureForPrompt } from '../../core/text/review.ts';
import { openAgentLog } from '../../system/redacted-log.ts';
import { objectFolders } from '../../workspace/clone-folder.ts';
import { discardClone, removeAll, type Workspace } from '../../workspace/workspace.ts';
import { definedOf } from '../engine.ts';
import { stateDirOf } from '../loop/state-dir.ts';
import { subjectOf } from '../perform/gather-context.ts';
import type { PerformInput } from '../perform/perform.ts';
import {
  type CheckCommand,
  type CheckLimits,
  type CheckRunOptions,
  type CommandLine,
  runCheck,
  shownCommand,
} from './run-check.ts';

interface VerifyCommands {
  /** Runs first if there are other commands, because a fresh clone has only files that git tracks. */
  readonly setup?: CommandLine | undefined;
  /** `{files}` stands for the task's test files. */
  readonly test?: CommandLine | undefined;
  readonly verify?: CommandLine | undefined;
  /** Runs only at the end of a run. */
  readonly build?: CommandLine | undefined;
}

export interface VerifyOptions {
  readonly treeDir: string;
  readonly task: Pick<Task, 'files_to_create' | 'test_files'>;
  readonly commands: VerifyCommands;
  /** Limits for each command. */
  readonly limits: CheckLimits;
  readonly logPath: string;
  /** The environment of this program. Checks get only a part of it; see `checkEnvironment`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** HOME of the checks. By default an empty folder, removed afterwards. */
  readonly home?: string | undefined;
  /** Without it the commands run unconfined, as the person. */
  readonly sandbox?: SandboxSettings | undefined;
  /** Folders outside the tree that they may read. */
  readonly read?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Receives each line of output, as plain text. */
  readonly onLine?: ((line: string, check: CheckName) => void) | undefined;
}

const checkMinutesMax = 30;
const checkIdleMinutesMax = 10;

type ChecksInput = Pick<PerformInput, 'view' | 'project' | 'stateDir' | 'job' | 'caller'>;

/** The checks that apply to the task's work. */
export function checksOfStep({
  view,
  project,
  stateDir,
  job,
  caller,
}: ChecksInput): Omit<VerifyOptions, 'treeDir'> {
  // An improve task has no checks of its own. Those of the task that it improves must still pass.
  const { task } = subjectOf(project, view);
  const { setup, test_command: test } = project.config;
  return {
    task: definedOf(task, ['files_to_create', 'test_files']),
    commands: { setup, test, verify: project.settings(view.task).verify ?? project.config.verify },
    limits: { timeoutMs: checkMinutesMax * 60_000, idleMs: checkIdleMinutesMax * 60_000 },
    logPath: join(stateDir, 'logs', `${job.id}-${job.claim.slice(0, 8)}-verify.log`),
    env: caller,
    sandbox: { ...project.config, caller },
  };
}

const logBytesMax = 20 << 20;

export async function verify(options: VerifyOptions): Promise<Verification> {
  const { treeDir, limits, signal, onLine } = options;
  if (!statSync(treeDir, { throwIfNoEntry: false })?.isDirectory()) throw noTree(treeDir);
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'gza-check-'));
  const log = openAgentLog({ path: options.logPath, secrets: [], bytesMax: logBytesMax });
  let sandbox: Sandbox | undefined;
  try {
    const env = checkEnvironment(options.env, home);
    const checks: Check[] = [...checkFiles(options), ...unasked(options)];
    for (const check of checks) if (check.reason) log.note(`${check.name}: ${check.reason}`);
    const commands = commandsOf(options);
    if (options.sandbox && commands.length > 0) {
      const { read } = options;
      sandbox = await openSandbox(options.sandbox, { tree: treeDir, home, env, read });
      log.note(sandbox.describe());
      onLine?.(sandbox.describe(), commands[0]?.name ?? 'verify');
    }
    const run: CheckRunOptions = { treeDir, env, limits, log, sandbox, signal, onLine };
    for (const command of commands) checks.push(await runUnlessEnded(command, checks, run));
    return verificationOf(checks);
  } finally {
    sandbox?.close();
    if (options.home === undefined) {
      await removeAll(home).catch(() => log.note(`${home} could not be removed`));
    }
    log.close();
  }
}

function noTree(treeDir: string): GzaError {
  return new GzaError('world', `the work tree to check is not there: ${treeDir}`, {
    hint: 'The step has to be run again; its clone was removed before it was checked.',
  });
}

/** Checks test files too: a test runner that is given two files and finds one reports no error. */
function checkFiles({ treeDir, task, commands }: VerifyOptions): Check[] {
  const created = task.files_to_create ?? [];
  const named = commands.test === undefined ? [] : testFiles(task);
  const tests = named.filter((path) => isPlainPath(path) || !isInside(path));
  if (created.length + tests.length === 0) return [];
  const missing = missingFiles(treeDir, [...created, ...tests]);
  const reason = missing.length === 0 ? null : missingReason(missing);
  return [{ name: 'files', ok: reason === null, reason, seconds: 0, results: null, output: '' }];
}

const namedMax = 50;

function missingReason(missing: readonly MissingFile[]): string {
  const named = missing.slice(0, namedMax).map(({ path, because }) => `${path} ${because}`);
  const more = missing.length - named.length;
  const count =
    missing.length === 1
      ? 'a file that the task names is missing'
      : `${missing.length} files that the task names are missing`;
  return `${count}: ${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

/** Test runners accept patterns such as `tests/*.ts` and `tests/test_cart.py::test_tax`, not only paths. */
function isPlainPath(path: string): boolean {
  return !/[*?[\]{}]|::/.test(path);
}

function isInside(path: string): boolean {
  if (path.startsWith('/') || path.includes('\0')) return false;
  return !normalisePath(path.split('::')[0] ?? '')
    .split('/')
    .includes('..');
}

function testFiles(task: VerifyOptions['task']): readonly string[] {
  return (task.test_files ?? []).map((path) => (path.startsWith('/') ? path : normalisePath(path)));
}

/** Reports test files without a test_command, because their author believes that they are run. */
function unasked({ task, commands }: VerifyOptions): Check[] {
  const files = testFiles(task);
  if (files.length === 0 || commands.test !== undefined) return [];
  const reason = `the task names test_files (${files.slice(0, 5).join(', ')}${files.length > 5 ? ', …' : ''}), but gza.yaml sets no test_command to run them. Set one, for example: test_command: npx jest {files}`;
  return [{ name: 'tests', ok: true, skipped: true, reason, seconds: 0, results: null, output: '' }];
}

function commandsOf({ task, commands }: VerifyOptions): CheckCommand[] {
  // Files outside the tree are reported by `checkFiles` and must never be run.
  const files = testFiles(task).filter(isInside);
  const list: CheckCommand[] = [];
  if (commands.test !== undefined && files.length > 0)
    list.push({ name: 'tests', command: commands.test, files });
  if (commands.verify !== undefined) list.push({ name: 'verify', command: commands.verify, files });
  if (commands.build !== undefined) list.push({ name: 'build', command: commands.build, files: [] });
  if (commands.setup !== undefined && list.length > 0)
    list.unshift({ name: 'setup', command: commands.setup, files: [] });
  return list;
}

async function runUnlessEnded(
  command: CheckCommand,
  before: readonly Check[],
  options: CheckRunOptions,
): Promise<Check> {
  const isStopped = options.signal?.aborted === true;
  const reason = isStopped ? 'it was stopped from outside' : whyNotBegun(before);
  if (reason === null) return runCheck(command, options);
  options.log.note(`${command.name}: not run, ${reason}`);
  return {
    name: command.name,
    command: shownCommand(command.command),
    ok: false,
    skipped: true,
    reason,
    ...(isStopped ? { endedBy: 'cancelled' as const } : {}),
    seconds: 0,
    results: null,
    output: '',
  };
}

function whyNotBegun(before: readonly Check[]): string | null {
  const ended = before.find((check) => check.endedBy !== undefined);
  if (ended) return `the check before it (${ended.name}) did not end by itself`;
  const isSetUp = before.every(({ name, ok }) => name !== 'setup' || ok);
  return isSetUp ? null : '`setup` of gza.yaml failed before it';
}

interface MissingFile {
  readonly path: string;
  readonly because: string;
}

/**
 * Finds the files that are missing. A link does not count as a file, because it could point outside the
 * tree. Neither does anything below a linked folder.
 */
function missingFiles(treeDir: string, paths: readonly string[]): MissingFile[] {
  return [...new Set(paths)].flatMap((path) => {
    const because = whyMissing(treeDir, path);
    return because === null ? [] : [{ path, because }];
  });
}

function whyMissing(treeDir: string, path: string): string | null {
  const parts = normalisePath(path).split('/');
  if (path.startsWith('/') || path.includes('\0') || parts.includes('..'))
    return 'is outside of the work tree';
  if (parts[0]?.toLowerCase() === '.git') return 'is inside .git, which is not part of the work';
  for (let count = 1; count < parts.length; count += 1) {
    const folder = stat(treeDir, parts.slice(0, count));
    if (folder === null) return 'does not exist';
    if (folder.isSymbolicLink()) return `is below ${parts.slice(0, count).join('/')}, a link`;
    if (!folder.isDirectory()) return 'does not exist';
  }
  const found = stat(treeDir, parts);
  if (found === null) return 'does not exist';
  if (found.isSymbolicLink()) return 'is a link, not a file';
  if (path.endsWith('/')) return found.isDirectory() ? null : 'is not a folder';
  return found.isFile() ? null : 'is not a file';
}

function stat(treeDir: string, parts: readonly string[]): Stats | null {
  try {
    return lstatSync(join(treeDir, ...parts));
  } catch {
    return null;
  }
}

/**
 * Builds the environment of a check. The command is the team's, but it runs code that an agent wrote. So it
 * gets no keys, no tokens and not the person's HOME, and git ignores hooks and monitors that the work tree
 * configures.
 */
type Environment = Readonly<Record<string, string | undefined>>;

/** Variables with the folders and versions of toolchains. They hold no secrets. */
const toolNames = (
  'GOROOT GOTOOLCHAIN GOFLAGS RUSTUP_HOME RUSTUP_TOOLCHAIN JAVA_HOME PYENV_ROOT PYENV_VERSION VIRTUAL_ENV ' +
  'CONDA_PREFIX NVM_DIR VOLTA_HOME ASDF_DIR ASDF_DATA_DIR RBENV_ROOT GEM_HOME DOTNET_ROOT ANDROID_HOME ' +
  'ANDROID_SDK_ROOT PLAYWRIGHT_BROWSERS_PATH'
).split(' ');

/** Otherwise a planted hook or file monitor would run whenever a test calls git. */
const gitOverrides: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
];

function checkEnvironment(caller: Environment, home: string): Record<string, string> {
  const { env } = agentEnvironment({ caller, adapter: { name: 'check', keyNames: [] }, home });
  // Without GZA_AGENT, so that a project's tests behave as they do for the team.
  const { GZA_AGENT: _, ...built } = env;
  const base = Object.fromEntries(
    Object.entries(built).filter(([name, value]) => !holdsPassword(name, value)),
  );
  return { ...base, CI: base['CI'] ?? 'true', ...tools(caller), ...gitConfig(base) };
}

/** Matches proxy URLs such as `http://user:password@proxy`. */
function holdsPassword(name: string, value: string): boolean {
  return /_PROXY$/i.test(name) && value.includes('@');
}

function tools(caller: Environment): Record<string, string> {
  const set = toolNames.flatMap((name) => (caller[name] ? [[name, caller[name]]] : []));
  // rustup keeps its compilers under the person's HOME and would not find them under another.
  const rustup =
    caller['HOME'] && !caller['RUSTUP_HOME'] ? { RUSTUP_HOME: join(caller['HOME'], '.rustup') } : {};
  return { ...rustup, ...Object.fromEntries(set) };
}

function gitConfig(env: Environment): Record<string, string> {
  const first = Number(env['GIT_CONFIG_COUNT'] ?? 0);
  const numbered = gitOverrides.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(first + gitOverrides.length), ...Object.fromEntries(numbered) };
}

type Checked = Pick<PerformInput, 'project' | 'view'>;

/** The checks that the project demands of every task, without a task's own tests and its own `verify`. */
export function projectChecks({ project, view }: Checked): VerifyCommands | null {
  const settings = project.settings(view.task);
  const verify = settings.verify ?? project.config.verify;
  if (settings.baseline === 'skip' || view.task.verify !== undefined || verify === undefined) return null;
  return { setup: project.config.setup, verify };
}

/** Whether the failure may come from the base branch instead of the step. */
export function mayBlameBase(verification: Verification): boolean {
  const failed = failedChecks(verification);
  const isOfProject = failed.every(({ name }) => name === 'setup' || name === 'verify');
  return failed.length > 0 && isOfProject && failed.every(({ endedBy }) => endedBy !== 'cancelled');
}

interface BaselineInput extends Checked, Pick<VerifyOptions, 'signal' | 'onLine'> {
  readonly workspace: Workspace;
  readonly commands: VerifyCommands;
  readonly base: { readonly branch: string; readonly commit: string };
  readonly caller: PerformInput['caller'];
  /** Name of the temporary clone. */
  readonly name: string;
}

/** Null when the checks were stopped. */
export async function checkBaseline(
  input: BaselineInput,
): Promise<(Baseline & { readonly isToCome: boolean }) | null> {
  const { project, workspace, commands, base, caller, name, signal, onLine } = input;
  const clone = await workspace.createClone({
    name,
    branch: 'gza-look/baseline',
    start: base.commit,
    base,
    purpose: 'review',
  });
  try {
    const verification = await verify({
      treeDir: clone.treeDir,
      task: {},
      commands,
      limits: { timeoutMs: 1_800_000, idleMs: 600_000 },
      logPath: `${stateDirOf(project)}/logs/baseline-${base.commit.slice(0, 12)}.log`,
      env: caller,
      sandbox: { ...project.config, caller },
      read: await objectFolders(workspace.repository.objectsDir),
      signal,
      onLine,
    });
    if (failedChecks(verification).some(({ endedBy }) => endedBy === 'cancelled')) return null;
    const failed = verification.ok ? null : firstLine(failureForPrompt(verification), 500);
    const command = commands.verify === undefined ? '' : shownCommand(commands.verify);
    const isOfVerify = failedChecks(verification).every(({ name }) => name === 'verify');
    const isThere = (path: string) => existsSync(join(clone.treeDir, path));
    const isToCome = failed !== null && isOfVerify && namesMissingFile(command, isThere);
    return { commit: base.commit, failed, isToCome };
  } finally {
    await discardClone(clone);
  }
}
