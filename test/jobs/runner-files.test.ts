import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { annotation, readInput, writeOutput, writeSummary } from '../../src/github/jobs/runner-files.ts';
import { createStepFiles, parseKeyValues, stepFileEnvironment } from '../github/step-files.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'gza-runner-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('the runner reads back every output as it was written', () => {
  const text = fc.string({ unit: 'binary' }).map((one) => one.replaceAll('\r', ''));
  let n = 0;
  fc.assert(
    fc.property(text, text, (one, other) => {
      n += 1;
      const files = createStepFiles(dir, String(n));
      const env = stepFileEnvironment(files);
      writeOutput(env, 'one', one);
      writeOutput(env, 'other', other);
      expect(parseKeyValues(readFileSync(files.output, 'utf8'))).toEqual({ one, other });
    }),
    { numRuns: 50 },
  );
});

test('an input is found under the name the runner gives it', () => {
  expect(readInput({ 'INPUT_AGENT-RESULT': ' success ' }, 'agent-result')).toBe('success');
  expect(readInput({}, 'agent-result')).toBe('');
});

test('a summary stays below what the runner takes', () => {
  const files = createStepFiles(dir, 'long');
  writeSummary(stepFileEnvironment(files), 'ä'.repeat(2_000_000));
  expect(readFileSync(files.summary).length).toBeLessThan(1 << 20);
});

test('no line of a message begins a command of its own', () => {
  expect(annotation('error', 'a\n::set-output name=x::y\r\n100%')).toBe(
    '::error::a%0A::set-output name=x::y%0D%0A100%25\n',
  );
});
