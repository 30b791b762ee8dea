/** How many source files one task enters, and one improve on GitHub: what a stranger who follows them reads at most. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, jest, test } from '@jest/globals';
import { config, openStage, removeProduct, task } from './stage.ts';

jest.setTimeout(600_000);

const top = mkdtempSync(join(tmpdir(), 'gza-entered-'));
afterAll(() => {
  rmSync(top, { recursive: true, force: true });
  removeProduct();
});

function entered(...words: readonly string[]): readonly string[] {
  const bench = join(import.meta.dirname, '../../bench/entered.mjs');
  return JSON.parse(execFileSync(process.execPath, [bench, ...words], { encoding: 'utf8' })) as string[];
}

test('one task, from its words to its approval, enters at most 124 files', () => {
  const files = entered('--json');
  expect({ files, isWithin: files.length <= 124 }).toEqual({ files, isWithin: true });
});

test('an improve that a person asks for on GitHub enters at most 164 files', async () => {
  const stage = await openStage({ 'gza.yaml': `${config}task_types:\n  implement: { auto_review: true }\n` });
  const { github } = stage;
  try {
    await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
    await stage.play();
    const { number = 0 } = github.state.issues.find(({ pull }) => pull) ?? {};
    await github.as('walter').comment(number, '/gza improve say it in kilos');
    const coverage = join(top, 'coverage');
    const { runs } = await stage.play({ inProcess: false, env: { NODE_V8_COVERAGE: coverage } });
    expect(runs.map(({ conclusion }) => conclusion)).toEqual(runs.map(() => 'success'));
    const files = entered('--coverage', coverage, '--bundle', join(stage.product, 'dist', 'index.js'));
    // The bench asks for the names.
    const kept = process.env['GZA_ENTERED'];
    if (kept !== undefined) writeFileSync(kept, JSON.stringify(files));
    expect({ files, isWithin: files.length <= 164 }).toEqual({ files, isWithin: true });
  } finally {
    await github.close();
  }
});
