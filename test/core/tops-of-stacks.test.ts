import { expect, test } from '@jest/globals';
import { topsOfStacks } from '../../src/core/board/tops-of-stacks.ts';

const on: Readonly<Record<string, string[]>> = { b: ['a'], c: ['b'], x: ['y'], y: ['x'], j: ['b', 'd'] };
const tops = (...branches: string[]) => topsOfStacks(branches, (branch) => on[branch] ?? []);

test('a branch that another one is built on, near or far, is not built on twice', () => {
  expect(tops('c', 'a')).toEqual(['c']);
  expect(tops('a', 'b', 'b')).toEqual(['b']);
  expect(tops('c', 'd')).toEqual(['c', 'd']);
  expect(tops('a')).toEqual(['a']);
  expect(tops('a', 'd', 'j', 'e')).toEqual(['j', 'e']);
});

test('a circle in what was recorded ends', () => {
  expect(tops('x', 'c')).toEqual(['x', 'c']);
});
