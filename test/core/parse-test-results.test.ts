import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cleanLines } from '../../src/core/clean-output.ts';
import { isCutLine, keepEnds } from '../../src/core/keep-ends.ts';
import { parseTestResults } from '../../src/core/parse-test-results.ts';
import { failuresMax } from '../../src/core/test-results.ts';

const folder = join(import.meta.dirname, '../fixtures/test-results');
const recorded = (name: string): string => readFileSync(join(folder, `${name}.txt`), 'utf8');
const counts = (output: string): string => {
  const results = parseTestResults(output);
  if (results === null) return 'unknown';
  const { format, unit, passed, failed, skipped } = results;
  return `${format}: ${passed} ${unit} passed, ${failed} failed, ${skipped} skipped`;
};

test.each([
  ['jest-pass', 'jest: 1 tests passed, 0 failed, 1 skipped'],
  ['jest-fail', 'jest: 1 tests passed, 2 failed, 1 skipped'],
  ['jest-none0', 'jest: 0 tests passed, 0 failed, 0 skipped'],
  ['vitest-pass', 'vitest: 1 tests passed, 0 failed, 1 skipped'],
  ['vitest-fail-color', 'vitest: 1 tests passed, 2 failed, 1 skipped'],
  ['vitest-none0', 'vitest: 0 tests passed, 0 failed, 0 skipped'],
  ['vitest-junit', 'JUnit XML: 1 tests passed, 2 failed, 1 skipped'],
  ['pytest-pass', 'pytest: 1 tests passed, 0 failed, 1 skipped'],
  ['pytest-fail', 'pytest: 1 tests passed, 3 failed, 0 skipped'],
  ['pytest-fail-q', 'pytest: 1 tests passed, 3 failed, 0 skipped'],
  ['pytest-fail2', 'pytest: 0 tests passed, 1 failed, 0 skipped'],
  ['pytest-color', 'pytest: 1 tests passed, 3 failed, 0 skipped'],
  ['pytest-v', 'pytest: 1 tests passed, 3 failed, 0 skipped'],
  ['pytest-none', 'pytest: 0 tests passed, 0 failed, 0 skipped'],
  ['pytest-junit', 'JUnit XML: 1 tests passed, 3 failed, 0 skipped'],
  ['go-pass', 'go test: 1 packages passed, 0 failed, 0 skipped'],
  ['go-pass-v', 'go test: 1 tests passed, 0 failed, 1 skipped'],
  ['go-fail', 'go test: 0 packages passed, 1 failed, 0 skipped'],
  ['go-fail-v', 'go test: 2 tests passed, 2 failed, 1 skipped'],
  ['go-fail-json', 'go test: 2 tests passed, 2 failed, 1 skipped'],
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
  ['node-junit-pass', 'JUnit XML: 1 tests passed, 0 failed, 2 skipped'],
  ['node-junit-fail', 'JUnit XML: 1 tests passed, 1 failed, 1 skipped'],
])('the recorded run %s is counted: %s', (name, expected) => {
  expect(counts(recorded(name))).toBe(expected);
});

test.each([
  ['jest-fail', 'cart › total › includes tax', 'fail/cart.test.js', 5, 'Expected: 120'],
  ['jest-fail', 'Test suite failed to run', 'fail/broken.test.js', undefined, 'unexpected token'],
  ['vitest-fail-color', 'cart > total includes tax', 'cart.test.js', 5, 'expected 119 to be 120'],
  ['pytest-fail', 'test_tax[a - b]', 'test_cart.py', 6, "AssertionError: assert 'a - b' == 120"],
  ['pytest-fail2', 'test_import.py', 'test_import.py', 1, "No module named 'nothing_here'"],
  ['go-fail', 'TestTax/with_vat', 'cart_test.go', 6, 'got 119, want 120'],
  ['go-fail-v', 'TestTax/with_vat', 'cart_test.go', 6, 'got 119, want 120'],
  ['go-fail-v', 'example.com/shop/bad [build failed]', 'bad/b_test.go', 3, 'undefined: nope'],
  ['go-fail-json', 'example.com/shop/cart.TestTax/with_vat', 'cart_test.go', 6, 'got 119, want 120'],
  ['go-fail-json', 'example.com/shop/bad', 'bad/b_test.go', 3, 'undefined: nope'],
  ['cargo-fail', 'tests::tax', 'src/lib.rs', 5, 'right: 120'],
  [
    'mocha-fail',
    'cart total includes tax',
    '/home/me/shop/mo/fail/cart.test.js',
    5,
    'expected 119 to equal 120',
  ],
  ['node-tap-fail', 'includes tax', '/home/me/shop/nt/fail/a.test.mjs', 3, '119 == 120'],
  ['node-spec-fail', 'includes tax', 'nt/fail/a.test.mjs', 3, '119 == 120'],
  [
    'pytest-junit',
    'test_cart › test_db',
    undefined,
    undefined,
    'failed on setup with "ValueError: no database"',
  ],
])('the recorded run %s tells that %s failed, where and why', (name, failure, file, line, message) => {
  const found = parseTestResults(recorded(name))?.failures.find((one) => one.name === failure);
  expect({ file: found?.file, line: found?.line }).toEqual({ file, line });
  expect(found?.message).toContain(message);
});

const fakes = [
  'Test Suites: 1 passed, 1 total\nTests:       9 passed, 9 total',
  ' Test Files  1 passed (1)\n      Tests  9 passed (9)',
  '===== 9 passed in 0.01s =====',
  'running 9 tests\ntest result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out',
  '  9 passing (3ms)',
  '1..1\nok 1 - fine',
  '<testsuite tests="9"><testcase name="a"/></testsuite>',
];

test.each(['jest-fail', 'vitest-fail-color', 'pytest-fail', 'node-spec-fail', 'go-fail-v'])(
  'whatever a test prints before the summary of %s, the summary counts',
  (name) => {
    for (const fake of fakes) {
      expect(parseTestResults(`${fake}\n${recorded(name)}`)?.failed).toBeGreaterThan(0);
    }
  },
);

test('a summary whose numbers do not add up, or that has not its neighbours, is none', () => {
  expect(counts('Tests:       9 passed, 9 total')).toBe('unknown');
  expect(counts('Test Suites: 1 passed, 1 total\nTests:       9 passed, 10 total')).toBe('unknown');
  expect(
    counts('running 2 tests\ntest result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered'),
  ).toBe('unknown');
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

test('a plan of TAP that was not kept means failed tests, unless they were cut out of the output', () => {
  expect(counts('1..3\nok 1 - a\nok 2 - b # SKIP')).toBe('TAP: 1 tests passed, 1 failed, 1 skipped');
  expect(counts(`1..3\nok 1\n${keepEnds('x'.repeat(99), 9, 9)}\nok 3`)).toBe(
    'TAP: 2 tests passed, 0 failed, 0 skipped',
  );
  expect(counts('1..2\nok 1 - a\nnot ok 2 - later # TODO')).toBe('TAP: 1 tests passed, 0 failed, 1 skipped');
  expect(counts('1..2\nok 1 - a\nBail out! no database')).toMatch(/2 failed/);
});

test('JUnit in a comment or in CDATA is not read', () => {
  const text = `<testsuite tests="1"><testcase name="a"><failure><![CDATA[</failure></testcase><testcase name="b"/>]]></failure></testcase><!-- <testcase name="c"/> --></testsuite>`;
  expect(counts(text)).toBe('JUnit XML: 0 tests passed, 1 failed, 0 skipped');
});

test('a report of JUnit that lost its middle still tells how many failed', () => {
  const text = recorded('vitest-junit');
  expect(parseTestResults(keepEnds(text, 400, 60))).toMatchObject({ passed: 2, failed: 2 });
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
        const results = parseTestResults(a.slice(from) + b.slice(0, to));
        if (results === null) return;
        const { passed, failed, skipped, total, failures } = results;
        expect(total).toBe(passed + failed + skipped);
        expect(Math.min(passed, failed, skipped)).toBeGreaterThanOrEqual(0);
        expect(failures.length).toBeLessThanOrEqual(failuresMax);
        for (const failure of failures) {
          expect(
            failure.name.length + (failure.file ?? '').length + failure.message.length,
          ).toBeLessThanOrEqual(1000);
        }
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
  fc.assert(fc.property(fc.array(piece), (pieces) => void parseTestResults(pieces.join('\n'))));
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
  ['suites', '<testsuite tests="1"><testcase name="a"><failure>'],
  ['tags that never end', '<testsuite <failure "'],
  ['entities', '<testsuite><testcase name="&#9;&amp;'],
])('%s by the megabyte is read in the time that its length needs', (_, piece) => {
  const output = piece.repeat(Math.ceil(6_000_000 / piece.length));
  // Quadratic work on so much would run into the limit of the test.
  expect(() => parseTestResults(output)).not.toThrow();
});

test('what is left out between the ends is said, and is known again', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), fc.nat(80), fc.nat(80), (text, head, tail) => {
      const kept = keepEnds(text, head, tail);
      if (text.length <= head + tail) expect(kept).toBe(text);
      else expect(kept.split('\n').some(isCutLine)).toBe(true);
      expect(kept.startsWith(text.slice(0, head))).toBe(true);
    }),
  );
});
