import { expect, test } from '@jest/globals';
import { stepOutcomes } from '../../src/core/ledger/record/record.ts';
import { begunCommand, commandAgain, isUnanswered } from '../../src/github/pick/asked-steps.ts';
import { leftoverMarks } from '../../src/github/pick/leftover-marks.ts';

const at = '2026-11-18T10:00:00Z';
const command = JSON.stringify({ step: 'improve', guidance: 'say it in kilos', by: 'walter' });
const meta = (marks: Record<string, string>) =>
  ({ v: 1, branch: 'main', lane: 'l', base: true, marks }) as const;
const of = (marks: Record<string, string>, dead: readonly string[]) =>
  leftoverMarks(meta(marks), new Set(dead), at).map((event) =>
    event.kind === 'mark' ? [event.name, event.value] : [],
  );

test('what a dead claim answered is asked for again; what was stopped is not', () => {
  const marks = { 'job:c1': '{}', 'begun:c1': begunCommand('a', command) };
  expect(of(marks, ['c1'])).toEqual([
    ['job:c1', null],
    ['begun:c1', null],
    ['command:a', JSON.stringify({ ...JSON.parse(command), tries: 1 })],
  ]);
  expect(of(marks, [])).toEqual([
    ['job:c1', null],
    ['begun:c1', null],
  ]);
});

test('a step that ends its machine each time is not begun for ever, and a newer wish wins', () => {
  const tried = JSON.stringify({ ...JSON.parse(command), tries: 2 });
  expect(of({ 'begun:c1': begunCommand('a', tried) }, ['c1'])).toEqual([['begun:c1', null]]);
  const marks = { 'begun:c1': begunCommand('a', command), 'command:a': command };
  expect(of(marks, ['c1'])).toEqual([['begun:c1', null]]);
  expect(of({ 'begun:c1': 'no JSON', other: 'x' }, ['c1'])).toEqual([['begun:c1', null]]);
});

test('a usage limit spends fewer of its tries than a failure, and who stopped a task is not overruled', () => {
  const tried = begunCommand('a', JSON.stringify({ ...JSON.parse(command), tries: 2 }));
  expect(commandAgain(tried, {}, 'limit')).toMatchObject({ name: 'command:a' });
  expect(commandAgain(tried, {}, 'failed')).toBeNull();
  const often = begunCommand('a', JSON.stringify({ ...JSON.parse(command), tries: 9 }));
  expect(commandAgain(often, {}, 'limit')).toBeNull();
  expect(stepOutcomes.filter((outcome) => isUnanswered({ outcome }, false))).toEqual([
    'failed',
    'slice',
    'limit',
    'cancelled',
    'lost',
  ]);
  expect(isUnanswered({ outcome: 'failed' }, true)).toBe(false);
});
