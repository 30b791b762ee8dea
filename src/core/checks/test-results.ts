/**
 * What a run of tests said, from its output: how many tests failed, and their names. The output is written by the
 * code under test as much as by the program that runs it, so it never proves success: the exit code does.
 */
import { cleanLines } from './output-text.ts';

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
  /** A line with counts. Of several blocks of them the last is the one that the program wrote at its end. */
  readonly counts: RegExp;
  /** Each of several runs prints its counts, and all of them count. */
  readonly adds?: boolean;
  /** A line that names a failed test, in its first group. */
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
  // Of several commands, one that ran nothing does not hide one that did.
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

/** `2 failed, 1 passed` and `pass 1` alike. */
function addCounts(counts: Counts, line: string): void {
  const [, before = '', after] = /^[#ℹ] ([a-z]+) {1,2}(\d{1,9})$/.exec(line) ?? [];
  const said = after === undefined ? line : `${after} ${before}`;
  for (const [, number, word = ''] of said.matchAll(/(\d{1,9}) ([a-z]+)/g)) {
    for (const kind of ['passed', 'failed', 'skipped'] as const) {
      if (kinds[kind].test(word)) counts[kind] += Number(number);
    }
  }
}
