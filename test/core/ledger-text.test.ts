import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Event } from '../../src/core/ledger/event.ts';
import { parseEntry, printEntry } from '../../src/core/ledger/event.ts';
import {
  editShard,
  parseMeta,
  parseRecord,
  parseShard,
  printMeta,
  shardNames,
  shardOf,
} from '../../src/core/ledger/ledger-state.ts';
import { closings, printRecord, type TaskRecord } from '../../src/core/ledger/record/record.ts';
import { taskTypes } from '../../src/core/task/task.ts';

const plain = { noNullPrototype: true } as const;
const text = fc.string({ unit: 'binary', maxLength: 60 });
const id = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,20}$/).filter((one) => /^[A-Za-z0-9]/.test(one));
const time = fc.constantFrom('2026-01-02T03:04:05Z', '2026-11-12T13:14:15.678Z', '2026-01-02T03:04:05+02:00');

const record = fc.record(
  {
    id,
    type: fc.constantFrom(...taskTypes),
    title: text,
    content: text,
    created_at: time,
    notes: fc.array(text, { maxLength: 3 }),
    depends_on: fc.array(text, { maxLength: 3 }),
    priority: fc.constantFrom('high', 'low'),
    budget: fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
    closed_as: fc.constantFrom(...closings),
    closed_at: time,
    same_branch: fc.boolean(),
    stop: fc.record({ reason: text, detail: text, at: time }, plain),
    lane: fc.record({ id, branch: id, folded_at: time }, { ...plain, requiredKeys: ['id', 'branch'] }),
  },
  { ...plain, requiredKeys: ['id', 'type', 'title', 'content', 'created_at'] },
) as fc.Arbitrary<TaskRecord>;

test('a record that was printed is read back, and printing is canonical', () => {
  fc.assert(
    fc.property(record, (original) => {
      const line = printRecord(original);
      expect(line).not.toContain('\n');
      const parsed = parseRecord(line);
      expect(parsed).toEqual({ kind: 'record', record: original, problems: [] });
      const reversed = Object.fromEntries(Object.entries(original).reverse()) as unknown as TaskRecord;
      expect(printRecord(reversed)).toBe(line);
    }),
  );
});

test('whatever stands on a line, reading it neither throws nor invents', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        fc.json(),
        fc.json().map((json) => `{"id":${json}}`),
      ),
      (line) => {
        const parsed = parseRecord(line);
        if (parsed.kind === 'record') expect(JSON.parse(line)).toMatchObject(parsed.record);
      },
    ),
  );
});

test.each([
  [
    '{"id":"a","type":"task","title":"t","content":"c","created_at":"yesterday"}',
    'created_at is not valid: "yesterday"',
  ],
  [
    '{"id":"a","type":"root","title":"t","content":"c","created_at":"2026-01-02T03:04:05Z"}',
    'type is not valid: "root"',
  ],
  ['{"id":"a","type":"task","title":"t","created_at":"2026-01-02T03:04:05Z"}', 'content is missing'],
  ['[]', 'the line is not a task'],
])('%s is refused: %s', (line, why) => {
  expect(parseRecord(line)).toEqual({ kind: 'bad', why });
});

test('an event that was printed is read back, and its text cannot forge the message', () => {
  fc.assert(
    fc.property(record, text, (task, words) => {
      const events: Event[] = [
        {
          kind: 'add',
          at: '2026-01-02T03:04:05Z',
          by: words,
          task: { ...task, title: `a\n\n{"nonce":"x"}${words}` },
        },
        { kind: 'note', at: '2026-01-02T03:04:05Z', id: task.id, text: words },
      ];
      const dropped = events.map((event) => ({ event, why: words, by: words }));
      for (const entry of [
        { nonce: 'abc', events },
        { nonce: 'abc', events, dropped },
        { nonce: 'abc', events: [], dropped },
      ]) {
        const message = printEntry(entry);
        expect(message.split('\n')).toHaveLength(4);
        expect(parseEntry(message)).toEqual({ kind: 'entry', entry });
      }
    }),
  );
});

test('a shard holds what was put into it, sorted, and touches no other line', () => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 8 }), fc.array(record, { maxLength: 4 }), (first, second) => {
      const before = editShard('', new Map(first.map((one) => [one.id, one])));
      const after = editShard(before, new Map(second.map((one) => [one.id, one])));
      const all = new Map([...first, ...second].map((one) => [one.id, one]));
      const { records, problems } = parseShard(after);
      expect(problems).toEqual([]);
      expect([...records.keys()]).toEqual([...all.keys()].sort());
      expect(new Map(records)).toEqual(all);
      const gone = editShard(after, new Map(second.map((one) => [one.id, null])));
      const kept = new Set(before.split('\n'));
      const changed = new Set(second.map((one) => one.id));
      for (const line of gone.split('\n')) expect(kept.has(line)).toBe(true);
      expect(parseShard(gone).records.size).toBe([...all.keys()].filter((id) => !changed.has(id)).length);
    }),
  );
});

test('ids spread over the shards evenly, and for ever the same way', () => {
  expect(['', 'task-a3f8', 'task-b4c9', 'ä'].map(shardOf)).toEqual(['19', '0c', '10', '38']);
  const counts = new Map<string, number>();
  for (let n = 0; n < 6_400; n++) {
    const shard = shardOf(`task-${n.toString(16).padStart(4, '0')}`);
    counts.set(shard, (counts.get(shard) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual(shardNames);
  expect(Math.max(...counts.values())).toBeLessThan(160);
});

test('ledger.json is read back, and one of a newer gza says so', () => {
  const meta = {
    v: 1,
    branch: 'main',
    lane: 'x',
    base: true,
    spent: { '2026-01-02': 1.5 },
    marks: { board: '7' },
  } as const;
  expect(parseMeta(printMeta(meta))).toEqual({ kind: 'meta', meta, problems: [] });
  expect(parseMeta('{"v":2}')).toMatchObject({ kind: 'bad', why: expect.stringContaining('newer') });
});

const hostileNames = [
  '',
  '..',
  '../../evil',
  '/etc/x',
  'a/b',
  'a\\b',
  '-x',
  '.git',
  'a..b',
  'a\nb',
  'a\u0007',
  'x.lock',
  'x'.repeat(400),
];

test.each(hostileNames)('%j is no name for a task, a branch or a lane of a ledger', (name) => {
  const record = { id: 'a', type: 'task', title: 't', content: 'c', created_at: '2026-01-02T03:04:05Z' };
  const lane = { id: 'lane-1', branch: 'gza/a' };
  const isBranch = name === 'a/b';
  const kinds = [
    { ...record, id: name },
    { ...record, parent: name },
    { ...record, lane: { ...lane, id: name } },
    ...(isBranch
      ? []
      : [
          { ...record, branch: name },
          { ...record, lane: { ...lane, branch: name } },
        ]),
  ].map((one) => parseRecord(JSON.stringify(one)).kind);
  expect(new Set(kinds)).toEqual(new Set(['bad']));
  expect(parseRecord(JSON.stringify({ ...record, lane })).kind).toBe('record');
  expect(parseMeta(JSON.stringify({ v: 1, branch: 'a', lane: name })).kind).toBe('bad');
  const told = parseRecord(JSON.stringify({ ...record, id: name }));
  expect(told).toMatchObject({ why: expect.stringMatching(/^id is not valid[ -~]*$/) });
});
