import { expect, test } from '@jest/globals';
import { deriveMilestones, type MilestoneMember } from '../../src/core/task/task.ts';

const derived = (...statuses: MilestoneMember['status'][]) =>
  deriveMilestones(
    statuses.map((status, i) => ({ id: `t${i}`, milestone: 'M', status })),
    [{ id: 'M' }],
  )[0]!.status;

test('a milestone is failed, else completed when all are, else in progress when any started, else pending', () => {
  expect(derived('completed', 'in_progress', 'failed')).toBe('failed');
  expect(derived('completed', 'skipped')).toBe('completed');
  expect(derived('completed', 'pending')).toBe('in_progress');
  expect(derived('blocked', 'in_progress')).toBe('in_progress');
  expect(derived('pending', 'blocked', 'skipped')).toBe('pending');
  expect(derived()).toBe('pending');
});

test('milestones stand in configured order, then natural order, with their counts; blocked counts as pending', () => {
  const summaries = deriveMilestones(
    [
      { id: 'a', milestone: 'M10', status: 'pending' },
      { id: 'b', milestone: 'M2', status: 'completed' },
      { id: 'c', milestone: 'M2', status: 'blocked' },
      { id: 'd', status: 'failed' },
    ],
    [{ id: 'launch', name: 'Launch' }],
  );
  expect(summaries.map((m) => m.id)).toEqual(['launch', 'M2', 'M10']);
  expect(summaries[0]).toMatchObject({ name: 'Launch', total: 0, status: 'pending' });
  expect(summaries[1]).toMatchObject({
    total: 2,
    completed: 1,
    pending: 1,
    task_ids: ['b', 'c'],
    status: 'in_progress',
  });
});
