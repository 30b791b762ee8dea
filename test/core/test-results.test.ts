import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cleanLines, keepEnds, readTestResults, totalOf } from '../../src/core/checks/verification.ts';

const folder = join(import.meta.dirname, '../fixtures/test-results');
const recorded = (name: string): string => readFileSync(join(folder, `${name}.txt`), 'utf8');
const counts = (output: string): string => {
  const results = readTestResults(output);
  if (results === null) return 'unknown';
  const { format, unit, passed, failed, skipped } = results;
  return `${format}: ${passed} ${unit} passed, ${failed} failed, ${skipped} skipped`;
};

test.each([
  ['jest-pass', 'jest: 1 tests passed, 0 failed, 1 skipped'],
  ['jest-fail', 'jest: 1 tests passed, 1 failed, 1 skipped'],
  ['jest-none0', 'jest: 0 tests passed, 0 failed, 0 skipped'],
  ['vitest-pass', 'vitest: 1 tests passed, 0 failed, 1 skipped'],
  ['vitest-fail-color', 'vitest: 1 tests passed, 1 failed, 1 skipped'],
  ['vitest-none0', 'vitest: 0 tests passed, 0 failed, 0 skipped'],
  ['pytest-pass', 'pytest: 1 tests passed, 0 failed, 1 skipped'],
  ['pytest-fail', 'pytest: 1 tests passed, 3 failed, 0 skipped'],
  ['pytest-fail-q', 'pytest: 1 tests passed, 3 failed, 0 skipped'],
  ['pytest-fail2', 'pytest: 0 tests passed, 1 failed, 0 skipped'],
  ['pytest-color', 'pytest: 1 tests passed, 3 failed, 0 skipped'],
  ['pytest-v', 'pytest: 1 tests passed, 3 failed, 0 skipped'],
  ['pytest-none', 'pytest: 0 tests passed, 0 failed, 0 skipped'],
  ['go-pass', 'go test: 1 packages passed, 0 failed, 0 skipped'],
  ['go-pass-v', 'go test: 1 packages passed, 0 failed, 0 skipped'],
  ['go-fail', 'go test: 0 packages passed, 1 failed, 0 skipped'],
  ['go-fail-v', 'go test: 0 packages passed, 2 failed, 0 skipped'],
  ['go-none', 'go test: 0 packages passed, 0 failed, 0 skipped'],
  ['cargo-pass', 'cargo test: 1 tests passed, 0 failed, 0 skipped'],
  ['cargo-fail', 'cargo test: 1 tests passed, 1 failed, 1 skipped'],
  ['cargo-none', 'cargo test: 0 tests passed, 0 failed, 0 skipped'],
  ['mocha-pass', 'mocha: 1 tests passed, 0 failed, 1 skipped'],
  ['mocha-fail', 'mocha: 1 tests passed, 1 failed, 1 skipped'],
  ['mocha-none', 'mocha: 0 tests passed, 0 failed, 0 skipped'],
  ['mocha-tap', 'TAP: 1 tests passed, 1 failed, 0 skipped'],
  ['node-tap-pass', 'TAP: 1 tests passed, 0 failed, 2 skipped'],
  ['node-tap-fail', 'TAP: 1 tests passed, 2 failed, 1 skipped'],
  ['node-tap-none', 'TAP: 0 tests passed, 0 failed, 3 skipped'],
  ['node-spec-pass', 'node:test: 1 tests passed, 0 failed, 2 skipped'],
  ['node-spec-fail', 'node:test: 1 tests passed, 2 failed, 1 skipped'],
])('the recorded run %s is counted: %s', (name, expected) => {
  expect(counts(recorded(name))).toBe(expected);
});

test.each([
  ['jest-fail', ['cart › total › includes tax', 'Test suite failed to run']],
  ['vitest-fail-color', ['broken.test.js [ broken.test.js ]', 'cart.test.js > cart > total includes tax']],
  ['pytest-fail2', ['test_import.py']],
  ['go-fail', ['TestTax', 'TestTax/with_vat']],
  ['cargo-fail', ['tests::tax']],
  ['mocha-fail', ['cart']],
  ['node-tap-fail', ['includes tax', 'cart']],
  ['node-spec-fail', ['includes tax', 'cart']],
])('the recorded run %s names what failed', (name, failures) => {
  expect(readTestResults(recorded(name))?.failures).toEqual(failures);
});

const fakes = [
  'Test Suites: 1 passed, 1 total\nTests:       9 passed, 9 total',
  ' Test Files  1 passed (1)\n      Tests  9 passed (9)',
  '===== 9 passed in 0.01s =====',
  'test result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s',
  '  9 passing (3ms)',
];

test.each(['jest-fail', 'vitest-fail-color', 'pytest-fail', 'node-spec-fail', 'go-fail-v'])(
  'whatever a test prints before the summary of %s, the summary counts',
  (name) => {
    for (const fake of fakes) {
      expect(readTestResults(`${fake}\n${recorded(name)}`)?.failed).toBeGreaterThan(0);
    }
  },
);

test('counts in a sentence are no summary', () => {
  expect(counts('all 3 passed in 2s, I think')).toBe('unknown');
});

test('of several commands one that found no tests does not hide one that did', () => {
  expect(counts(`${recorded('jest-pass')}\n${recorded('jest-none0')}`)).toMatch(/^jest: 1 tests passed/);
});

test('every test program of cargo counts', () => {
  expect(counts(`${recorded('cargo-fail')}\n${recorded('cargo-pass')}`)).toBe(
    'cargo test: 2 tests passed, 1 failed, 1 skipped',
  );
});

test('terminal codes and lines written over are taken out', () => {
  expect(
    cleanLines('10%\r50%\rdone\r\n\u001b[1m\u001b[31mred\u001b[0m\n\u001b]8;;http://a\u0007link'),
  ).toEqual(['done', 'red', 'link']);
});

const names = readdirSync(folder).map((name) => name.replace(/\.txt$/, ''));

test('however an output is cut, what is read is bounded and adds up', () => {
  const outputs = names.map(recorded);
  fc.assert(
    fc.property(
      fc.constantFrom(...outputs),
      fc.constantFrom(...outputs),
      fc.nat(5000),
      fc.nat(5000),
      (a, b, from, to) => {
        const results = readTestResults(a.slice(from) + b.slice(0, to));
        if (results === null) return;
        expect(totalOf(results)).toBeGreaterThanOrEqual(0);
        expect(results.failures.length).toBeLessThanOrEqual(10);
        for (const name of results.failures) expect(name.length).toBeLessThanOrEqual(200);
      },
    ),
    { numRuns: 300 },
  );
});

test('any text is read', () => {
  const piece = fc.oneof(
    fc.constantFrom(...fakes, '\n', '  ● a', 'FAIL x', 'not ok 1', '<failure '),
    fc.string(),
  );
  fc.assert(fc.property(fc.array(piece), (pieces) => void readTestResults(pieces.join('\n'))));
});

test.each([
  ['a flood of one character', 'a'],
  ['spaces', ' '],
  ['escapes that never end', '\u001b['],
  ['links that never end', '\u001b]8;;'],
  ['failures of jest', 'FAIL a\n  ● b\n'],
  ['failures of vitest', ' FAIL  a > b\n'],
  ['failures of mocha', '  1) a\n'],
  ['failures of cargo', '---- a stdout ----\n'],
  ['points of TAP', '1..9\nnot ok 1\n'],
  ['packages of go', 'FAIL\tp [build failed]\n'],
  ['tests of go in tests', '--- FAIL: a/b/c/d/e/f/g/h (0s)\n'],
])('%s by the megabyte is read in the time that its length needs', (_, piece) => {
  const output = piece.repeat(Math.ceil(6_000_000 / piece.length));
  // Quadratic work on so much would run into the limit of the test.
  expect(() => readTestResults(output)).not.toThrow();
});

test('what is left out between the ends is said, and is known again', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), fc.nat(80), fc.nat(80), (text, head, tail) => {
      const kept = keepEnds(text, head, tail);
      if (text.length <= head + tail) expect(kept).toBe(text);
      else expect(kept).toMatch(/^\[… \d+ characters were left out here …\]$/m);
      expect(kept.startsWith(text.slice(0, head))).toBe(true);
    }),
  );
});
