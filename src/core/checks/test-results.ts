/**
 * What a run of tests said, from its output: how many tests failed, and their names. The output is written by the
 * code under test as much as by the program that runs it, so it never proves success: the exit code does.
 */
import { cleanLines } from './clean-output.ts';

export interface TestResults {
  /** The program that printed them. */
  readonly format: string;
  /** `go test` without -v counts packages. */
  readonly unit: 'tests' | 'packages';
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Names of the first ones; `failed` counts all. */
  readonly failures: readonly string[];
}

interface Format {
  readonly name: string;
  /** The line with the counts; the last one in an output is the one that the program wrote at its end. */
  readonly summary: RegExp;
  /** The line before it, which counts test files; a file that did not load is a failure without a test. */
  readonly before?: RegExp;
  /** How many lines after it may go on with the counts, and what these look like. */
  readonly more?: { readonly lines: number; readonly like: RegExp };
  /** Each of several runs prints a summary, and all of them count. */
  readonly adds?: boolean;
  /** A line that names a failed test, in its first group. */
  readonly failure: RegExp;
}

const formats: readonly Format[] = [
  {
    name: 'jest',
    summary: /^Tests: {1,9}\d.{0,200} total$|^No tests found, exiting with code /,
    before: /^Test Suites: /,
    failure: /^ {2}● (?!Console$)(.+)$/,
  },
  {
    name: 'vitest',
    summary: /^ +Tests {2}.{1,200}\)$|^ +Tests {2}no tests$|^No test files found, exiting with code /,
    before: /^ +Test Files {2}/,
    failure: /^ ?FAIL {1,2}(.+)$/,
  },
  {
    name: 'pytest',
    summary: /^(?:=+ )?(?:no tests ran|\d{1,9} [a-z]+(?:, \d{1,9} [a-z]+){0,9}) in [\d.]{1,12}s/,
    failure: /^(?:FAILED|ERROR) (.+?)(?: - .*)?$/,
  },
  {
    name: 'cargo test',
    summary: /^test result: (?:ok|FAILED)\. .{1,200} measured; .{1,60}finished in /,
    adds: true,
    failure: /^---- (.+) stdout ----$/,
  },
  {
    name: 'mocha',
    summary: /^ {2}\d{1,9} passing \(/,
    more: { lines: 2, like: /^ {2}\d{1,9} (?:pending|failing)$/ },
    failure: /^ {2}\d{1,6}\) (.+)$/,
  },
  {
    name: 'node:test',
    summary: /^ℹ tests \d{1,9}$/,
    more: { lines: 7, like: /^ℹ [a-z]+ \d{1,9}$/ },
    failure: /^ *✖ (.+) \([\d.]+ms\)$/,
  },
  {
    name: 'TAP',
    summary: /^# tests \d{1,9}$/,
    more: { lines: 7, like: /^# [a-z]+ {1,2}\d{1,9}$/ },
    failure: /^ {0,40}not ok \d{1,9} (?:- )?(.+)$/,
  },
  { name: 'go test', summary: /^(?:ok {2}|FAIL)\t\S/, adds: true, failure: /^ *--- FAIL: (\S{1,500}) \(/ },
];

const failuresMax = 10;
const nameCharsMax = 200;

export function readTestResults(output: string): TestResults | null {
  const lines = cleanLines(output);
  const found = formats.flatMap((format) => readFormat(format, lines) ?? []);
  // Of several commands, one that ran nothing does not hide one that did.
  const counting = found.filter(({ results }) => totalOf(results) > 0);
  return (counting.length > 0 ? counting : found).sort((a, b) => b.at - a.at)[0]?.results ?? null;
}

export function totalOf({ passed, failed, skipped }: Counts): number {
  return passed + failed + skipped;
}

function readFormat(format: Format, lines: readonly string[]): { at: number; results: TestResults } | null {
  const ends = lines.flatMap((_, at) => (isSummary(format, lines, at) ? [at] : []));
  const runs = ends.map((at) => ({ at, counts: countsAt(format, lines, at) }));
  const last = runs.findLast(({ counts }) => totalOf(counts) > 0) ?? runs.at(-1);
  if (last === undefined) return null;
  const { at, counts } = last;
  if (format.adds) for (const run of runs) if (run !== last) countInto(counts, run.counts);
  const names = lines.flatMap((line) => format.failure.exec(line.slice(0, 1000))?.[1]?.trim() ?? []);
  const failures = [...new Set(names)].slice(0, failuresMax).map((name) => name.slice(0, nameCharsMax));
  const unit = format.name === 'go test' ? 'packages' : 'tests';
  return {
    at,
    results: { format: format.name, unit, ...counts, failures: counts.failed > 0 ? failures : [] },
  };
}

function isSummary({ summary, before }: Format, lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  if (!summary.test(line)) return false;
  return before === undefined || before.test(lines[at - 1] ?? '') || line.startsWith('No test');
}

type Counts = Record<'passed' | 'failed' | 'skipped', number>;

function countsAt({ name, before, more }: Format, lines: readonly string[], at: number): Counts {
  const line = lines[at] ?? '';
  if (name === 'go test') return countOfPackage(line);
  const counts = countsIn(line);
  if (before) counts.failed = Math.max(counts.failed, countsIn(lines[at - 1] ?? '').failed);
  for (const next of lines.slice(at + 1, at + 1 + (more?.lines ?? 0))) {
    if (more?.like.test(next)) countInto(counts, countsIn(next));
  }
  return counts;
}

function countOfPackage(line: string): Counts {
  const isOk = line.startsWith('ok');
  return { passed: isOk && !line.endsWith('[no tests to run]') ? 1 : 0, failed: isOk ? 0 : 1, skipped: 0 };
}

const kinds: Readonly<Record<keyof Counts, RegExp>> = {
  passed: /^(?:passed|passing|pass|xpassed)$/,
  failed: /^(?:failed|failing|fail|errors?|cancelled)$/,
  skipped: /^(?:skipped|skip|ignored|pending|todo|xfailed)$/,
};

/** `2 failed, 1 passed` and `pass 1` alike. */
function countsIn(line: string): Counts {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [, number, word] of line.matchAll(/(\d{1,9}) ([a-z]+)/g)) add(counts, word, number);
  const [, word, number] = /^[#ℹ] ([a-z]+) {1,2}(\d{1,9})$/.exec(line) ?? [];
  add(counts, word, number);
  return counts;
}

function add(counts: Counts, word = '', number = '0'): void {
  for (const kind of ['passed', 'failed', 'skipped'] as const) {
    if (kinds[kind].test(word)) counts[kind] += Number(number);
  }
}

function countInto(counts: Counts, more: Counts): void {
  for (const kind of ['passed', 'failed', 'skipped'] as const) counts[kind] += more[kind];
}
