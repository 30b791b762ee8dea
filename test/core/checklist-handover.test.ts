import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { printBlock } from '../../src/core/markdown/body-block.ts';
import { handedMax, handOver, tickItem } from '../../src/core/markdown/checklist-handover.ts';
import { handoverText } from '../../src/core/text/github/handover-text.ts';

const body = `Please do this:\r
\r
- [ ] Add login\r
  - [ ] a form  \r
  - [x] a table\r
- [ ] Closes #3 for @team\r
- plain\r
\r
\`\`\`\r
- [ ] not this\r
\`\`\`\r
\r
${printBlock('- [ ] a: gza wrote this').replaceAll('\n', '\r\n')}\r
`;

test('open boxes become tasks in their order; code, plain items and what gza wrote do not', () => {
  const handover = handOver(body);
  expect(handover.tasks.map(({ text, line }) => `${line} ${text}`)).toEqual([
    '3 Add login',
    '4 a form',
    '6 Closes #3 for @team',
  ]);
  expect(handover.tasks[1]?.parent).toBe(handover.tasks[0]?.key);
  expect(handover.done).toBe(1);
  expect(handOver('- a\n- b').tasks).toEqual([]);
});

test('the echo says what was understood', () => {
  const handover = handOver(body);
  const ids = new Map(handover.tasks.map(({ key }, at) => [key, `task-${at}`]));
  expect(handoverText(handover, ids, { place: 'pull request' })).toMatchInlineSnapshot(`
"I understood 3 tasks, done in this order on this branch:

1. \`task-0\`: Add login
   1. \`task-1\`: a form
1. \`task-2\`: Closes ＃3 for ＠team

One box was ticked already.

Each box is ticked with the commit that did it; your text is not changed otherwise. \`/gza stop\` ends it, \`/gza why\` says what happens next."
`);
  expect(handoverText(handOver('- [x] a'), new Map(), { place: 'issue' })).toMatchInlineSnapshot(
    `"Every box of the checklist is ticked already (1): nothing is left to do."`,
  );
  expect(handoverText(handOver('nothing'), new Map(), { place: 'issue' })).toMatchInlineSnapshot(
    `"There is no open box in the description of this issue. Add lines like \`- [ ] Write the docs\`, then comment \`/gza work\` again."`,
  );
});

test('a tick changes one line; keys stay, so that handing over again files nothing twice', () => {
  const [login, form] = handOver(body).tasks;
  const ticked = tickItem(body, form!.key, 'abc1234def');
  expect(ticked).toEqual({
    kind: 'ticked',
    body: body.replace('- [ ] a form  \r', '- [x] a form (abc1234)<!-- gza:commit -->  \r'),
  });
  const after = ticked.kind === 'ticked' ? ticked.body : '';
  expect(tickItem(after, form!.key, 'abc1234def')).toEqual({ kind: 'already', body: after });
  expect(handOver(after).tasks.map(({ key }) => key)).toEqual([login!.key, handOver(body).tasks[2]!.key]);
  const both = tickItem(after, login!.key, 'bcd2345');
  expect(both.kind === 'ticked' && handOver(both.body).tasks).toHaveLength(1);
  expect(tickItem(body.replace('a form', 'a page'), form!.key, 'abc1234')).toEqual({ kind: 'gone' });
});

test('a long list is taken in parts, and it is said', () => {
  const handover = handOver(Array.from({ length: handedMax + 20 }, (_, n) => `- [ ] item ${n}`).join('\n'));
  expect([handover.tasks.length, handover.left]).toEqual([handedMax, 20]);
  expect(handoverText(handover, new Map(), { place: 'issue' })).toContain('20 more wait');
});

test('law: ticking all, in any order, leaves nothing open and every other byte as it was', () => {
  const piece = fc.constantFrom(
    '- [ ] a',
    '* [ ] b',
    '  - [ ] c',
    '1. [ ] d',
    '- [x] e',
    'text',
    '',
    '> - [ ] q',
    '```',
    '\uFEFF',
  );
  const eol = fc.constantFrom('\n', '\r\n', '\r');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), eol, fc.boolean(), (pieces, end, isReversed) => {
      const before = pieces.join(end);
      const keys = handOver(before).tasks.map(({ key }) => key);
      let now = before;
      for (const key of isReversed ? keys.toReversed() : keys) {
        const ticked = tickItem(now, key, 'abcdef0');
        expect(ticked.kind).toBe('ticked');
        if (ticked.kind === 'ticked') now = ticked.body;
      }
      expect(handOver(now).tasks).toEqual([]);
      const plain = (text: string) =>
        text.replaceAll(' (abcdef0)<!-- gza:commit -->', '').replaceAll('[x]', '[ ]');
      expect(plain(now)).toBe(plain(before));
    }),
    { numRuns: 1_000 },
  );
});
