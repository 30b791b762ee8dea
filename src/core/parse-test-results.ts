/**
 * What a run of tests said, from its output. The output is written by the code under test as much as by the
 * program that runs it, so it never proves success: the exit code does, and the results add to it what failed.
 *
 * 1. Each format has its parser; each is linear in the output and wants the form its program really prints.
 * 2. A summary stands at the end of a run: the last one counts, whatever a test printed before.
 * 3. Where several commands ran in turn, one that ran nothing does not hide one that did.
 */
import { cleanLines } from './clean-output.ts';
import { parseCargo } from './test-results/parse-cargo.ts';
import { parseGoJson } from './test-results/parse-go-json.ts';
import { parseGoTest } from './test-results/parse-go-test.ts';
import { parseJest } from './test-results/parse-jest.ts';
import { parseJunit } from './test-results/parse-junit.ts';
import { parseMocha } from './test-results/parse-mocha.ts';
import { parseNodeSpec } from './test-results/parse-node-spec.ts';
import { parsePytest } from './test-results/parse-pytest.ts';
import { parseTap } from './test-results/parse-tap.ts';
import { parseVitest } from './test-results/parse-vitest.ts';
import type { TestResults, TestSummary } from './test-results.ts';

const parsers: readonly ((lines: readonly string[]) => TestSummary | null)[] = [
  parseJest,
  parseVitest,
  parsePytest,
  parseGoJson,
  parseGoTest,
  parseCargo,
  parseNodeSpec,
  parseMocha,
  parseTap,
  parseJunit,
];

export function parseTestResults(output: string): TestResults | null {
  const lines = cleanLines(output);
  const found = parsers.flatMap((parse) => parse(lines) ?? []);
  const counting = found.filter(({ results }) => results.total > 0);
  const summaries = counting.length > 0 ? counting : found;
  const last = summaries.reduce<TestSummary | null>(
    (late, one) => (late === null || one.at > late.at ? one : late),
    null,
  );
  return last?.results ?? null;
}
