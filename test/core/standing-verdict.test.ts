import { expect, test } from '@jest/globals';
import type { StepRecord, TaskRecord } from '../../src/core/ledger/record/record.ts';
import { isChangedSince } from '../../src/core/policy/steps-so-far.ts';
import { taskRow } from '../../src/core/task/task-json.ts';
import { fitBoardIssue } from '../../src/core/text/github/board-issue.ts';
import { pullLabels } from '../../src/core/text/github/pull-story.ts';
import { plain } from '../../src/core/text/terminal/lines.ts';
import { statusText } from '../../src/core/text/terminal/lists.ts';
import { showText } from '../../src/core/text/terminal/outline.ts';
import { slimRecord } from '../../src/ledger/view.ts';
import { reportOf } from './report-world.ts';
import { board, type Given, viewOf } from './world.ts';

const at = (hour: number) => `2026-01-02T${String(hour).padStart(2, '0')}:00:00Z`;
const step = (name: StepRecord['step'], hour: number, fields: Partial<StepRecord> = {}): StepRecord => ({
  step: name,
  outcome: 'ok',
  started_at: at(hour),
  ended_at: at(hour),
  ...fields,
});

const loop = [step('implement', 1, { diff: 'a' }), step('review', 2, { diff: 'a', verdict: 'APPROVED' })];
const unapproved = [
  step('implement', 1, { diff: 'a' }),
  step('review', 2, { diff: 'a', verdict: 'CHANGES_REQUESTED' }),
];
const improved = step('improve', 5, { diff: 'b' });
const byHand = { verdict_by: 'ann' };

const given = (steps: StepRecord[], fields: Partial<TaskRecord> = {}): Given => ({
  id: 'a',
  closed_at: at(3),
  closed_as: 'done',
  final_verdict: 'APPROVED',
  review_cycle: 1,
  steps,
  ...fields,
});

test.each<[string, StepRecord[], Partial<TaskRecord>, boolean]>([
  ['approved', loop, {}, false],
  ['approved and improved', [...loop, improved], {}, true],
  ['improved in vain', [...loop, step('improve', 5, { diff: 'a' })], {}, false],
  ['an improve that failed', [...loop, step('improve', 5, { outcome: 'failed' })], {}, false],
  ['improved and approved again', [...loop, improved, step('review', 6, { verdict: 'APPROVED' })], {}, false],
  ['improved and put back', [...loop, improved, step('improve', 6, { diff: 'a' })], {}, false],
  ['approved by hand', [...unapproved, step('improve', 2, { diff: 'b' })], byHand, false],
  ['approved by hand, then improved', [...unapproved, improved], byHand, true],
  ['improved, then approved by hand', [...unapproved, improved], { ...byHand, approved_at: at(6) }, false],
  ['by hand, its checks ran again', [...unapproved, step('implement', 5, { diff: 'a' })], byHand, false],
  ['not approved', [...unapproved, improved], { final_verdict: 'MAX_CYCLES_REACHED' }, false],
])('whether what was done since changed what the verdict speaks of: %s', (_name, steps, fields, changed) => {
  const record = { type: 'implement', title: 't', content: 'c', created_at: at(0), ...given(steps, fields) };
  expect(isChangedSince(record as TaskRecord)).toBe(changed);
  // Lists know it too.
  expect(isChangedSince(slimRecord(record as TaskRecord))).toBe(changed);
});

test('a branch on which a task without a verdict worked last is not labelled as approved', () => {
  const second = (fields: Partial<TaskRecord>) => ({ ...given([improved], fields), id: 'b' });
  const labelled = (b: Given) => {
    const made = board([given(loop), b]);
    return pullLabels([viewOf(made, 'a'), viewOf(made, 'b')])[1];
  };
  const { final_verdict: _none, ...unjudged } = second({});
  expect(labelled(unjudged)).toBe('gza: done');
  expect(labelled(second({}))).toBe('gza: approved');
  expect(labelled({ ...unjudged, steps: [improved, step('review', 6, { verdict: 'APPROVED' })] })).toBe(
    'gza: approved',
  );
});

test('status, show, board, report, labels and JSON agree that nobody approved what it is now', () => {
  const of = (steps: StepRecord[]) => {
    const made = board([given(steps)]);
    const view = viewOf(made, 'a');
    return [
      statusText(null, [view], { style: plain, cyclesMax: () => 3, waits: () => null }),
      showText(view, null),
      fitBoardIssue('', { board: made, decisions: [] })?.body ?? '',
      pullLabels([view]).join(' '),
      JSON.stringify(taskRow(view)),
      JSON.stringify(reportOf([given(steps)]).tasks),
    ].map((text) => [/APPROVED|approved/.test(text), text.includes('not reviewed since it changed')]);
  };
  expect(of(loop)).toEqual(Array.from({ length: 6 }, () => [true, false]));
  const said = [false, true];
  // The label and JSON have a word of their own for it: `done` and null.
  expect(of([...loop, improved])).toEqual([said, said, said, [false, false], [false, false], said]);
});
