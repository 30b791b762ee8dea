import { expect, test } from '@jest/globals';
import type { Event } from '../../src/core/ledger/event.ts';
import { stepOutcomes } from '../../src/core/ledger/record/record.ts';
import type { OpenCommand } from '../../src/core/policy/decide.ts';
import { askAgain, isUnanswered, leftoverJobs } from '../../src/github/pick/claims.ts';

const at = '2026-11-18T10:00:00Z';
const wish: OpenCommand = { step: 'improve', guidance: 'say it in kilos', by: 'walter' };
const marked = (events: readonly Event[]) =>
  events.map((event) => (event.kind === 'mark' ? [event.name, event.value] : []));
const of = (marks: Record<string, string>, dead: readonly string[]) =>
  marked(leftoverJobs({ v: 1, branch: 'main', lane: 'l', base: true, marks }, new Set(dead), at));
const commit = 'a'.repeat(40);
const job = (answers: OpenCommand) =>
  JSON.stringify({
    id: 'a',
    step: 'improve',
    cycle: 1,
    agent: 'claude',
    timeoutMinutes: 30,
    lane: null,
    base: { branch: 'main', commit },
    claim: 'c1',
    wish: answers,
  });

test('what a dead claim answered is asked for again; what was stopped is not', () => {
  const marks = { 'job:c1': job(wish) };
  expect(of(marks, ['c1'])).toEqual([
    ['job:c1', null],
    ['command:a', JSON.stringify({ ...wish, tries: 1 })],
  ]);
  expect(of(marks, [])).toEqual([['job:c1', null]]);
});

test('a step that ends its machine each time is not begun for ever, and a newer wish wins', () => {
  expect(of({ 'job:c1': job({ ...wish, tries: 2 }) }, ['c1'])).toEqual([['job:c1', null]]);
  const marks = { 'job:c1': job(wish), 'command:a': JSON.stringify(wish) };
  expect(of(marks, ['c1'])).toEqual([['job:c1', null]]);
  expect(of({ 'job:c1': 'no JSON', other: 'x' }, ['c1'])).toEqual([['job:c1', null]]);
});

test('a usage limit spends fewer of its tries than a failure, and who stopped a task is not overruled', () => {
  const again = (tries: number, outcome: 'limit' | 'failed') =>
    marked(askAgain('a', { ...wish, tries }, { marks: {}, outcome, at })).map(([name]) => name);
  expect(again(2, 'limit')).toEqual(['command:a']);
  expect(again(2, 'failed')).toEqual([]);
  expect(again(9, 'limit')).toEqual([]);
  expect(stepOutcomes.filter((outcome) => isUnanswered({ outcome }, false))).toEqual([
    'failed',
    'slice',
    'limit',
    'cancelled',
    'lost',
  ]);
  expect(isUnanswered({ outcome: 'failed' }, true)).toBe(false);
});
