import { expect, test } from '@jest/globals';
import { printBlock } from '../../src/core/markdown/body-block.ts';
import { tickedBoxes } from '../../src/github/comments/handle-comment.ts';
import { nothingPosted, withPosted } from '../../src/github/publish/posted-state.ts';

const block = printBlock('- [x] <!-- gza:box retry -->Retry');
const body = withPosted(block, { ...nothingPosted, ticks: { retry: 'olive' } });
const tickedBy = (bodyEditedBy: string | null, text = body) =>
  tickedBoxes({ body: text, isOurs: true, bodyEditedBy }).map(({ box, by }) => [box.name, by]);

test('who ticked a box is whoever edited the text last, and what gza noted when that was gza', () => {
  expect(tickedBy(null)).toEqual([['retry', 'olive']]);
  expect(tickedBy(null, block)).toEqual([['retry', null]]);
  expect(tickedBy('walter', block)).toEqual([['retry', 'walter']]);
});

test('a note that somebody wrote into the text makes nobody else of him', () => {
  expect(tickedBy('walter')).toEqual([['retry', 'walter']]);
});
