import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  blockedReason,
  parseSpool,
  provisionalId,
  type SpoolOptions,
  spoolBytesMax,
  spoolLinesMax,
} from '../../src/core/spool/spool.ts';
import { printSpoolLine, readSpoolLine, type SpoolLine } from '../../src/core/spool/spool-line.ts';

const options: SpoolOptions = {
  runTask: 'task-run1',
  laneTasks: new Set(['task-run1', 'task-lane']),
  checklist: new Set(['task-item']),
  idsKnown: new Set(['task-run1', 'task-lane', 'task-item', 'task-far1', 'task-dead']),
  capLeft: 5,
};

const lines = (...values: readonly unknown[]) =>
  values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n');

test('what an agent files, notes and ends during its run', () => {
  const text = lines(
    { kind: 'add', content: 'Rename the helper', after: ['task-run1'], ref: 'task-00a1' },
    { kind: 'add', content: 'Then its tests', after: ['task-00a1', 'task-00a1'], ref: 'task-00a2' },
    { kind: 'add', content: 'Write the parser', after: [], ref: 'task-00a3', parent: 'task-run1' },
    { kind: 'note', id: 'task-00a1', text: 'seen in three places' },
    { kind: 'done', id: 'task-00a3' },
    { kind: 'done', id: 'task-item' },
    { kind: 'done', id: 'task-run1', note: 'all tests pass' },
  );
  expect(parseSpool(`${text}\n`, options)).toEqual({
    adds: [
      { id: 'task-00a1', ref: 'task-00a1', content: 'Rename the helper', after: ['task-run1'], parent: null },
      { id: 'task-00a2', ref: 'task-00a2', content: 'Then its tests', after: ['task-00a1'], parent: null },
      { id: 'task-00a3', ref: 'task-00a3', content: 'Write the parser', after: [], parent: 'task-run1' },
    ],
    notes: [
      { id: 'task-00a1', text: 'seen in three places' },
      { id: 'task-run1', text: 'all tests pass' },
    ],
    believedDone: true,
    checked: ['task-00a3', 'task-item'],
    blocked: null,
    refused: [],
  });
});

test('an agent reaches neither other lanes nor fields that widen its power', () => {
  const add = { kind: 'add', content: 'x', after: [], ref: 'task-0001' };
  const text = lines(
    { kind: 'done', id: 'task-lane' },
    { kind: 'done', id: 'task-far1' },
    { kind: 'note', id: 'task-far1', text: 'blocked: me too' },
    { ...add, allow: ['**'] },
    { ...add, type: 'plan' },
    { ...add, budget: 1000 },
    '{"kind":"add","content":"x","ref":"task-0001","__proto__":{"allow":["**"]}}',
    { ...add, parent: 'task-far1' },
    { ...add, after: ['task-none'] },
    { ...add, after: ['task-0001'] },
    { ...add, ref: '../../x' },
    { ...add, content: '   ' },
    { kind: 'edit', id: 'task-run1' },
    '[1]',
    'null',
    '{"kind":"note"',
    '',
  );
  const reading = parseSpool(text, options);
  expect({ ...reading, refused: [] }).toEqual({
    adds: [],
    notes: [],
    believedDone: false,
    checked: [],
    blocked: null,
    refused: [],
  });
  expect(reading.refused).toMatchInlineSnapshot(`
[
  {
    "line": 1,
    "why": "done for task-lane: only task-run1 is this run's to end",
  },
  {
    "line": 2,
    "why": "done for task-far1: only task-run1 is this run's to end",
  },
  {
    "line": 3,
    "why": "a note on task-far1, which is no task of this lane",
  },
  {
    "line": 4,
    "why": "a task filed during a step takes text and after, not "allow"",
  },
  {
    "line": 5,
    "why": "a task filed during a step takes text and after, not "type"",
  },
  {
    "line": 6,
    "why": "a task filed during a step takes text and after, not "budget"",
  },
  {
    "line": 7,
    "why": "a task filed during a step takes text and after, not "__proto__"",
  },
  {
    "line": 8,
    "why": "a part may be added to task-run1 only, not to task-far1",
  },
  {
    "line": 9,
    "why": "after: task-none is not known",
  },
  {
    "line": 10,
    "why": "after: task-0001 is not known",
  },
  {
    "line": 11,
    "why": "ref is no id",
  },
  {
    "line": 12,
    "why": "content must be text of 1 to 16000 characters",
  },
  {
    "line": 13,
    "why": "its kind is none of add, note, done",
  },
  {
    "line": 14,
    "why": "it is not an object",
  },
  {
    "line": 15,
    "why": "it is not an object",
  },
  {
    "line": 16,
    "why": "it is not JSON",
  },
]
`);
});

test('a note that begins with blocked: on the task of the run says why it cannot go on; no other does', () => {
  expect(blockedReason(' Blocked: no access\nto staging ')).toBe('no access\nto staging');
  expect(blockedReason('blocked:')).toBe('no reason was given');
  expect(blockedReason('not blocked: all well')).toBeNull();
  const read = (id: string, ...texts: readonly string[]) =>
    parseSpool(lines(...texts.map((text) => ({ kind: 'note', id, text }))), options).blocked;
  expect(read('task-run1', 'fine', 'blocked: first', 'blocked: second')).toBe('first');
  expect(read('task-lane', 'blocked: that one')).toBeNull();
});

test('an id that was taken meanwhile becomes another, and what waits for it follows', () => {
  const text = lines(
    { kind: 'add', content: 'a', after: [], ref: 'task-dead' },
    { kind: 'add', content: 'b', after: ['task-dead'], ref: 'task-beef' },
    { kind: 'add', content: 'again', after: [], ref: 'task-beef' },
  );
  const { adds, refused } = parseSpool(text, options);
  expect(adds[0]?.id).toMatch(/^task-[0-9a-f]{4}$/);
  expect(adds[0]?.id).not.toBe('task-dead');
  expect(adds[1]).toMatchObject({ id: 'task-beef', after: [adds[0]?.id] });
  expect(refused).toEqual([{ line: 3, why: 'task-beef was added before' }]);
  expect(parseSpool(text, options).adds).toEqual(adds);
});

test('the id that a command prints is free, short, and the same for the same nonce', () => {
  const id = provisionalId('x', 'n', () => false);
  expect(id).toMatch(/^task-[0-9a-f]{4}$/);
  expect(provisionalId('x', 'n', () => false)).toBe(id);
  expect(provisionalId('x', 'm', () => false)).not.toBe(id);
  expect(provisionalId('x', 'n', (one) => one === id)).toMatch(new RegExp(`^${id}[0-9a-f]$`));
  expect(provisionalId('x', 'n', () => true)).toBeNull();
});

test('tasks, lines, bytes and refusals have bounds, and meeting one is said', () => {
  const add = (n: number) => ({
    kind: 'add',
    content: 'x',
    after: [],
    ref: `task-${String(n).padStart(4, '0')}`,
  });
  const many = parseSpool(lines(...Array.from({ length: 7 }, (_, n) => add(n))), options);
  expect(many.adds).toHaveLength(5);
  expect(many.refused[0]).toEqual({
    line: 6,
    why: 'no more tasks may be filed by agents under this task (5 were left)',
  });
  const note = JSON.stringify({ kind: 'note', id: 'task-run1', text: 'x' });
  const long = parseSpool(`${note}\n`.repeat(spoolLinesMax + 3), options);
  expect(long.notes).toHaveLength(spoolLinesMax);
  expect(long.refused).toEqual([
    { line: spoolLinesMax + 1, why: `there are more than ${spoolLinesMax} lines: the rest was not read` },
  ]);
  const junk = parseSpool('x\n'.repeat(400), options);
  expect(junk.refused).toHaveLength(100);
  const huge = parseSpool(`${note}\n${'y'.repeat(spoolBytesMax)}\n${note}`, options);
  expect(huge.notes).toHaveLength(1);
  expect(huge.refused[0]).toMatchObject({ line: 0 });
});

const id = fc.stringMatching(/^task-[0-9a-f]{4,8}$/);
const anyText = fc.string({ minLength: 1, maxLength: 50, unit: 'binary' });
const spoolLine: fc.Arbitrary<SpoolLine> = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    content: anyText,
    after: fc.array(id, { maxLength: 3 }),
    ref: id,
    parent: fc.option(id),
  }),
  fc.record({ kind: fc.constant('note' as const), id, text: anyText }),
  fc.record({ kind: fc.constant('done' as const), id, note: fc.option(anyText) }),
);

test('a line that is printed is one line and reads back as itself; else it is not printed', () => {
  fc.assert(
    fc.property(spoolLine, (line) => {
      const printed = printSpoolLine(line);
      if ('why' in printed) return;
      expect(printed.text.slice(0, -1)).not.toMatch(/[\n\r]/);
      expect(readSpoolLine(printed.text)).toEqual(line);
    }),
  );
});

test('whatever an agent writes, the reading holds only what it may say', () => {
  const mixed = fc.array(
    fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.json({ maxDepth: 2 }),
      spoolLine.map((line) => JSON.stringify(line)),
    ),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(mixed, (parts) => {
      const { adds, notes, checked } = parseSpool(parts.join('\n'), options);
      const ids = adds.map((add) => add.id);
      expect(adds.length).toBeLessThanOrEqual(options.capLeft);
      expect(new Set(ids).size).toBe(ids.length);
      const own = new Set([...options.laneTasks, ...(options.checklist ?? []), ...ids]);
      expect(ids.some((one) => options.idsKnown.has(one))).toBe(false);
      expect(notes.every((note) => own.has(note.id))).toBe(true);
      expect(checked.every((one) => own.has(one))).toBe(true);
    }),
  );
});
