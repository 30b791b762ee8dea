import { expect, test } from '@jest/globals';
import { decideTask } from '../../src/core/policy/decide.ts';
import { readinessOf } from '../../src/core/policy/readiness.ts';
import { board, claim, did, earlier, type FactFields, factsOf, type Given, later, viewOf } from './world.ts';

const open: Given = { id: 'a' };

function standing(given: readonly Given[], facts: FactFields = {}, id = 'a') {
  const made = board(given, { claims: facts.board?.claims ?? [] });
  const { isReady, waits } = readinessOf(factsOf(made, facts));
  const view = viewOf(made, id);
  return { ready: isReady(view), waits: waits(view)?.rule ?? null };
}

test('what a rule holds back is not ready, and says what gza why says', () => {
  const made = board([{ ...open, not_before: later }]);
  const facts = factsOf(made);
  const view = viewOf(made, 'a');
  expect(readinessOf(facts).waits(view)).toEqual(decideTask(view, facts));
});

test('what was put off, whose agents met a limit, or whose budget is spent waits', () => {
  expect(standing([{ ...open, not_before: later }]).waits).toBe('not-before');
  expect(standing([open], { limits: { claude: later }, settings: { agents: ['claude'] } }).waits).toBe(
    'agent-limit',
  );
  expect(standing([open], { dollarsLeft: 0 }).waits).toBe('budget');
});

test('its turn, its holder, or a claim that ran out does not make it less ready', () => {
  const ready = { ready: true, waits: null };
  expect(standing([open])).toEqual(ready);
  expect(standing([open], { parallelWorkers: 0 })).toEqual(ready);
  expect(standing([{ ...open, assigned_agent: 'ann' }])).toEqual(ready);
  const made = board([open], { claims: [claim('a', { until: earlier })] });
  expect(readinessOf(factsOf(made)).isReady(viewOf(made, 'a'))).toBe(true);
});

test('what is blocked, begun, closed, or has subtasks is neither', () => {
  const neither = { ready: false, waits: null };
  const others: Given[] = [{ id: 'b', depends_on: ['a'] }];
  expect(standing([open, ...others], {}, 'b')).toEqual(neither);
  expect(standing([{ ...open, steps: [did('implement')] }])).toEqual(neither);
  expect(standing([{ ...open, closed_at: earlier, closed_as: 'done' }])).toEqual(neither);
  expect(standing([open, { id: 'c', parent: 'a' }])).toEqual(neither);
});
