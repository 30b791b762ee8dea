import { type Counts, type FoundFailure, placeIn, type TestSummary, testSummary } from '../test-results.ts';

/** `Tests  1 failed | 2 passed (3)` under `Test Files`. */
export function parseVitest(lines: readonly string[]): TestSummary | null {
  const at = lines.findLastIndex((line, index) => isSummary(lines, line, index));
  if (at < 0) return noTests(lines);
  const from = lines.findLastIndex((line, index) => index < at - 1 && isSummary(lines, line, index)) + 1;
  const blocks = failureBlocks(lines.slice(from, at));
  const counts = countsIn(lines[at] ?? '');
  if (counts === null) return null;
  const files = countsIn(lines[at - 1] ?? '');
  const broken = blocks.filter(({ name, file }) => name === file).length;
  const errors = Number(/^\s+Errors {1,3}(\d{1,9}) errors?$/.exec(lines[at + 1] ?? '')?.[1] ?? 0);
  const failed = Math.max(counts.failed + broken, files?.failed ?? 0) + errors;
  return testSummary('vitest', at, { ...counts, failed }, blocks);
}

function noTests(lines: readonly string[]): TestSummary | null {
  const at = lines.findLastIndex((line) => line.startsWith('No test files found, exiting with code '));
  return at < 0 ? null : testSummary('vitest', at, { passed: 0, failed: 0, skipped: 0 }, []);
}

function isSummary(lines: readonly string[], line: string, index: number): boolean {
  return (
    /^\s+Tests {2}/.test(line) && /^\s+Test Files {2}/.test(lines[index - 1] ?? '') && countsIn(line) !== null
  );
}

function countsIn(line: string): Counts | null {
  const text = line.trim().replace(/^(?:Test Files|Tests) +/, '');
  if (text === 'no tests') return { passed: 0, failed: 0, skipped: 0 };
  const total = / \((\d{1,9})\)$/.exec(text);
  if (total === null) return null;
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const part of text.slice(0, total.index).split(' | ')) {
    const match = /^(\d{1,9}) (passed|failed|skipped|todo|expected fail)$/.exec(part);
    if (match === null) return null;
    const kind = match[2] === 'passed' || match[2] === 'expected fail' ? 'passed' : match[2];
    counts[kind === 'passed' || kind === 'failed' ? kind : 'skipped'] += Number(match[1]);
  }
  return counts.passed + counts.failed + counts.skipped === Number(total[1]) ? counts : null;
}

/** ` FAIL  file > suite > test`; of a file that could not be run, ` FAIL  file [ file ]`. */
function failureBlocks(lines: readonly string[]): FoundFailure[] {
  const blocks: FoundFailure[] = [];
  for (const [index, line] of lines.entries()) {
    if (!/^ ?FAIL {1,2}\S/.test(line)) continue;
    const [first = '', ...rest] = line
      .trim()
      .slice(4)
      .trim()
      .replace(/^\|[^|]*\| /, '')
      .split(' > ');
    const file = first.replace(/ \[ [^[\]]{0,300} \]$/, '');
    // Tests with the same error stand together above it.
    const body = lines.slice(index + 1, index + 60).filter((other) => !/^ ?FAIL {1,2}\S/.test(other));
    const end = body.findIndex((other) => /^⎯{3,}/.test(other));
    const block = end < 0 ? body : body.slice(0, end);
    blocks.push({
      name: rest.join(' > ') || file,
      file,
      line: lineOf(block, file),
      message: messageOf(block),
    });
    if (blocks.length >= 200) break;
  }
  return blocks;
}

function messageOf(block: readonly string[]): string {
  const end = block.findIndex((line) => line.startsWith(' ❯ '));
  return block
    .slice(0, end < 0 ? 12 : end)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

function lineOf(block: readonly string[], file: string): number | undefined {
  const places = block.filter((line) => line.startsWith(' ❯ ')).map(placeIn);
  return places.find((place) => place !== undefined && file.endsWith(place.file))?.line;
}
