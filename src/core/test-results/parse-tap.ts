import { isCutLine } from '../keep-ends.ts';
import { type Counts, type FoundFailure, type TestSummary, testSummary } from '../test-results.ts';

interface Point {
  readonly isOk: boolean;
  readonly name: string;
  readonly directive: 'skip' | 'todo' | null;
  readonly index: number;
  readonly indent: number;
}

/**
 * The Test Anything Protocol: test points at the margin and a plan. Producers that count for themselves
 * (`# pass 3`, as node:test, tape and mocha do) are believed, because their counts include subtests.
 */
export function parseTap(lines: readonly string[]): TestSummary | null {
  const points = lines.flatMap((line, index) => pointIn(line, index) ?? []);
  const top = points.filter((point) => point.indent === 0);
  const plan = lines.findLastIndex((line) => /^1\.\.\d{1,9}(?:\s*#.*)?$/.test(line));
  const bail = lines.findLastIndex((line) => line.startsWith('Bail out!'));
  const isTap = plan >= 0 || bail >= 0 || lines.some((line) => /^TAP version 1[2-4]$/.test(line));
  if (!isTap || (top.length === 0 && plan < 0 && bail < 0)) return null;
  const counts = ownCounts(lines) ?? countPoints(top, planned(lines, plan, top.length));
  const failures = points.filter(isFailure).map((point) => failureOf(point, lines));
  const at = Math.max(plan, bail, top.at(-1)?.index ?? -1, lastCount(lines));
  const bails: FoundFailure[] = bail < 0 ? [] : [{ name: 'Bail out!', message: lines[bail]?.slice(9) }];
  const failed = counts.failed + bails.length;
  return testSummary('TAP', at, { ...counts, failed }, [...failures.filter(isNamed), ...bails]);
}

function pointIn(line: string, index: number): Point | null {
  const match = /^( {0,40})(not )?ok\b(?: +\d{1,9})?(?: - | +|$)(.*)/.exec(line);
  if (match === null) return null;
  const rest = match[3] ?? '';
  const directive = /(?:^|\s)#\s*(skip|todo)\b/i.exec(rest);
  const kind = directive?.[1]?.toLowerCase();
  return {
    isOk: match[2] === undefined,
    name: (directive ? rest.slice(0, directive.index) : rest).trim(),
    directive: kind === 'skip' || kind === 'todo' ? kind : null,
    index,
    indent: match[1]?.length ?? 0,
  };
}

/** What is still to do may fail. */
function isFailure(point: Point): boolean {
  return !point.isOk && point.directive === null;
}

const counted = /^# (tests|pass|fail|cancelled|skipped|skip|todo)\s+(\d{1,9})$/;

function lastCount(lines: readonly string[]): number {
  return lines.findLastIndex((line) => counted.test(line));
}

/** The last block of such lines; `# suites 0` and the like may stand between them. */
function ownCounts(lines: readonly string[]): Counts | null {
  const end = lastCount(lines);
  const found = new Map<string, number>();
  for (let index = end; index >= 0 && index > end - 12 && lines[index]?.startsWith('# '); index -= 1) {
    const match = counted.exec(lines[index] ?? '');
    if (match?.[1] !== undefined && !found.has(match[1])) found.set(match[1], Number(match[2]));
  }
  if (!found.has('pass') || !(found.has('tests') || found.has('fail'))) return null;
  const of = (name: string): number => found.get(name) ?? 0;
  return {
    passed: of('pass'),
    failed: of('fail') + of('cancelled'),
    skipped: of('skipped') + of('skip') + of('todo'),
  };
}

/** A plan that was not kept means tests that never ran; unless we cut them out of the output ourselves. */
function planned(lines: readonly string[], plan: number, seen: number): number {
  if (plan < 0 || lines.some(isCutLine)) return seen;
  return Number(/^1\.\.(\d+)/.exec(lines[plan] ?? '')?.[1] ?? seen);
}

function countPoints(points: readonly Point[], planned: number): Counts {
  const skipped = points.filter((point) => point.directive !== null).length;
  const failed = points.filter(isFailure).length;
  const passed = points.length - skipped - failed;
  return { passed, failed: failed + Math.max(0, planned - points.length), skipped };
}

/** Of a test with failed subtests only those are told. */
function isNamed(failure: FoundFailure & { isParent?: boolean }): boolean {
  return failure.isParent !== true;
}

function failureOf(point: Point, lines: readonly string[]): FoundFailure & { isParent: boolean } {
  const { index, indent, name } = point;
  const next = lines.slice(index + 1, index + 16);
  const end = next.findIndex((line) => line.trim() !== '' && line.search(/\S/) <= indent);
  const body = (end < 0 ? next : next.slice(0, end)).map((line) => line.trim());
  const field = (key: string): string | undefined =>
    unquote(body.find((line) => line.startsWith(`${key}: `))?.slice(key.length + 2));
  const place = /^(.{1,400}?):(\d{1,9})(?::\d{1,9})?$/.exec(field('location') ?? field('at') ?? '');
  const message = field('error') ?? field('message') ?? body.find((line) => !/^(?:---|\.\.\.)$/.test(line));
  return {
    name: name || `test ${index + 1}`,
    file: place?.[1],
    line: place ? Number(place[2]) : undefined,
    message,
    isParent: field('failureType') === 'subtestsFailed',
  };
}

function unquote(text: string | undefined): string | undefined {
  return text?.replace(/^(['"])(.*)\1$/, '$2');
}
