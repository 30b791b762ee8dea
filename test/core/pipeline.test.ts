/** The model of the pipeline in bench/: what it promises, and that its numbers cannot be better than possible. */
import { describe, expect, test } from '@jest/globals';

interface Played {
  readonly end: number;
  readonly bound: number;
  readonly jobs: number;
  readonly minutes: number;
}
type Play = (changes?: Readonly<Record<string, number>>) => Played;

// @ts-expect-error A script of bench/, without types of its own.
const { play, goal } = (await import('../../bench/pipeline.mjs')) as { play: Play; goal: number };

describe('the model of the pipeline', () => {
  test('the middle of many backlogs is approved within the goal', () => {
    const ratios = Array.from({ length: 200 }, (_, seed) => play({ seed }))
      .map(({ end, bound }) => end / bound)
      .sort((a, b) => a - b);
    expect(ratios[100]).toBeLessThanOrEqual(goal);
  });

  test('no number of workers is faster than the least time', () => {
    for (const workers of [1, 2, 20])
      for (let seed = 0; seed < 50; seed++) {
        const { end, bound } = play({ seed, workers });
        expect(end).toBeGreaterThan(bound);
      }
  });

  test('one task that is approved at once takes a pick and the five jobs of a cycle', () => {
    const { jobs, minutes } = play({ tasks: 1, approved: 1, spread: 0 });
    expect({ jobs, minutes }).toEqual({ jobs: 6, minutes: 1 + 16 + 4 + 1 + 5 + 1 });
  });
});
