import { expect, test } from '@jest/globals';
import { sameErrorTimes } from '../../src/core/policy/retry-strategy.ts';

test('an error is the same when only numbers, times and addresses differ', () => {
  expect(sameErrorTimes([])).toBe(0);
  expect(sameErrorTimes(['x failed'])).toBe(1);
  expect(sameErrorTimes(['x failed after 12 s at 0xff', 'y failed', 'X failed  after 1.5 s at 0xa0'])).toBe(
    2,
  );
});
