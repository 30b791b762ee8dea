import { type FoundFailure, type TestSummary, testSummary } from '../test-results.ts';

/** One `test result:` for every program of tests, and all of them count. It must hold as many as `running` said. */
export function parseCargo(lines: readonly string[]): TestSummary | null {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  let at = -1;
  let expected: number | null = null;
  for (const [index, line] of lines.entries()) {
    const start = /^running (\d{1,9}) tests?$/.exec(line);
    if (start) expected = Number(start[1]);
    const end =
      /^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; (\d{1,9}) measured; /.exec(
        line,
      );
    if (end === null || expected === null) continue;
    const [passed = 0, failed = 0, skipped = 0, measured = 0] = end.slice(1).map(Number);
    if (passed + failed + skipped + measured !== expected) continue;
    sum.passed += passed + measured;
    sum.failed += failed;
    sum.skipped += skipped;
    at = index;
    expected = null;
  }
  return at < 0 ? null : testSummary('cargo test', at, sum, failuresIn(lines));
}

/** `---- name stdout ----`, then where it panicked, and on the next line why. */
function failuresIn(lines: readonly string[]): FoundFailure[] {
  return lines.flatMap((line, index) => {
    const head = /^---- (\S.{0,300}) stdout ----$/.exec(line);
    if (head?.[1] === undefined) return [];
    const body = lines.slice(index + 1, index + 40);
    const at = body.findIndex((other) => /^thread '.{0,300}' .{0,60}panicked at /.test(other));
    const place = /panicked at ([^\s:]{1,300}):(\d{1,9}):/.exec(body[at] ?? '');
    const end = body.findIndex(
      (other, line) => line > at && /^(?:stack backtrace:|note: |$|---- )/.test(other),
    );
    const message = at < 0 ? '' : body.slice(at + 1, end < 0 ? at + 6 : end).join('\n');
    return [{ name: head[1], file: place?.[1], line: place ? Number(place[2]) : undefined, message }];
  });
}
