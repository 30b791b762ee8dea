/** What a run of tests said about itself, whichever program ran them. */
export type TestFormat =
  | 'jest'
  | 'vitest'
  | 'pytest'
  | 'go test'
  | 'TAP'
  | 'node:test'
  | 'JUnit XML'
  | 'cargo test'
  | 'mocha';

export interface TestFailure {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  readonly message: string;
}

export interface TestResults {
  readonly format: TestFormat;
  /** `go test` without -v tells only of packages. */
  readonly unit: 'tests' | 'packages';
  readonly passed: number;
  /** Files that could not be run count too. */
  readonly failed: number;
  readonly skipped: number;
  /** The sum of the three. */
  readonly total: number;
  /** The first ones; `failed` counts all. */
  readonly failures: readonly TestFailure[];
}

/** What one parser found, and the line at which that run had ended. */
export interface TestSummary {
  readonly at: number;
  readonly results: TestResults;
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A failure as a parser meets it: everything but the name may be missing, and all of it may be long. */
export interface FoundFailure {
  readonly name: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly message?: string | undefined;
}

export const failuresMax = 20;
const nameCharsMax = 200;
const messageCharsMax = 600;
const countMax = 1_000_000_000;

export function testSummary(
  format: TestFormat,
  at: number,
  counts: Counts,
  found: readonly FoundFailure[],
  unit: TestResults['unit'] = 'tests',
): TestSummary {
  const [passed, failed, skipped] = [counts.passed, counts.failed, counts.skipped].map((count) =>
    Math.min(Math.max(0, count), countMax),
  ) as [number, number, number];
  const failures = firstOnes(found).map(boundFailure);
  return {
    at,
    results: { format, unit, passed, failed, skipped, total: passed + failed + skipped, failures },
  };
}

/** Without repetitions: jest, for one, prints all failures again at its end. */
function firstOnes(found: readonly FoundFailure[]): FoundFailure[] {
  const first = new Map<string, FoundFailure>();
  for (const failure of found) {
    const key = `${failure.file ?? ''}\n${failure.name}`;
    if (first.size < failuresMax && !first.has(key)) first.set(key, failure);
  }
  return [...first.values()];
}

function boundFailure({ name, file, line, message }: FoundFailure): TestFailure {
  return {
    name: shorten(name.trim(), nameCharsMax),
    ...(file ? { file: shorten(file.trim(), nameCharsMax) } : {}),
    ...(line !== undefined && line > 0 && line < countMax ? { line } : {}),
    message: shorten((message ?? '').trim(), messageCharsMax),
  };
}

function shorten(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** `path/to/file.ts:12:3`, also in brackets or as a URL, as stack traces have it. */
export function placeIn(line: string): { file: string; line: number } | undefined {
  const match =
    /(?<![^\s:()'"])(?:file:\/\/)?((?:[A-Za-z]:)?[^\s:()'"]{1,300}):(\d{1,9})(?::\d{1,9})?\)?'?$/.exec(
      line.trimEnd().slice(-400),
    );
  return match?.[1] === undefined ? undefined : { file: match[1], line: Number(match[2]) };
}
