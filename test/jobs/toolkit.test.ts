import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { openToolkit } from '../../src/action/toolkit.ts';
import {
  createStepFiles,
  parseKeyValues,
  type StepFiles,
  stepFileEnvironment,
} from '../github/step-files.ts';

/** The toolkit keeps the name of the summary's file as long as a process runs. */
const dir = mkdtempSync(join(tmpdir(), 'gza-runner-'));
let files: StepFiles;
let printed: string[];
const before = { ...process.env };
beforeEach(() => {
  mkdirSync(dir, { recursive: true });
  files = createStepFiles(dir, '1');
  printed = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
});
afterEach(() => {
  jest.restoreAllMocks();
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  rmSync(dir, { recursive: true, force: true });
});

const openWith = (env: Readonly<Record<string, string>> = {}) => {
  Object.assign(process.env, stepFileEnvironment(files), env);
  return openToolkit();
};

test('the runner reads back every output as it was written', () => {
  const { output } = openWith();
  const text = fc.string({ unit: 'binary' }).map((one) => one.replaceAll('\r', ''));
  fc.assert(
    fc.property(text, text, (one, other) => {
      output('one', one);
      output('other', other);
      expect(parseKeyValues(readFileSync(files.output, 'utf8'))).toEqual({ one, other });
    }),
    { numRuns: 50 },
  );
  expect(() => output('large', 'x'.repeat(400_001))).toThrow(
    'large has 400001 characters; 400000 is the limit',
  );
});

test('inputs, outputs and the summary work, and no program that is started meanwhile finds them or what is the runner’s', async () => {
  const secret = 'of-the-runner';
  const toolkit = openWith({ 'INPUT_AGENT-RESULT': ` ${secret} `, ACTIONS_RUNTIME_TOKEN: secret });
  const found: string[] = [];
  const look = () => {
    const { stdout } = spawnSync('env', { env: process.env, encoding: 'utf8' });
    found.push(...stdout.split('\n').filter((line) => line.includes(secret) || line.includes(dir)));
  };
  look();
  expect([toolkit.input('agent-result'), toolkit.input('no-such')]).toEqual([secret, '']);
  look();
  toolkit.output('name', 'value');
  look();
  toolkit.summary('one');
  toolkit.summary('other');
  const written = toolkit.writeSummary();
  look();
  await written;
  look();
  expect(found).toEqual([]);
  expect(parseKeyValues(readFileSync(files.output, 'utf8'))).toEqual({ name: 'value' });
  expect(readFileSync(files.summary, 'utf8')).toBe('one\nother\n');
});

test('a summary stays below what the runner takes, and says that it was cut', async () => {
  const toolkit = openWith();
  for (let n = 0; n < 4; n += 1) toolkit.summary('ä'.repeat(500_000));
  await toolkit.writeSummary();
  const text = readFileSync(files.summary);
  expect(text.length).toBeLessThan(1 << 20);
  expect(text.subarray(-14).toString()).toContain('(cut here)');
});

test('a file that something removed is made again; where that cannot be, an output fails in words and a summary warns', async () => {
  const toolkit = openWith();
  const writeAll = async () => {
    toolkit.summary('text');
    await toolkit.writeSummary();
    toolkit.output('name', 'value');
  };
  for (const file of [files.output, files.summary]) rmSync(file);
  await writeAll();
  expect([files.output, files.summary].map(existsSync)).toEqual([true, true]);
  rmSync(dir, { recursive: true });
  await expect(writeAll()).rejects.toThrow(
    `the runner's file for outputs cannot be written: ${files.output}`,
  );
  expect(printed).toEqual([
    `::warning::the runner's file for the summary cannot be written: ${files.summary}\n`,
  ]);
});

test('outside of a step nothing is written or printed', async () => {
  const toolkit = openToolkit();
  toolkit.output('name', 'value');
  toolkit.summary('text');
  await toolkit.writeSummary();
  expect(printed).toEqual([]);
});

test('no line of a message begins a command of its own', () => {
  const { error, warn, mask } = openWith();
  for (const print of [error, warn, mask]) print('a\n::set-output name=x::y\r\n100%');
  const text = 'a%0A::set-output name=x::y%0D%0A100%25\n';
  expect(printed).toEqual([`::error::${text}`, `::warning::${text}`, `::add-mask::${text}`]);
});
