/**
 * Runs one of the team's commands. A string goes to `sh -c`. That is safe, because the string comes from the
 * base branch, where it is code like any other. Text from a task never becomes part of it: `{files}` turns
 * into `"$@"`, and the shell gets the files as arguments, which it does not read as code. A list of words
 * runs without a shell.
 */
import { randomUUID } from 'node:crypto';
import { findProgram } from '../../agents/agent-environment.ts';
import { startProcess } from '../../agents/run-process.ts';
import type { Sandbox } from '../../agents/sandbox/sandbox.ts';
import {
  type Check,
  type CheckEnd,
  type CheckName,
  cleanOutputLine,
  judgeRun,
  keepEnds,
} from '../../core/checks/verification.ts';
import { type AgentLog, openLineSplitter, redact } from '../../system/redacted-log.ts';

/** A line for `sh`, or a list of words. */
export type CommandLine = string | readonly string[];

export interface CheckLimits {
  readonly timeoutMs: number;
  /** How long it may produce no output and use no processor time. */
  readonly idleMs: number;
  readonly outputBytesMax?: number;
  /** Time between asking it to end and killing it. */
  readonly graceMs?: number;
}

export interface CheckCommand {
  readonly name: CheckName;
  readonly command: CommandLine;
  /** Replace `{files}`. Paths are relative to the top of the work tree. */
  readonly files: readonly string[];
}

export interface CheckRunOptions {
  readonly treeDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: CheckLimits;
  readonly log: AgentLog;
  readonly sandbox?: Sandbox | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onLine?: ((line: string, check: CheckName) => void) | undefined;
}

const outputBytesMax = 64 << 20;
const headChars = 200_000;
const tailChars = 2_000_000;
const lineChars = 20_000;

export async function runCheck(check: CheckCommand, options: CheckRunOptions): Promise<Check> {
  const { name } = check;
  const shown = shownCommand(check.command);
  const words = commandWords(check);
  const file = findProgram(words[0] ?? '', options.env['PATH'], options.treeDir);
  options.log.note(`${name}: ${shown}`);
  const judged = { name, command: shown, expectsTests: name === 'tests' && check.files.length > 0 };
  if (file === undefined) {
    const spawnError = `there is no program ${words[0] || '(empty)'} on PATH. Name one that is, or install it first`;
    options.log.note(spawnError);
    return judgeRun({ ...judged, ...unstarted, spawnError });
  }
  const lines: string[] = [];
  const give = (line: string): void => {
    lines.push(line);
    options.onLine?.(redact(cleanOutputLine(line), []), name);
  };
  const run = await runProgram(file, words.slice(1), options, give);
  const { exitCode, signal, spawnError } = run;
  const endedBy = endOf(run.killedBy);
  options.log.note(
    `${name} ended: ${endedBy ?? (signal ? `signal ${signal}` : `exit code ${exitCode}`)}, ${run.durationMs} ms`,
  );
  if (run.swept > 0) options.log.note(`${run.swept} processes that it left behind were ended`);
  const seconds = run.durationMs / 1000;
  return judgeRun({
    ...judged,
    exitCode,
    signal,
    spawnError,
    endedBy,
    used: run.used,
    seconds,
    // runProgram limits the output, so `lines` holds all of it.
    output: redact(keepEnds(lines.map((line) => `${line}\n`).join(''), headChars, tailChars), []),
  });
}

const unstarted = { exitCode: null, signal: null, endedBy: undefined, seconds: 0, output: '' } as const;

type ProcessEnd = Awaited<ReturnType<typeof startProcess>['ended']>;

async function runProgram(
  file: string,
  args: readonly string[],
  options: CheckRunOptions,
  give: (line: string) => void,
): Promise<ProcessEnd> {
  const { treeDir, env, limits, log, sandbox, signal } = options;
  // Each stream has its own splitter, so that one cannot cut a line of the other in two.
  const stdout = openLineSplitter(lineChars);
  const stderr = openLineSplitter(lineChars);
  const end = await startProcess({
    file,
    args,
    cwd: treeDir,
    env: { ...env, PWD: treeDir },
    stdin: '',
    mark: `check-${randomUUID()}`,
    limits: { ...limits, outputBytesMax: limits.outputBytesMax ?? outputBytesMax },
    sandbox,
    signal,
    onStdout: (text) => {
      log.output(text);
      for (const line of stdout.push(text)) give(line);
    },
    onStderr: (text) => {
      log.errors(text);
      for (const line of stderr.push(text)) give(line);
    },
  }).ended;
  for (const line of [...stdout.end(), ...stderr.end()]) give(line);
  return end;
}

function commandWords({ command, files }: CheckCommand): string[] {
  const safe = files.map(asArgument);
  if (typeof command === 'string') {
    return ['sh', '-c', command.replaceAll('{files}', '"$@"'), 'sh', ...safe];
  }
  return command.flatMap((word) => {
    if (!word.includes('{files}')) return [word];
    return safe.map((file) => word.replaceAll('{files}', () => file));
  });
}

/** The command would read a name that begins with a dash as an option. */
function asArgument(file: string): string {
  return file.startsWith('-') ? `./${file}` : file;
}

export function shownCommand(command: CommandLine): string {
  return typeof command === 'string' ? command : command.join(' ');
}

function endOf(killedBy: ProcessEnd['killedBy']): CheckEnd | undefined {
  switch (killedBy) {
    case 'timeout':
    case 'idle':
    case 'output_limit':
    case 'resources':
    case 'cancelled':
    case undefined:
      return killedBy;
    case 'max_turns':
    case 'budget':
      return undefined; // only agents have these limits
  }
}
