import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { editDistance, nearestWord } from '../../src/core/arguments/nearest-word.ts';
import { branchNameFault, idFrom, taskIdPattern } from '../../src/core/task/task.ts';

test('the nearest word is found, and none when none is near', () => {
  const words = ['depends_on', 'title', 'priority', 'prompt', 'status'];
  const near = ['depend_on', 'dependsOn', 'tilte', 'prority', 'STATUS', 'xyz', '', 'promt'].map((word) =>
    nearestWord(word, words),
  );
  expect(near).toEqual(['depends_on', 'depends_on', 'title', 'priority', 'status', null, null, 'prompt']);
});

test('the distance of words is a distance', () => {
  expect(editDistance('ab', 'ba')).toBe(1);
  const text = fc.string({ maxLength: 8, unit: fc.constantFrom('a', 'b', 'c') });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b) === 0).toBe(a === b);
      expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});

test('ids are kept to what is safe as a branch, a file and an argument', () => {
  const good = ['a', 'T1', 'T2-a', 'task-a3f8', '007', 'a.b_c', 'x'.repeat(64), '_'];
  const bad = ['', '-a', '.a', 'a.', 'a..b', 'a/b', 'a b', 'x'.repeat(65), 'a.lock', 'é', '..', 'a\n'];
  for (const id of good) expect([id, taskIdPattern.test(id)]).toEqual([id, true]);
  for (const id of bad) expect([id, taskIdPattern.test(id)]).toEqual([id, false]);
  for (const id of good) expect(branchNameFault(`gza/${id}`)).toBeNull();
});

test('an id can be made from a title', () => {
  expect(['Add a login page', 'Über: ./x..y', '...', '-- rm -rf'].map(idFrom)).toEqual([
    'Add-a-login-page',
    'Uber-.-x.y',
    null,
    'rm--rf',
  ]);
  fc.assert(fc.property(fc.string(), (text) => idFrom(text) === null || taskIdPattern.test(idFrom(text)!)));
});
