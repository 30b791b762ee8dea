import { expect, test } from '@jest/globals';
import { GzaError } from '../../src/core/errors.ts';
import type { Decision } from '../../src/core/policy/decide.ts';
import { claimEach } from '../../src/github/pick/claim-each.ts';

const ready = (task: string): Decision => ({
  task,
  rule: 'first-step',
  because: 'it was not done yet',
  change: '',
  action: { kind: 'run', step: 'implement', cycle: 0 },
});

test('one pick claims as many lanes as a matrix has jobs, whatever fails among them, and says how many wait', async () => {
  const tasks = Array.from({ length: 300 }, (_, n) => `task-${n}`);
  const tried: string[] = [];
  const warned: string[] = [];
  const claim = async ({ task }: Decision) => {
    tried.push(task);
    if (task === 'task-3') throw new GzaError('world', 'its branch is taken');
    return task === 'task-5' ? null : { task, claim: `claim-${task}`, keys: [] };
  };
  const claimed = await claimEach(tasks.map(ready), claim, (line) => void warned.push(line));
  expect([claimed.length, tried.length]).toEqual([256, 258]);
  expect(warned).toEqual([
    'task-3: its branch is taken',
    '256 lanes start, as many as one run may have; 42 wait for the next.',
  ]);
});
