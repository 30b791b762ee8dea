import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { layerRulesOf } from '../../src/core/sizing/layers.ts';
import { isPastComplexity, mayBeTooComplex, scoreTask, tooComplexText } from '../../src/core/sizing/score.ts';
import { addTasksText } from '../../src/core/spool/add-tasks-text.ts';
import { parseTaskFile } from '../../src/core/task/parse-task-file.ts';
import type { Task } from '../../src/core/task/task.ts';
import { taskFileText } from '../../src/core/task/task-file-text.ts';
import { corpus, specExample, taskOf } from './score-corpus.ts';

const words = fc
  .string({ unit: fc.constantFrom(...'abz09 :#-\'"{}[]&*!|>%@`?,é漢…'), minLength: 1, maxLength: 60 })
  .map((text) => text.trim())
  .filter((text) => text !== '');
const paths = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8}){0,2}\.ts$/), { maxLength: 4 });
const tasks: fc.Arbitrary<Task[]> = fc
  .array(
    fc.record({
      title: words,
      content: fc.array(words, { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n\n')),
      type: fc.constantFrom('task' as const, 'implement' as const),
      acceptance_criteria: fc.array(words, { minLength: 1, maxLength: 3 }),
      files_to_modify: paths.filter((list) => list.length > 0),
      milestone: fc.constantFrom('M1', 'M2'),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((list) => list.map((task, at) => ({ id: `t${at}`, ...task })));

describe('task files that are written', () => {
  test('read as what was written, whole or added to a file that has comments', () => {
    const read = (text: string) => {
      const { tasks: found, problems } = parseTaskFile('tasks/x.yml', text);
      expect(problems).toEqual([]);
      return found.map(({ task }) => task);
    };
    fc.assert(
      fc.property(tasks, (list) => {
        const milestones = [{ id: 'M1', name: 'First: things' }];
        const text = taskFileText({ about: ['x\ny: z'], shared: { group: 'g' }, tasks: list, milestones });
        const grouped = list.map((task) => ({ ...task, group: 'g' }));
        expect(read(text)).toEqual(grouped);
        const first = 'group: g\ntasks:\n- id: first # one\n  title: First\n# the end\n';
        const added = addTasksText('tasks/x.yml', first, list, milestones);
        expect(read(added).slice(1)).toEqual(grouped);
        expect(added).toContain('- id: first # one\n');
        expect(added).toContain('# the end\n');
      }),
      { numRuns: 150 },
    );
  });
});

describe('what may not start unasked', () => {
  test('is never ruled out by its files alone when its whole text makes it critical', () => {
    for (const row of [...corpus, specExample]) {
      const task = taskOf(row);
      if (tooComplexText(scoreTask(task)) !== null) expect(mayBeTooComplex(task, {})).toBe(true);
    }
  });

  test('a task without files is never critical, whatever it says', () => {
    const content = 'async algorithm consensus parser encryption migration etc. maybe somehow';
    const task = taskOf({ level: 'CRITICAL', title: 'All', content, modify: '' } as never);
    expect(mayBeTooComplex({ ...task, files_to_create: [], files_to_modify: [] }, {})).toBe(false);
  });

  test("a person's word is past it, and so is what has begun", () => {
    const record = { ...taskOf(specExample), created_at: 'x' };
    expect(isPastComplexity(null)).toBe(false);
    expect(isPastComplexity({ ...record, approved_at: 'y' })).toBe(true);
    expect(isPastComplexity({ ...record, started_at: 'y' })).toBe(true);
  });
});

test('layers with names of their own take their places from the lowest up', () => {
  const rules = layerRulesOf({ schema: ['a/**'], rules: ['b/**'], tests: ['t/**'], screens: ['c/**'] });
  expect(rules.map(({ layer }) => layer)).toEqual(['data', 'business', 'tests', 'presentation']);
});
