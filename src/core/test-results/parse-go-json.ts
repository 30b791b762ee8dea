import { type FoundFailure, type TestSummary, testSummary } from '../test-results.ts';
import { leavesOf } from './parse-go-test.ts';

interface Event {
  readonly Action?: unknown;
  readonly Package?: unknown;
  readonly Test?: unknown;
  readonly Output?: unknown;
  /** Instead of a package, while it is compiled. */
  readonly ImportPath?: unknown;
}

interface GoTest {
  readonly name: string;
  readonly package: string;
  status: string;
  output: string;
}

interface Run {
  readonly tests: Map<string, GoTest>;
  readonly packages: Map<string, GoTest>;
  at: number;
}

const outputCharsMax = 2000;
const nameCharsMax = 300;
const ended = new Set(['pass', 'fail', 'skip']);

/** `go test -json`: one event a line. The last word on a test counts, so that repeated runs are one. */
export function parseGoJson(lines: readonly string[]): TestSummary | null {
  const run: Run = { tests: new Map(), packages: new Map(), at: -1 };
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('{"') && line.includes('"Action":')) readEvent(run, eventOf(line), index);
  }
  if (run.at < 0) return null;
  const leaves = leavesOf([...run.tests.values()]);
  const count = (status: string): number => leaves.filter((test) => test.status === status).length;
  const failed = leaves.filter((test) => test.status === 'fail');
  const broken = brokenPackages(run);
  const counts = { passed: count('pass'), failed: failed.length + broken.length, skipped: count('skip') };
  return testSummary('go test', run.at, counts, [...failed, ...broken].map(failureOf));
}

function eventOf(line: string): Event | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' ? value : null;
  } catch {
    return null; // cut, or not an event
  }
}

function readEvent(run: Run, event: Event | null, index: number): void {
  const path = event?.Package ?? event?.ImportPath;
  if (typeof path !== 'string' || typeof event?.Action !== 'string') return;
  const name = path.split(' ', 1)[0]?.slice(0, nameCharsMax) ?? '';
  const of = event.Test === undefined ? run.packages : run.tests;
  const key = typeof event.Test === 'string' ? `${name}.${event.Test.slice(0, nameCharsMax)}` : name;
  const known = of.get(key) ?? { name: key, package: name, status: 'run', output: '' };
  of.set(key, known);
  if (/^(?:build-)?output$/.test(event.Action) && typeof event.Output === 'string') keep(known, event.Output);
  if (!ended.has(event.Action)) return;
  known.status = event.Action;
  if (event.Test === undefined) run.at = index;
}

function keep(test: GoTest, output: string): void {
  if (/^\s*(?:=== |--- |# )/.test(output) || test.output.length > outputCharsMax) return;
  test.output += output;
}

/** It does not compile, or it died before its tests ended. */
function brokenPackages({ tests, packages }: Run): GoTest[] {
  const failing = new Set([...tests.values()].map((test) => (test.status === 'fail' ? test.package : '')));
  return [...packages.values()].filter(({ name, status }) => status === 'fail' && !failing.has(name));
}

function failureOf({ name, output }: GoTest): FoundFailure {
  const place = /(?<![^\s:])([^\s:]{1,300}\.go):(\d{1,9}):/.exec(output);
  return { name, file: place?.[1], line: place ? Number(place[2]) : undefined, message: output };
}
