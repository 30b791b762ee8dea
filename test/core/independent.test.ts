import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { normalisePath } from '../../src/core/declared-files.ts';
import { independent, pickBatch } from '../../src/core/independent.ts';

test('tasks are independent when no declared file is the same, however it is written', () => {
  const a = { files_to_create: ['./src/a.ts'], files_to_modify: ['src//b.ts'] };
  expect(independent(a, { files_to_modify: ['src/x/../b.ts'] })).toBe(false);
  expect(independent(a, { files_to_modify: ['src/c.ts'] })).toBe(true);
  expect(independent({}, {})).toBe(true);
});

test('a batch leaves out what overlaps, and says with whom and where', () => {
  const candidates = [
    { id: 't1', files_to_modify: ['a'] },
    { id: 't2', files_to_modify: ['b'] },
    { id: 't3', files_to_create: ['./b', 'c'] },
    { id: 't4' },
    { id: 't5', files_to_modify: ['c'] },
    { id: 't6' },
  ];
  const { picked, held } = pickBatch(candidates, [{ id: 't0', files: ['./a'] }, { id: 'bare' }], 3);
  expect(picked.map((t) => t.id)).toEqual(['t2', 't4', 't5']);
  expect(held).toEqual([
    { id: 't1', by: 't0', file: 'a' },
    { id: 't3', by: 't2', file: 'b' },
  ]);
  expect(pickBatch(candidates, [], 0)).toEqual({ picked: [], held: [] });
});

const files = fc.array(fc.constantFrom('a', './a', 'b', 'x//c', 'x/c', 'd'), { maxLength: 3 });
const tasks = fc
  .array(fc.record({ files_to_create: files, files_to_modify: files }), { maxLength: 8 })
  .map((list) => list.map((task, i) => ({ id: `t${i}`, ...task })));

test('members of a batch are independent of each other, and each one held overlaps the one named', () => {
  fc.assert(
    fc.property(tasks, fc.nat(8), (candidates, max) => {
      const { picked, held } = pickBatch(candidates, [], max);
      expect(picked.length).toBeLessThanOrEqual(max);
      for (const a of picked) for (const b of picked) if (a !== b) expect(independent(a, b)).toBe(true);
      const byId = new Map(candidates.map((task) => [task.id, task]));
      for (const { id, by } of held) expect(independent(byId.get(id)!, byId.get(by)!)).toBe(false);
    }),
  );
});

test('independence is symmetric', () => {
  fc.assert(
    fc.property(tasks, (list) => {
      for (const a of list) for (const b of list) expect(independent(a, b)).toBe(independent(b, a));
    }),
  );
});

test('normalising a path twice changes nothing more', () => {
  const path = fc.string({ unit: fc.constantFrom('a', '.', '/', ' ', 'é'), maxLength: 12 });
  fc.assert(fc.property(path, (p) => expect(normalisePath(normalisePath(p))).toBe(normalisePath(p))));
});
