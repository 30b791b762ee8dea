import { expect, test } from '@jest/globals';
import { GzaError } from '../../src/core/errors.ts';
import { withinDeadline } from '../../src/system/outside.ts';

test('what never ends is ended, a loop as well as a pattern, and what is thrown or answered comes through', () => {
  const endless = [
    () => {
      for (;;);
    },
    () => /^(a+)+$/.test(`${'a'.repeat(100)}!`),
  ];
  for (const read of endless) {
    expect(() => withinDeadline('a review', read, 30)).toThrow(/^a review could not be read in 0.03 seconds/);
  }
  expect(withinDeadline('a', () => withinDeadline('b', () => [1]))).toEqual([1]);
  const error = new GzaError('input', 'no');
  expect(() =>
    withinDeadline('a', () => {
      throw error;
    }),
  ).toThrow(error);
});
