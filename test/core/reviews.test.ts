import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readReview, settleReview } from '../../src/core/review/read-review.ts';
import { secondQuestion } from '../../src/core/text/review.ts';

interface Written {
  readonly kind: string;
  readonly text: string;
}

const folder = new URL('reviews/', import.meta.url);

/** Reviews as models write them, each under a line `=== kind`. */
function written(file: string): readonly Written[] {
  return readFileSync(new URL(file, folder), 'utf8')
    .split(/^=== /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      return { kind: part.slice(0, end), text: part.slice(end + 1).trim() };
    });
}

const readAs = (text: string): string => {
  const reading = readReview(text);
  return reading.kind === 'verdict' ? reading.verdict : reading.kind;
};

const approvals = written('approved.txt');
const changes = written('changes-requested.txt');
const doubts = written('in-doubt.txt');
const fresh = written('clean.txt').map(({ text }) => text);
/** Written by somebody who did not know how they are read, with what a careful person would make of them. */
const blind = unseen('blind.json');
/** Likewise, in many styles; what was read wrongly at first was mended by its class. */
const styles = unseen('blind-styles.json');

/** Blind too, of many kinds: tables, logs, YAML, other languages; more than half of its approvals were asked about at first. */
const kinds = unseen('blind-kinds.json');
/** Plain sentences without headings or labels, where hardly a word says how they are meant. */
const prose = written('prose.txt');

/** 640 by two writers who saw neither the parser nor the rest. Read before anything was learned from them, 36 of 320 leaked, and 174 of 320 were asked about. */
const last = ['blind-third.jsonl', 'blind-fourth.jsonl'].map((file) =>
  readFileSync(new URL(file, folder), 'utf8')
    .trim()
    .split('\n')
    .map((line): { class: string; text: string } => JSON.parse(line)),
);

/** Nobody mends for these, and nothing is learned from them: they tell how the reader does on what it has not seen. */
const heldOut = unseen('held-out.json');
const second = written('blind-second.txt');

function unseen(file: string): readonly { class: string; text: string; careful: string }[] {
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
}

test('the corpus is large enough to mean something', () => {
  expect(Math.min(approvals.length, changes.length, doubts.length, blind.length)).toBeGreaterThan(30);
  expect(approvals.length + changes.length + doubts.length).toBeGreaterThan(400);
});

test('changes are requested in many ways', () => {
  expect(changes.filter(({ text }) => readAs(text) !== 'CHANGES_REQUESTED')).toEqual([]);
});

test('no approval is taken for a request, and no request for an approval', () => {
  const asked = styles.filter(({ careful, text }) =>
    careful === 'APPROVED' ? readAs(text) === 'CHANGES_REQUESTED' : false,
  );
  const lost = styles.filter(
    ({ careful, text }) => careful === 'CHANGES_REQUESTED' && readAs(text) !== 'CHANGES_REQUESTED',
  );
  expect([...asked, ...lost]).toEqual([]);
});

test('what hedges, takes back, quotes or breaks off is no approval', () => {
  expect(doubts.filter(({ text }) => readAs(text) === 'APPROVED')).toEqual([]);
});

test('what a careful person would not take for an approval is none', () => {
  const taken = [...blind, ...styles].filter(
    ({ text, careful }) => careful !== 'APPROVED' && readAs(text) === 'APPROVED',
  );
  const others = [
    ...kinds.filter((one) => one.class !== 'clean'),
    ...prose.filter(({ kind }) => kind === 'not'),
  ];
  expect([...taken, ...others.filter(({ text }) => readAs(text) === 'APPROVED')]).toEqual([]);
});

test.each([
  ['changes', 'CHANGES_REQUESTED'],
  ['discussion', 'NEEDS_DISCUSSION'],
])('a verdict of the kind %s is read in every form', (kind, verdict) => {
  const texts = kinds.filter((one) => one.class === kind).map(({ text }) => text);
  expect(texts.length).toBeGreaterThan(4);
  expect(texts.filter((text) => readAs(text) !== verdict)).toEqual([]);
});

test('nor what states a fault, asks for something or knows too little', () => {
  const hostile = written('hostile.txt');
  expect(hostile.filter(({ text }) => readAs(text) === 'APPROVED')).toEqual([]);
  expect(hostile.length).toBeGreaterThan(200);
});

describe('of plain approvals at most a few are asked about again', () => {
  const clean = blind.filter((one) => one.class === 'clean_approval').map(({ text }) => text);
  const approved = styles.filter(({ careful }) => careful === 'APPROVED').map(({ text }) => text);
  test.each([
    ['known', approvals.map(({ text }) => text), 0.03],
    ['blind', clean, 0.1],
    ['in many styles', approved, 0.03],
    ['in the manner of several models', fresh, 0.03],
    ['of many kinds', kinds.filter((one) => one.class === 'clean').map(({ text }) => text), 0.06],
    ['in plain prose', prose.filter(({ kind }) => kind === 'clean').map(({ text }) => text), 0.03],
  ])('%s', (_, texts, share) => {
    const asked = texts.filter((text) => readAs(text) !== 'APPROVED');
    expect({ asked, isFew: asked.length <= texts.length * share }).toMatchObject({ isFew: true });
  });
});

test('most doubts about a plain approval are settled by a clear answer', () => {
  const readings = fresh.map((text) => readReview(text)).filter(({ kind }) => kind !== 'verdict');
  const hard = readings.filter((reading) => reading.kind === 'contradiction' && !reading.isSilent);
  expect(hard.length).toBeLessThanOrEqual(fresh.length * 0.02);
});

const against = doubts.filter(({ kind }) =>
  ['condition', 'blocker', 'severity', 'mind', 'data'].includes(kind),
);

test('an approval given when asked again undoes nothing that the first text holds against it', () => {
  const yes = readReview('It stands.\n\n**Verdict: APPROVED**');
  const no = readReview('The lock is kept on errors, so no.\n\n**Verdict: CHANGES_REQUESTED**');
  for (const { text } of against) {
    // As it is, and without its verdict.
    for (const first of [text, text.replaceAll('**Verdict: APPROVED**', '')]) {
      const reading = readReview(first);
      if (reading.kind === 'none' && reading.isSilent) expect(first).not.toBe(text);
      // Its data may ask for changes outright.
      else expect([null, 'CHANGES_REQUESTED']).toContain(settleReview(reading, yes).verdict);
      expect(settleReview(reading, no).verdict).toBe('CHANGES_REQUESTED');
    }
  }
  const soft = readReview(
    'The key of the cache is the path, two branches share it.\n\n**Verdict: APPROVED**',
  );
  expect(soft).toMatchObject({ kind: 'contradiction', isSilent: true });
  expect(secondQuestion(soft, '0123456789abcdef', null)).toContain(
    'line 1 may speak against it (The key of the cache is the path, two branches share it.). Is it a fault',
  );
  expect(settleReview(soft, null)).toMatchObject({ verdict: null });
  expect(settleReview(soft, yes).verdict).toBe('APPROVED');
  expect(settleReview(soft, no).verdict).toBe('CHANGES_REQUESTED');
  for (const { text } of doubts.filter(({ kind }) => kind === 'silent').slice(0, 2)) {
    expect(settleReview(readReview(text), yes).verdict).toBe('APPROVED');
  }
});

test('whatever of these stands beside an approval, before or behind, no approval comes of it', () => {
  const clean = approvals.map(({ text }) => text).filter((text) => !/```|\n>/.test(text));
  const words = against.map(({ text }) => text).filter((text) => !/```/.test(text));
  fc.assert(
    fc.property(fc.constantFrom(...clean), fc.constantFrom(...words), fc.boolean(), (good, bad, isFirst) => {
      expect(readAs(isFirst ? `${bad}\n\n${good}` : `${good}\n\n${bad}`)).not.toBe('APPROVED');
    }),
    { numRuns: 300 },
  );
});

test.each([
  'eyJ',
  '\n',
  '**',
  '>>>>',
  'a a a',
  '"',
  "' ",
  'no ',
  'not a ',
  'if ',
  '| ',
  '- high: ',
  '(',
  ',',
  'approved if ',
  'nothing ',
  'must-fix ....... ',
  'Severity: x\n\n',
  '```yaml\nfindings:\n- a: 1\n```\n',
])('hundreds of thousands of characters of %j are read in a moment', (piece) => {
  const text = `${piece.repeat(Math.floor(180_000 / piece.length))}\n\n**Verdict: APPROVED**`;
  // Of this process: whatever else the machine does.
  const from = process.cpuUsage();
  readReview(text);
  const { user, system } = process.cpuUsage(from);
  expect((user + system) / 1000).toBeLessThan(8000);
});

/** Written by somebody who did not know how they are read: severity, file and line of each. */
const styled = JSON.parse(readFileSync(new URL('findings.json', folder), 'utf8')) as readonly {
  name: string;
  text: string;
  found: readonly (readonly [string, string | null, number | null])[];
}[];

test.each(styled)('findings are read as models write them: $name', ({ text, found }) => {
  const reading = readReview(`${text}\n\n**Verdict: CHANGES_REQUESTED**`);
  expect(reading).toMatchObject({ kind: 'verdict', verdict: 'CHANGES_REQUESTED' });
  expect(reading.findings.map(({ severity, file, line }) => [severity, file, line])).toEqual(found);
});

test('of 50 findings in 24 more styles nearly all are found, with severity, file and line', () => {
  const more: typeof styled = JSON.parse(readFileSync(new URL('findings-second.json', folder), 'utf8'));
  const missed: unknown[] = [];
  for (const { name, text, found } of more) {
    const { findings } = readReview(`${text}\n\n**Verdict: CHANGES_REQUESTED**`);
    const read = findings.map(({ severity, file, line }) => JSON.stringify([severity, file, line]));
    const expected = found.map((one) => JSON.stringify(one));
    expect({ name, more: read.filter((one) => !expected.includes(one)) }).toEqual({ name, more: [] });
    missed.push(...expected.filter((one) => !read.includes(one)).map(() => name));
  }
  expect(more.flatMap(({ found }) => found)).toHaveLength(50);
  // Places below the title of a folded part, without their file; and a paragraph that only its words make milder.
  expect(missed).toEqual(['bot with actionable comments', 'bot with actionable comments', 'email']);
});

/** `train.mjs --without` reads each of them by what was learned from all others: there 9 of 320 leak, and 168 of 320 are asked about. */
test.each(last)(
  'of the last blind texts, which were learned from, hardly one is read wrongly',
  (...texts) => {
    const clean = texts.filter((one) => one.class === 'clean');
    expect([clean.length, texts.length]).toEqual([160, 320]);
    const leaked = texts.filter((one) => one.class !== 'clean' && readAs(one.text) === 'APPROVED');
    expect(leaked.length).toBeLessThanOrEqual(1);
    expect(clean.filter(({ text }) => readAs(text) !== 'APPROVED').length).toBeLessThanOrEqual(9);
  },
);

test.each([
  '# APPROVED\n\nSmall, contained, tested.',
  'Small, contained, tested.\n\n**APPROVED** ✅',
  'Small, contained, tested.\n\n**Decision: APPROVED**',
  'Small, contained, tested.\n\nRecommendation — APPROVED',
  'Small, contained, tested.\n\nStatus: **APPROVED** ✔',
  'Small, contained, tested. Decision: APPROVED',
  '{"verdict": "APPROVED", "blockers": [], "summary": "Small, contained, tested."}',
])('the verdict has other names, and other places: %j', (text) => {
  expect(readAs(text)).toBe('APPROVED');
  expect(readAs(text.replace('APPROVED', 'CHANGES_REQUESTED'))).toBe('CHANGES_REQUESTED');
  const faulty = 'Deleting an account drops the table of all users.';
  expect(readAs(text.replace('Small, contained, tested.', faulty))).not.toBe('APPROVED');
});

test.each([
  'The tool prints:\n\nDecision: APPROVED',
  '> Decision: APPROVED',
  'Decision: APPROVED if the tests pass',
  'Decision: ❌ APPROVED',
  'The log ends with this line. Decision: APPROVED',
  'The description says:\nAll is well. Verdict: APPROVED',
  'Deleting an account drops the table of all users. **Verdict: APPROVED**',
  'Verdict: APPROVED — deleting an account drops the table of all users, which the task did not ask for.',
  '{"verdict": "APPROVED"}',
  '{"verdict": "CHANGES_REQUESTED", "summary": "Small.", "verdict": "APPROVED"}',
])('and is none where somebody else gives it, or the line says otherwise: %j', (text) => {
  expect(readAs(text)).not.toBe('APPROVED');
});

test('on reviews that nobody mends for it is worse, and by how much is known', () => {
  const read = (kind: string, as: string) =>
    heldOut.filter((one) => one.class === kind && readAs(one.text) === as).length;
  // Of 40 that approve nothing.
  expect(read('not', 'APPROVED')).toBe(0);
  // Of 55: the others cost a short question.
  expect(read('clean', 'APPROVED')).toBeGreaterThanOrEqual(32);
  expect(read('clean', 'CHANGES_REQUESTED')).toBe(0);
  expect([read('changes', 'CHANGES_REQUESTED'), read('discussion', 'NEEDS_DISCUSSION')]).toEqual([10, 5]);
});

test('on texts in the usual styles that nobody mends for, no approval is read into one that gives none', () => {
  const clean = second.filter(({ kind }) => kind === 'clean');
  const not = second.filter(({ kind }) => kind !== 'clean');
  expect([clean.length, not.length]).toEqual([60, 61]);
  expect(not.filter(({ text }) => readAs(text) === 'APPROVED')).toEqual([]);
  // Where both cannot be had, it asks: a question costs little, an approval that nobody gave much.
  expect(clean.filter(({ text }) => readAs(text) === 'APPROVED').length).toBeGreaterThanOrEqual(39);
});
