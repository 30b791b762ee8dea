import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type Box,
  blockOf,
  bodyCharsMax,
  boxNames,
  findBlock,
  mergeTicks,
  printBlock,
  printBox,
  readBoxes,
  replaceBlock,
  roomForBlock,
  tickBoxes,
} from '../../src/core/markdown/body-block.ts';

const begin = '<!-- gza:begin x -->';
const end = '<!-- gza:end -->';

const piece = fc.constantFrom(
  begin,
  end,
  '<!-- gza:begin',
  'text',
  '\n',
  '\r\n',
  '\n\n',
  '\r',
  '```',
  '```ts',
  '> ',
  '    ',
  '- ',
  '<!--',
  '-->',
  '<pre>',
  '</pre>',
  '`',
  '\uFEFF',
  '- [ ] <!-- gza:box improve -->Improve',
);
const anyBody = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));
const task = fc.constantFrom(null, 'task-1', 'a--b', 'x.y-');
const box: fc.Arbitrary<Box> = fc.record({ name: fc.constantFrom(...boxNames), task });
const boxes = fc.uniqueArray(box, { selector: ({ name, task }) => `${name} ${task}`, maxLength: 6 });
const blockWith = (all: readonly Box[], text = '') =>
  printBlock([text, ...all.map((one) => printBox(one, 'Go on'))].join('\n'));

describe('laws', () => {
  test('text outside of the block is kept byte for byte', () => {
    fc.assert(
      fc.property(anyBody, anyBody, (body, content) => {
        const block = printBlock(content);
        const place = findBlock(body);
        const after = replaceBlock(body, block);
        if (place) expect(after).toBe(body.slice(0, place.start) + block + body.slice(place.end));
        else if (body === '') expect(after).toBe(block);
        else expect([`${body}\n\n${block}`, `${block}\n\n${body}`]).toContain(after);
      }),
      { numRuns: 2_000 },
    );
  });

  test('the block that was written is the one that is found again', () => {
    fc.assert(
      fc.property(anyBody, anyBody, (body, content) => {
        const block = printBlock(content);
        expect(blockOf(replaceBlock(body, block))).toBe(block);
      }),
      { numRuns: 2_000 },
    );
  });

  test('once is as good as twice, and the last block wins', () => {
    fc.assert(
      fc.property(anyBody, boxes, boxes, (body, some, others) => {
        const [one, two] = [blockWith(some), blockWith(others)];
        const once = replaceBlock(body, one);
        expect(replaceBlock(once, one)).toBe(once);
        expect(replaceBlock(replaceBlock(once, two), one)).toBe(once);
        expect(once.length).toBeLessThanOrEqual(body.length + one.length + 2);
        expect(once.length - one.length).toBeLessThanOrEqual(bodyCharsMax - roomForBlock(body));
      }),
      { numRuns: 1_000 },
    );
  });

  test('boxes are read as they were printed', () => {
    fc.assert(
      fc.property(anyBody, boxes, fc.array(fc.boolean()), (body, all, ticks) => {
        const ticked = all.filter((_, at) => ticks[at]);
        const written = replaceBlock(body, tickBoxes(blockWith(all), ticked));
        expect(readBoxes(written)).toEqual(all.map((one) => ({ ...one, isTicked: ticked.includes(one) })));
      }),
    );
  });

  test('a tick made meanwhile survives, an answered one does not come back', () => {
    fc.assert(
      fc.property(
        anyBody,
        boxes,
        fc.array(fc.boolean()),
        fc.array(fc.boolean()),
        (body, all, ticks, done) => {
          const ticked = all.filter((_, at) => ticks[at]);
          const answered = all.filter((_, at) => done[at]);
          const fresh = replaceBlock(body, tickBoxes(blockWith(all, 'old'), ticked)).replaceAll(
            /\r?\n/g,
            '\r\n',
          );
          const merged = mergeTicks(fresh, replaceBlock(fresh, blockWith(all, 'new')), answered);
          const open = readBoxes(merged).filter((one) => one.isTicked);
          expect(open.map(({ name, task }) => ({ name, task }))).toEqual(
            ticked.filter((one) => !answered.includes(one)),
          );
        },
      ),
    );
  });
});

test('markers in code, and markers without a partner, are text', () => {
  const block = printBlock('new');
  for (const body of [
    `Docs:\n\n\`\`\`\n${begin}\n${end}\n\`\`\`\n\nmore`,
    `> ${begin}\n> ${end}`,
    `a\n${begin}\nno end`,
    `a\n${end}\nno begin`,
    `inline ${begin} and ${end}`,
  ]) {
    expect(replaceBlock(body, block)).toBe(`${body}\n\n${block}`);
  }
});

test('a body that leaves a fence open gets the block at its start', () => {
  expect(replaceBlock('Look:\n```\ncode', printBlock('new'))).toBe(
    `${printBlock('new')}\n\nLook:\n\`\`\`\ncode`,
  );
});

test('line ends alone are no reason to write', () => {
  const body = `Hello\n\n${printBlock('a\nb')}\n\nBye`.replaceAll('\n', '\r\n');
  expect(replaceBlock(body, printBlock('a\nb'))).toBe(body);
});

test('a marker inside the content cannot end the block', () => {
  const written = replaceBlock('Mine', printBlock(`a\n${end}\nb`));
  expect(replaceBlock(written, printBlock('c'))).toBe(`Mine\n\n${printBlock('c')}`);
});

test('a box outside of the block, without a marker or with an unknown word is no box', () => {
  const body = `- [x] <!-- gza:box retry -->outside\n\n${printBlock('- [x] a: title\n- [x] <!-- gza:box dance -->x\n* [X] <!-- gza:box run task-1 -->y')}`;
  expect(readBoxes(body)).toEqual([{ name: 'run', task: 'task-1', isTicked: true }]);
});

test("no id can end a box's marker early, for any reader of comments", () => {
  expect(printBox({ name: 'run', task: 'a---b--' }, 'Go')).toMatch(/^- \[ \] <!-- (?:(?!--).)* -->Go$/);
});
