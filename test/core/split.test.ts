import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { buildGraph } from '../../src/core/board/graph.ts';
import type { LayerRule } from '../../src/core/sizing/layers.ts';
import { sizeLimits } from '../../src/core/sizing/score.ts';
import { type Split, splitTask } from '../../src/core/sizing/split.ts';
import { normalisePaths, type Task } from '../../src/core/task/task.ts';
import { describeSplit } from '../../src/core/text/terminal/score.ts';
import { corpus, specExample, taskOf } from './score-corpus.ts';

type Done = Extract<Split, { kind: 'split' }>;

function split(task: Task, dependents: Task[] = []): Done {
  const result = splitTask(task, dependents);
  if (result.kind === 'cannot') throw new Error(result.why);
  return result;
}

const example = taskOf(specExample);

describe('the example of the specification', () => {
  const { segments, strategy, shared } = split(example);
  const [c1, c2, c3, c4] = example.acceptance_criteria!;

  test('is split by layers into data, business and presentation, chained', () => {
    expect(strategy).toBe('layers');
    expect(shared).toEqual([]);
    expect(segments.map((s) => [s.id, s.depends_on, s.acceptance_criteria])).toEqual([
      ['T1-a', [], [c1, c3]],
      ['T1-b', ['T1-a'], [c2]],
      ['T1-c', ['T1-b'], [c4]],
    ]);
    expect(segments.map((s) => [s.files_to_create, s.files_to_modify])).toEqual([
      [['src/db/retry-attempts.ts'], ['src/db/payments.ts']],
      [['src/services/retry-scheduler.ts'], ['src/services/payment-service.ts']],
      [['src/ui/retry-history.tsx'], ['src/ui/account-page.tsx']],
    ]);
  });

  test('is printed', () => {
    expect(describeSplit('T1', split(example))).toMatchInlineSnapshot(`
"#T1 is split by layers into 3:
  #T1-a  2.0  Retry failed payments in the background (data layer) (2 files, 2 criteria)
  #T1-b  2.0  Retry failed payments in the background (business layer) (2 files, 1 criterion, after #T1-a)
  #T1-c  2.0  Retry failed payments in the background (presentation layer) (2 files, 1 criterion, after #T1-b)"
`);
    expect(segments[1]!.content).toMatchInlineSnapshot(`
"Part 2 of 3 of \`#T1\`: the business layer. Do only what the files and criteria of this part ask for.

The whole task, for context:

> A failed charge is tried again by an async job, at a good hour in the time zone of the customer. Show what happened on the account page. Ideally the delays can be changed, and we handle declined cards, expired cards etc."
`);
  });
});

test('dependents wait for the last segment, the first segment waits for what the whole waited for', () => {
  const task = { ...example, depends_on: ['T0'], budget: 10, linear_issue_id: 'ENG-1', milestone: 'M1' };
  const waiting = { ...example, id: 'T2', depends_on: ['T0', 'T1', 'T1'] };
  const { segments, repointed } = split(task, [waiting, { ...example, id: 'T3', depends_on: ['T0'] }]);
  expect(repointed).toEqual([{ id: 'T2', depends_on: ['T0', 'T1-c'] }]);
  expect(segments[0]!.depends_on).toEqual(['T0']);
  expect(segments.map((s) => [s.parent, s.budget, s.milestone, s.linear_issue_id])).toEqual(
    segments.map(() => ['T1', 3.33, 'M1', undefined]),
  );
});

test('many files in few directories are split by directory, which stay together', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const modify = ['src/x', 'src/y'].flatMap((dir) => names.map((name) => `${dir}/${name}.ts`));
  const task = { ...taskOf({ level: 'MEDIUM', title: 'Rename', criteria: 'done' }), files_to_modify: modify };
  const { segments, strategy } = split(task);
  expect(strategy).toBe('files');
  expect(segments.map((s) => s.files_to_modify)).toEqual([modify.slice(0, 6), modify.slice(6)]);
});

test('a hard and unclear task is split by criteria; a file that both parts need is shared, created once', () => {
  const task = taskOf({
    level: 'MEDIUM',
    title: 'Solver',
    content: 'An async, distributed parser with encryption. Maybe robust, somehow, etc.',
    create: 'src/solver.ts src/report.ts',
    criteria:
      'The solver runs in parallel; It retries a failed transaction; The report is encrypted; The parser says where',
  });
  const { segments, strategy, shared } = split(task);
  expect(strategy).toBe('criteria');
  expect(segments.map((s) => s.acceptance_criteria)).toEqual([
    task.acceptance_criteria!.slice(0, 2),
    task.acceptance_criteria!.slice(2),
  ]);
  expect(segments.map((s) => [s.files_to_create, s.files_to_modify])).toEqual([
    [['src/solver.ts'], []],
    [['src/report.ts'], []],
  ]);
  expect(shared).toEqual([]);
  const both = split({ ...task, files_to_create: ['src/main.ts'] });
  expect(both.shared).toEqual(['src/main.ts']);
  expect(both.segments.map((s) => [s.files_to_create, s.files_to_modify])).toEqual([
    [['src/main.ts'], []],
    [[], ['src/main.ts']],
  ]);
});

test('what cannot be split says why', () => {
  const why = (task: Task, taken?: (id: string) => boolean) => {
    const result = splitTask(task, [], taken ? { taken } : {});
    return result.kind === 'cannot' ? result.why : 'split';
  };
  expect(why({ ...example, type: 'plan' })).toBe('a task of type plan has nothing to divide');
  expect(why({ ...example, depends_on: ['T1'] })).toBe(
    'it depends on itself; a person must resolve that first',
  );
  expect(why(example, (id) => id === 'T1-b')).toBe('#T1-b exists already');
  expect(why(taskOf({ level: 'LOW', title: 'Fix typo' }))).toBe(
    'it scores 1.0, which is not above the threshold of 5.0',
  );
  const hard = 'An async, distributed parser with encryption, maybe, etc., somehow robust';
  expect(why(taskOf({ level: 'MEDIUM', title: hard, modify: 'src/a.ts' }))).toBe(
    'it scores 5.5, but no way to divide its files or criteria makes every part easier',
  );
});

const paths = corpus.flatMap((row) => [...taskOf(row).files_to_create!, ...taskOf(row).files_to_modify!]);
const phrases = corpus.flatMap((row) => [row.content ?? row.title, ...taskOf(row).acceptance_criteria!]);
const someOf = <T>(items: T[], maxLength: number) => fc.uniqueArray(fc.constantFrom(...items), { maxLength });
const anyTask = fc.record({
  title: fc.constantFrom(...corpus.map((row) => row.title)),
  content: someOf(phrases, 4).map((texts) => texts.join('\n')),
  files_to_create: someOf(paths, 12),
  files_to_modify: someOf(paths, 30),
  test_files: someOf(['test/a.test.ts', 'test/orders.test.ts', 'src/ui/app.test.tsx'], 3),
  acceptance_criteria: someOf(phrases, 9),
});
const anySizes = fc
  .array(fc.tuple(fc.constantFrom(...paths), fc.nat(60_000)), { maxLength: 12 })
  .map((pairs): ReadonlyMap<string, number> => new Map(pairs));
const anyLayers = fc.constantFrom<readonly LayerRule[]>(
  [],
  [{ layer: 'business', patterns: ['src/db', '*.tsx'] }],
  [
    { layer: 'data', patterns: ['src/ui'] },
    { layer: 'tests', patterns: ['app'] },
  ],
);

test('laws: nothing lost, nothing doubled, no cycle, every part easier, and a second split changes nothing', () => {
  let divided = 0;
  fc.assert(
    fc.property(
      anyTask,
      fc.constantFrom(3, 5, 8),
      anySizes,
      anyLayers,
      (fields, complexity_threshold, sizes, layerRules) => {
        const task: Task = { id: 'T', type: 'task', depends_on: ['before'], ...fields };
        const input = { limits: sizeLimits({ complexity_threshold }), sizes, layerRules };
        const dependent = { id: 'after', depends_on: ['T'] };
        const result = splitTask(task, [dependent], input);
        if (result.kind === 'cannot') return;
        divided++;
        const { segments, shared, score, scores, repointed } = result;
        const all = (of: (segment: Task) => string[] | undefined) => segments.flatMap((s) => of(s) ?? []);
        const files = all((s) => [...s.files_to_create!, ...s.files_to_modify!, ...s.test_files!]);
        const given = [...fields.files_to_create, ...fields.files_to_modify, ...fields.test_files];
        expect(new Set(files)).toEqual(new Set(normalisePaths(given)));
        const doubled = files.filter((file, at) => files.indexOf(file) !== at);
        expect(new Set(doubled)).toEqual(new Set(shared));
        expect(all((s) => s.files_to_create).sort()).toEqual(normalisePaths(fields.files_to_create).sort());
        expect(all((s) => s.acceptance_criteria).sort()).toEqual(fields.acceptance_criteria.toSorted());

        for (const part of scores) expect(part.total).toBeLessThan(score.total);
        const nodes = [{ ...task, closed: true }, { id: 'before', closed: false }, ...segments, ...repointed];
        const graph = buildGraph(nodes.map((node) => ({ closed: false, ...node })));
        expect([graph.cycles, graph.warnings]).toEqual([[], []]);
        expect(graph.order.filter((id) => id !== 'T')).toEqual([
          'before',
          ...segments.map((s) => s.id),
          'after',
        ]);

        for (const segment of segments) {
          expect(segment.title.length).toBeLessThanOrEqual(80);
          expect(splitTask(segment, [], input).kind).toBe('cannot');
        }
      },
    ),
    { numRuns: 150 },
  );
  expect(divided).toBeGreaterThan(50);
});

test('every task of the corpus above the threshold is split or says why not', () => {
  const kinds = corpus.map((row) => splitTask(taskOf(row), []));
  const why = kinds.flatMap((result) =>
    result.kind === 'cannot' ? [result.why.replace(/\d+\.\d/, 'x')] : [],
  );
  expect([...new Set(why)]).toEqual(['it scores x, which is not above the threshold of 5.0']);
});

test('a criterion that names a file goes with it, whatever else it speaks of', () => {
  const named = 'What payments.ts gives is shown on a page, in a list, with a message';
  const task = { ...example, acceptance_criteria: [...(example.acceptance_criteria ?? []), named] };
  const owner = split(task).segments.find((one) => one.acceptance_criteria?.includes(named));
  expect(owner?.files_to_modify).toContain('src/db/payments.ts');
});
