import { expect, test } from '@jest/globals';
import { printBlock, replaceBlock } from '../../src/core/body-block.ts';
import { nothingTold, readTold, withTold } from '../../src/jobs/told.ts';

const told = { reviews: ['answer:1:1'], statuses: { 'gza/verify': 'abc success The checks passed --> ok' } };

test('what was said is found again in the block of the body, and nowhere else', () => {
  const body = replaceBlock('By hand.', withTold(printBlock('### gza'), told));
  expect(readTold(body)).toEqual(told);
  const forged = body.slice(
    body.indexOf('<!-- gza:told'),
    body.indexOf('-->', body.indexOf('<!-- gza:told')) + 3,
  );
  expect(readTold(`By hand. ${forged}`)).toEqual(nothingTold);
});

test('a mark that somebody changed counts as none', () => {
  const body = withTold(printBlock('x'), told).replace(/gza:told \w{8}/, 'gza:told AAAAAAAA');
  expect(readTold(body)).toEqual(nothingTold);
});
