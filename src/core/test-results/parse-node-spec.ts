import { type FoundFailure, type TestSummary, testSummary } from '../test-results.ts';

const names = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo'];

/** The end of node:test's own report: `ℹ tests 4`, `ℹ suites 0`, `ℹ pass 1` and so on, in this order. */
export function parseNodeSpec(lines: readonly string[]): TestSummary | null {
  const start = lines.findLastIndex((_, index) =>
    names.every((name, at) => countOf(lines[index + at], name) !== null),
  );
  if (start < 0) return null;
  const of = (name: string): number => countOf(lines[start + names.indexOf(name)], name) ?? 0;
  const counts = {
    passed: of('pass'),
    failed: of('fail') + of('cancelled'),
    skipped: of('skipped') + of('todo'),
  };
  return testSummary('node:test', start + names.length - 1, counts, failuresIn(lines.slice(start)));
}

function countOf(line: string | undefined, name: string): number | null {
  const match = /^ℹ (\w+) (\d{1,9})$/.exec(line ?? '');
  return match?.[1] === name ? Number(match[2]) : null;
}

/** Under `✖ failing tests:`: `test at file:line:column`, the name, the error. */
function failuresIn(lines: readonly string[]): FoundFailure[] {
  return lines.flatMap((line, index) => {
    const place = /^test at (.{1,400}?):(\d{1,9}):\d{1,9}$/.exec(line);
    if (place === null) return [];
    const name = (lines[index + 1] ?? '').replace(/^✖ /, '').replace(/ \([\d.]+ms\)$/, '');
    const body = lines.slice(index + 2, index + 12);
    const end = body.findIndex((other) => /^\s*(?:at |$)/.test(other));
    const message = body.slice(0, end < 0 ? 4 : end).map((other) => other.trim());
    return [{ name, file: place[1], line: Number(place[2]), message: message.join('\n') }];
  });
}
