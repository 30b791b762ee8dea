import { expect, test } from '@jest/globals';
import { lanesOf } from '../../src/core/board/blockers.ts';
import { board } from './world.ts';

const on: Readonly<Record<string, string[]>> = { b: ['a'], c: ['b'], x: ['y'], y: ['x'], j: ['b', 'd'] };
const lane = (branch: string) => {
  const [stacked_on, ...more] = on[branch] ?? [];
  const joins = more.length > 0 ? { stacked_on: `gza/on/${branch}`, joins: on[branch] } : { stacked_on };
  return { id: branch, lane: { id: `lane-${branch}`, branch, ...(stacked_on ? joins : {}) } };
};
const merged = {
  id: 'm',
  merged_at: '2026-01-01T00:00:00Z',
  lane: { ...lane('m').lane, folded_at: '2026-01-01T00:00:00Z' },
};
const dropped = { id: 'n', lane: { ...lane('n').lane, folded_at: '2026-01-01T00:00:00Z' } };
const lanes = lanesOf(
  board([...['a', 'b', 'c', 'd', 'e', 'j', 'x', 'y'].map(lane), merged, dropped] as never).views,
);
const tops = (...branches: string[]) => lanes.tops(branches);

test('what became of a lane, and how high it stands, is told', () => {
  expect(['a', 'm', 'n', 'nobody'].map((one) => lanes.end(one))).toEqual([null, 'merged', 'dropped', null]);
  expect(['a', 'c', 'j', 'x'].map((one) => lanes.stack(one).size)).toEqual([1, 3, 4, 2]);
});

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
