import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { layerOf } from '../../src/core/sizing/layers.ts';
import {
  isTooComplex,
  levelOf,
  pointsMax,
  scoreComponents,
  scoreTask,
  sizeLimits,
  sizeWarnings,
} from '../../src/core/sizing/score.ts';
import { describeScore } from '../../src/core/text/terminal/score.ts';
import { corpus, specExample, taskOf } from './score-corpus.ts';

describe('the corpus', () => {
  test.each(corpus)('$level: $title', (row) => {
    const score = scoreTask(taskOf(row));
    expect(`${score.level}\n${describeScore(score)}`).toBe(`${row.level}\n${describeScore(score)}`);
  });

  test('has at least sixty tasks, and every level', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(60);
    expect(new Set(corpus.map((row) => row.level)).size).toBe(4);
  });
});

test('the example of the specification scores 3.0, 2.0, 2.5 and 1.0, and shows its working', () => {
  const score = scoreTask(taskOf(specExample));
  expect(score.points).toEqual({
    file_scope: 3,
    cross_file_deps: 2,
    semantic_complexity: 2.5,
    requirement_uncertainty: 1,
    token_penalty: 0,
  });
  expect(score).toMatchObject({ total: 8.5, level: 'HIGH', dominant: 'cross_file_deps' });
  expect(describeScore(score)).toMatchInlineSnapshot(`
"8.5 of 13 HIGH: consider decomposition
  file_scope               3.0 of 5  6 files: src/db/retry-attempts.ts, src/services/retry-scheduler.ts, src/ui/retry-history.tsx, src/db/payments.ts, src/services/payment-service.ts, src/ui/account-page.tsx
  cross_file_deps          2.0 of 2  business layer besides the data layer 1, presentation layer besides the data layer 1
  semantic_complexity      2.5 of 3  concurrency ("async") 1, integration ("payments") 0.5, state ("retry") 0.5, time and money ("time zone") 0.5
  requirement_uncertainty  1.0 of 2  "etc" 0.5, "ideally" 0.5
  token_penalty            0.0 of 1
  largest share: cross_file_deps"
`);
});

test('levels begin at 5, 8 and 11, and only the last is not started', () => {
  expect([0, 4.9, 5, 7.9, 8, 10.9, 11, 13].map(levelOf)).toEqual([
    'LOW',
    'LOW',
    'MEDIUM',
    'MEDIUM',
    'HIGH',
    'HIGH',
    'CRITICAL',
    'CRITICAL',
  ]);
  expect(
    corpus.filter((row) => isTooComplex(scoreTask(taskOf(row)))).every((row) => row.level === 'CRITICAL'),
  ).toBe(true);
});

const bare = taskOf({ level: 'LOW', title: 'Do it', modify: 'src/a.ts', criteria: 'done' });

test('tokens are estimated from the text and the real sizes, and what is over budget gives points', () => {
  const known = scoreTask(bare, { sizes: new Map([['src/a.ts', 28_800]]) });
  expect(known.tokens).toBe(7205);
  expect(known.points.token_penalty).toBe(0.3);
  expect(scoreTask(bare).tokens).toBe(505);
  const created = { ...bare, files_to_modify: [], files_to_create: ['src/a.ts'] };
  expect(scoreTask(created).tokens).toBe(5);
  expect(scoreTask(created, { sizes: new Map([['src/a.ts', 400]]) }).tokens).toBe(105);
});

test('test files do not score, and a file that is declared twice scores once', () => {
  const more = {
    ...bare,
    files_to_create: ['./src//a.ts'],
    test_files: ['test/a.test.ts', 'test/b.test.ts'],
  };
  expect(scoreTask(more).points).toEqual(scoreTask(bare).points);
});

test('quoted lines and code are context: their words give no points', () => {
  const quoted = { ...bare, content: 'Do it.\n> an async parser\n```\nmutex\n```\nand `encrypt()` too' };
  expect(scoreTask(quoted).points.semantic_complexity).toBe(0);
  expect(scoreTask({ ...bare, content: 'an async parser' }).points.semantic_complexity).toBe(2);
});

test('words count as whole words, once a concept', () => {
  expect(scoreTask({ ...bare, content: 'the blockchain of sagacious etching' }).total).toBe(0.5);
  expect(scoreTask({ ...bare, content: 'async, parallel, concurrent' }).points.semantic_complexity).toBe(1);
});

test('no component exceeds its maximum, the total is their sum, and more files never make it easier', () => {
  const text = fc.array(fc.constantFrom(...corpus.map((row) => row.content ?? row.title)), { maxLength: 4 });
  const files = fc.uniqueArray(
    fc.constantFrom(...corpus.flatMap((row) => taskOf(row).files_to_modify ?? [])),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(text, files, fc.nat(100_000), (texts, paths, size) => {
      const sizes = new Map([['src/app.tsx', size]]);
      const task = { ...bare, content: texts.join('\n'), files_to_modify: paths };
      const score = scoreTask(task, { sizes });
      let sum = 0;
      for (const name of scoreComponents) {
        expect(score.points[name]).toBeLessThanOrEqual(pointsMax[name]);
        sum += score.points[name];
      }
      expect(score.total).toBeCloseTo(sum);
      const fewer = scoreTask({ ...task, files_to_modify: paths.slice(1) }, { sizes });
      if (paths.length > 1) expect(fewer.points.file_scope).toBeLessThanOrEqual(score.points.file_scope);
    }),
  );
});

test.each([
  ['src/db/users.ts', 'data'],
  ['app/models/user.rb', 'data'],
  ['src/UserRepository.java', 'data'],
  ['db/schema.sql', 'data'],
  ['src/components/user-service.ts', 'business'],
  ['src/domain/price.ts', 'business'],
  ['src/api/models/order.ts', 'data'],
  ['src/ui/button.ts', 'presentation'],
  ['web/app.scss', 'presentation'],
  ['src/models/user.test.ts', 'tests'],
  ['test/models/user.ts', 'tests'],
  ['config/default.yml', 'config'],
  ['.github/workflows/ci.yml', 'config'],
  ['package.json', 'config'],
  ['src/main.ts', undefined],
  ['README.md', undefined],
])('%s is of the layer %s', (path, layer) => {
  expect(layerOf(path)).toBe(layer);
});

test("a repository's own layer rules go first: a directory from the root, a file name, a word", () => {
  const own = [
    { layer: 'business', patterns: ['src/db/rules/**', 'crates/*/src'] },
    { layer: 'presentation', patterns: ['*.blade.php', 'admin'] },
  ] as const;
  const of = (path: string) => layerOf(path, own);
  expect(['src/db/rules/a.sql', 'src/db/a.sql', 'crates/x/src/lib.rs'].map(of)).toEqual([
    'business',
    'data',
    'business',
  ]);
  expect(['x/models/list.blade.php', 'src/admin/models.ts', 'src/models/admin.ts'].map(of)).toEqual([
    'presentation',
    'presentation',
    'presentation',
  ]);
});

test('soft limits warn about what is over, under both names of the criteria limit', () => {
  const many = {
    ...bare,
    files_to_create: ['a', 'b', 'c', 'd', 'e', 'f'],
    acceptance_criteria: ['1', '2', '3'],
  };
  const limits = sizeLimits({ max_criteria_per_task: 2 });
  expect(sizeWarnings(many, scoreTask(many), limits).map((w) => w.message)).toEqual([
    '#T1 has 6 files to create; up to 5 (max_files_to_create) is advised',
    '#T1 has 3 acceptance criteria; up to 2 (max_acceptance_criteria) is advised',
  ]);
  expect(sizeWarnings(bare, scoreTask(bare))).toEqual([]);
});
