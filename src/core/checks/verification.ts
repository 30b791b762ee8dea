/** How the checks after a step ended, and the files that they name. text/review.ts has its texts. */
import type { Baseline } from '../ledger/ledger-state.ts';
import { isRecord } from '../shape.ts';

export type CheckName = 'files' | 'setup' | 'tests' | 'verify' | 'build';
export type CheckEnd = 'timeout' | 'idle' | 'output_limit' | 'resources' | 'cancelled';

export interface Check {
  readonly name: CheckName;
  /** The command as the team wrote it. */
  readonly command?: string;
  readonly ok: boolean;
  /** It did not run, and `reason` says why. A check that could not be requested is not a failure. */
  readonly skipped?: boolean;
  /** Why it failed or was skipped, in a sentence without a full stop. */
  readonly reason: string | null;
  readonly exitCode?: number | null;
  /** gza ended it: too slow, too quiet, too much used or printed, or stopped by a person. */
  readonly endedBy?: CheckEnd;
  readonly timedOut?: boolean;
  readonly seconds: number;
  readonly results: TestResults | null;
  /** The end of the output and, if it is long, the beginning: plain text, bounded. */
  readonly output: string;
}

export interface Verification {
  readonly ok: boolean;
  readonly checks: readonly Check[];
  /**
   * Set if only the project's own checks failed, and they also fail on the commit that the work began from.
   */
  readonly baseline?: Baseline;
}

/** Having nothing to check is not a failure, but describeVerification mentions it. */
export function verificationOf(checks: readonly Check[]): Verification {
  return { ok: checks.every((check) => check.ok), checks };
}

export function failedChecks(verification: Verification): Check[] {
  return verification.checks.filter((check) => !check.ok);
}

/** Stopped from outside, so it says nothing about the work. */
export function wasCancelled(verification: Verification): boolean {
  return verification.checks.some((check) => check.endedBy === 'cancelled');
}

const runsScripts = /(?:^|[\s;&|/])(?:npm|npx|pnpm|yarn|bun)\b/;

/** Files that these commands name, including those in scripts of package.json if they run scripts. */
export function checkedFiles(commands: readonly string[], packageJson: string | null): string[] {
  const scripts = commands.some((one) => runsScripts.test(one)) ? scriptsIn(packageJson) : [];
  const words = [...commands, ...scripts].flatMap((one) => one.split(/[\s;&|()<>'"`=,]+/));
  return [...new Set(words.map((word) => word.replace(/^(?:\.\/)+/, '')))].filter((word) =>
    /[./]/.test(word),
  );
}

function scriptsIn(packageJson: string | null): string[] {
  try {
    const json: unknown = JSON.parse(packageJson ?? '');
    const scripts = isRecord(json) ? json['scripts'] : undefined;
    return isRecord(scripts) ? Object.values(scripts).filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/**
 * The results of a test run, read from its output: how many tests failed, and their names. The code under
 * test can write to that output as well, so it never proves success; only the exit code does.
 */
export interface TestResults {
  /** The program that printed them. */
  readonly format: string;
  /** `go test` without -v counts packages. */
  readonly unit: 'tests' | 'packages';
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Names of the first failures; `failed` counts all. */
  readonly failures: readonly string[];
}

interface Format {
  readonly name: string;
  /** Matches a line with counts. Of several blocks the last one counts: the program wrote it at its end. */
  readonly counts: RegExp;
  /** Each of several runs prints its counts, and these are added up. */
  readonly adds?: boolean;
  /** Matches a line that names a failed test, in its first group. */
  readonly failure: RegExp;
}

const formats: readonly Format[] = [
  {
    name: 'jest',
    counts: /^Tests: {1,9}\d.{0,200} total$|^No tests found, exiting with code /,
    failure: /^ {2}● (?!Console$)(.+)$/,
  },
  {
    name: 'vitest',
    counts: /^ +Tests {2}.{1,200}\)$|^ +Tests {2}no tests$|^No test files found, exiting with code /,
    failure: /^ ?FAIL {1,2}(.+)$/,
  },
  {
    name: 'pytest',
    counts: /^(?:=+ )?(?:no tests ran|\d{1,9} [a-z]+(?:, \d{1,9} [a-z]+){0,9}) in [\d.]{1,12}s/,
    failure: /^(?:FAILED|ERROR) (.+?)(?: - .*)?$/,
  },
  {
    name: 'cargo test',
    counts: /^test result: (?:ok|FAILED)\. .{1,200} measured; .{1,60}finished in /,
    adds: true,
    failure: /^---- (.+) stdout ----$/,
  },
  {
    name: 'mocha',
    counts: /^ {2}\d{1,9} (?:passing \(.{1,20}\)|pending|failing)$/,
    failure: /^ {2}\d{1,6}\) (.+)$/,
  },
  { name: 'node:test', counts: /^ℹ [a-z]+ \d{1,9}$/, failure: /^ *✖ (.+) \([\d.]+ms\)$/ },
  { name: 'TAP', counts: /^# [a-z]+ {1,2}\d{1,9}$/, failure: /^ {0,40}not ok \d{1,9} (?:- )?(.+)$/ },
  { name: 'go test', counts: /^(?:ok {2}|FAIL)\t\S/, adds: true, failure: /^ *--- FAIL: (\S{1,500}) \(/ },
];

const failuresMax = 10;
const nameCharsMax = 200;

export function readTestResults(output: string): TestResults | null {
  const lines = cleanLines(output);
  const found = formats.flatMap((format) => readFormat(format, lines) ?? []);
  // If several commands ran, one without tests must not hide one with tests.
  const counting = found.filter(({ results }) => totalOf(results) > 0);
  return (counting.length > 0 ? counting : found).sort((a, b) => b.at - a.at)[0]?.results ?? null;
}

type Counts = Record<'passed' | 'failed' | 'skipped', number>;

export function totalOf({ passed, failed, skipped }: Counts): number {
  return passed + failed + skipped;
}

function readFormat(format: Format, lines: readonly string[]): { at: number; results: TestResults } | null {
  const isGo = format.name === 'go test';
  const blocks: { at: number; counts: Counts }[] = [];
  let wasCounts = false;
  for (const [at, line] of lines.entries()) {
    const isCounts = format.counts.test(line);
    const goesOn = blocks.length > 0 && (wasCounts || format.adds);
    if (isCounts && !goesOn) blocks.push({ at, counts: { passed: 0, failed: 0, skipped: 0 } });
    const block = blocks.at(-1);
    if (isCounts && block) addCounts(block.counts, isGo ? wordOfPackage(line) : line);
    wasCounts = isCounts;
  }
  const last = blocks.findLast(({ counts }) => totalOf(counts) > 0) ?? blocks.at(-1);
  if (last === undefined) return null;
  const { at, counts } = last;
  const names = lines.flatMap((line) => format.failure.exec(line.slice(0, 1000))?.[1]?.trim() ?? []);
  const failures = [...new Set(names)].slice(0, failuresMax).map((name) => name.slice(0, nameCharsMax));
  const unit = isGo ? 'packages' : 'tests';
  return {
    at,
    results: { format: format.name, unit, ...counts, failures: counts.failed > 0 ? failures : [] },
  };
}

function wordOfPackage(line: string): string {
  if (line.endsWith('[no tests to run]')) return '';
  return line.startsWith('ok') ? '1 passed' : '1 failed';
}

const kinds: Readonly<Record<keyof Counts, RegExp>> = {
  passed: /^(?:passed|passing|pass|xpassed)$/,
  failed: /^(?:failed|failing|fail|errors?|cancelled)$/,
  skipped: /^(?:skipped|skip|ignored|pending|todo|xfailed)$/,
};

/** Reads both `2 failed, 1 passed` and `pass 1`. */
function addCounts(counts: Counts, line: string): void {
  const [, before = '', after] = /^[#ℹ] ([a-z]+) {1,2}(\d{1,9})$/.exec(line) ?? [];
  const said = after === undefined ? line : `${after} ${before}`;
  for (const [, number, word = ''] of said.matchAll(/(\d{1,9}) ([a-z]+)/g)) {
    for (const kind of ['passed', 'failed', 'skipped'] as const) {
      if (kinds[kind].test(word)) counts[kind] += Number(number);
    }
  }
}

/** More than any test report that a person would read; only the end is kept. */
const outputCharsMax = 4_000_000;
const lineCharsMax = 8000;

// Control sequences, then commands that end with BEL or ESC \, then the remaining two-character ones.
const escapes =
  // oxlint-disable-next-line no-control-regex
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]P^_X][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]/g;
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** Terminal output as plain text: without colours, and without text that later text overwrites. */
export function cleanLines(output: string): string[] {
  const text = output.slice(-outputCharsMax).replace(escapes, '');
  return text.split(/\r?\n/).map(cleanOutputLine);
}

export function cleanOutputLine(line: string): string {
  const shown = line.endsWith('\r') ? line.slice(0, -1) : line;
  return shown
    .slice(shown.lastIndexOf('\r') + 1)
    .slice(0, lineCharsMax)
    .replace(escapes, '')
    .replace(controls, '');
}

/** Shortens an output to its beginning and its end, which show what was started and how it ended. */
export function keepEnds(text: string, headChars: number, tailChars: number): string {
  const left = text.length - headChars - tailChars;
  if (left <= 0) return text;
  return joinEnds(text.slice(0, headChars), left, text.slice(text.length - tailChars));
}

function joinEnds(head: string, charsCut: number, tail: string): string {
  return charsCut <= 0 ? head + tail : `${head}\n[… ${charsCut} characters were left out here …]\n${tail}`;
}

export interface CommandRun {
  readonly name: CheckName;
  readonly command: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly endedBy: CheckEnd | undefined;
  readonly spawnError: string | undefined;
  /** The resource that it used too much of, if that ended it. */
  readonly used?: string | undefined;
  readonly seconds: number;
  readonly output: string;
  /** The task names test files, so a run without tests does not count. */
  readonly expectsTests: boolean;
}

const headChars = 2000;
const tailChars = 10_000;

/** Success needs an exit code of 0, and no results that say otherwise. */
export function judgeRun(run: CommandRun): Check {
  // An install may print anything.
  const results = run.name === 'setup' ? null : readTestResults(run.output);
  const reason = endReason(run, results) ?? resultReason(run, results);
  const isLate = run.endedBy === 'timeout' || run.endedBy === 'idle';
  return {
    name: run.name,
    command: run.command,
    ok: reason === null,
    reason,
    exitCode: run.exitCode,
    ...(run.endedBy === undefined ? {} : { endedBy: run.endedBy }),
    ...(isLate ? { timedOut: true } : {}),
    seconds: run.seconds,
    results,
    output: keepEnds(cleanLines(run.output).join('\n').trimEnd(), headChars, tailChars),
  };
}

function endReason(run: CommandRun, results: TestResults | null): string | null {
  if (run.spawnError !== undefined) return `it could not be started: ${run.spawnError}`;
  if (run.used !== undefined) return `${run.used}, and was ended`;
  if (run.endedBy !== undefined) return endings[run.endedBy](Math.round(run.seconds));
  if (run.signal !== null) return `it was ended by ${run.signal}${counted(results)}`;
  if (run.exitCode === 0) return null;
  if (run.exitCode === 127) return notFound;
  if (run.exitCode === 126) return notRunnable;
  return `it ended with exit code ${run.exitCode}${counted(results)}`;
}

const endings: Record<CheckEnd, (seconds: number) => string> = {
  timeout: (seconds) =>
    `it was still running after ${seconds} s, its limit, and was ended with all it had started`,
  idle: (seconds) =>
    `it printed nothing and used no processor for too long (ended after ${seconds} s): it hangs, waits for input, or leaves a server running`,
  output_limit: () => 'it printed more than it may, and was ended',
  resources: () => 'it used more of the machine than it may, and was ended',
  cancelled: () => 'it was stopped from outside before it ended',
};

const notFound =
  'the shell did not find a program (exit code 127). Checks run with a HOME of their own and a short environment: name programs that are on PATH, or install what is missing with setup in gza.yaml';
const notRunnable =
  'the shell found a program that it may not run (exit code 126). Make the file executable and commit that, or name its interpreter in the command';

function resultReason(run: CommandRun, results: TestResults | null): string | null {
  if (results === null) return null;
  const { failed, passed, skipped, format } = results;
  if (failed > 0) return `it ended with exit code 0, but ${format} reports ${failedOf(results)}`;
  if (!run.expectsTests || passed > 0) return null;
  return skipped > 0
    ? `no tests ran: all ${skipped} were skipped. It ended with exit code 0, but nothing was tested`
    : 'no tests ran. It ended with exit code 0, but nothing was tested: see that the command takes the test files, and that they hold tests';
}

function counted(results: TestResults | null): string {
  return results === null || totalOf(results) === 0 ? '' : `: ${failedOf(results)}`;
}

const namesShown = 3;

function failedOf(results: TestResults): string {
  const { failed, unit, failures } = results;
  const names = failures.slice(0, namesShown).join(', ');
  const more = failed > namesShown && failures.length > 0 ? ', …' : '';
  return `${failed} of ${totalOf(results)} ${unit} failed${names === '' ? '' : `: ${names}${more}`}`;
}

/** A check that names a file which is not there yet is about work to come, so that it fails says nothing of the base. */
export function namesMissingFile(command: string, isThere: (path: string) => boolean): boolean {
  const words = command.match(/[^\s'"`;&|()<>]+/g) ?? [];
  const isPath = (word: string) =>
    /^(?![-/~])[\w@./+-]+$/.test(word) && !word.includes('..') && /\/\w|\w\.[a-z]\w{0,4}$/i.test(word);
  return words.some((word) => isPath(word) && !isThere(word));
}
