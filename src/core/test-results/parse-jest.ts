import { type Counts, type FoundFailure, placeIn, type TestSummary, testSummary } from '../test-results.ts';

/**
 * `Tests: 1 failed, 2 passed, 3 total` under `Test Suites:`. A test can print such lines too, so the numbers
 * must add up, and the last summary is the one: jest prints it when all tests have ended.
 */
export function parseJest(lines: readonly string[]): TestSummary | null {
  const at = lines.findLastIndex((line, index) => isSummary(lines, line, index));
  if (at < 0) return noTests(lines);
  const from = lines.findLastIndex((line, index) => index < at - 1 && isSummary(lines, line, index)) + 1;
  const blocks = failureBlocks(lines.slice(from, at));
  const counts = countsIn(lines[at] ?? '');
  const suites = countsIn(lines[at - 1] ?? '');
  if (counts === null) return null;
  const broken = blocks.filter(({ name }) => name === suiteFailed).length;
  // A suite that could not be run has no tests to count.
  const failed = Math.max(counts.failed + broken, suites?.failed ?? 0);
  return testSummary('jest', at, { ...counts, failed }, blocks);
}

const suiteFailed = 'Test suite failed to run';

function noTests(lines: readonly string[]): TestSummary | null {
  const at = lines.findLastIndex((line) => line.startsWith('No tests found, exiting with code '));
  return at < 0 ? null : testSummary('jest', at, { passed: 0, failed: 0, skipped: 0 }, []);
}

function isSummary(lines: readonly string[], line: string, index: number): boolean {
  return (
    line.startsWith('Tests: ') &&
    (lines[index - 1] ?? '').startsWith('Test Suites: ') &&
    countsIn(line) !== null
  );
}

function countsIn(line: string): Counts | null {
  const parts = line
    .slice(line.indexOf(':') + 1)
    .trim()
    .split(', ');
  const counts = new Map<string, number>();
  for (const part of parts) {
    const match = /^(\d{1,9}) (failed|skipped|pending|todo|passed|total)$/.exec(part);
    if (match === null) return null;
    counts.set(match[2] ?? '', Number(match[1]));
  }
  const of = (kind: string): number => counts.get(kind) ?? 0;
  const skipped = of('skipped') + of('pending') + of('todo');
  const adds = of('failed') + of('passed') + skipped === of('total');
  return counts.has('total') && adds ? { passed: of('passed'), failed: of('failed'), skipped } : null;
}

/** `  ● suite › test`, its message and the first place of the trace, under `FAIL file`. */
function failureBlocks(lines: readonly string[]): FoundFailure[] {
  const blocks: FoundFailure[] = [];
  let file: string | undefined;
  for (const [index, line] of lines.entries()) {
    if (/^ ?FAIL /.test(line)) file = fileOf(line);
    if (/^ ?(?:PASS|RUNS) /.test(line)) file = undefined;
    if (!line.startsWith('  ● ') || file === undefined || line === '  ● Console') continue;
    const near = lines.slice(index + 1, index + 80);
    const end = near.findIndex(isNext);
    const body = end < 0 ? near : near.slice(0, end);
    blocks.push({ name: line.slice(4), file, line: lineOf(body, file), message: messageOf(body) });
    if (blocks.length >= 200) break;
  }
  return blocks;
}

function isNext(line: string): boolean {
  return line.startsWith('  ● ') || /^ ?(?:FAIL|PASS|Test Suites:|Tests:) /.test(line);
}

function fileOf(line: string): string {
  const words = line
    .trim()
    .replace(/ \([\d.]+ m?s\)$/, '')
    .split(' ');
  return words.at(-1) ?? '';
}

function messageOf(body: readonly string[]): string {
  const end = body.findIndex((line) => /^ {4,}(?:at |(?:> *)?\d+ \|)/.test(line));
  return body
    .slice(0, end < 0 ? 12 : end)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

function lineOf(body: readonly string[], file: string): number | undefined {
  const name = file.split('/').at(-1) ?? file;
  return body
    .filter((line) => /^\s+at /.test(line))
    .map(placeIn)
    .find((place) => place?.file.endsWith(name))?.line;
}
