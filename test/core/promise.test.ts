import { expect, test } from '@jest/globals';
import { afterRound } from '../../src/core/policy/until-verified.ts';
import { donePromise, saidDone } from '../../src/core/spool/promise.ts';

test.each([
  donePromise,
  `All tests pass.\n\n${donePromise}\n`,
  `All tests pass. ${donePromise}`,
  `**${donePromise}**`,
  `- ${donePromise}`,
  '<promise> DONE </promise>',
  `The checks pass, so ${donePromise}`,
  `Summary: three files changed ${donePromise} (see above)`,
  `I did not touch the schema. ${donePromise} Thanks!`,
])('this says that it is done: %j', (text) => {
  expect(saidDone(text)).toBe(true);
});

test.each([
  '',
  'DONE',
  '<promise>NOT DONE</promise>',
  '<promise>done</promise>',
  `I will print ${donePromise} when the tests pass.`,
  `I cannot say ${donePromise}`,
  `${donePromise} is what I print once the tests pass`,
  `Not yet ${donePromise}`,
  `\`${donePromise}\``,
  `\`\`\`\n${donePromise}\n\`\`\``,
  `> ${donePromise}`,
  `<!-- ${donePromise} -->`,
  `<pre>\n${donePromise}\n</pre>`,
  `a\n\n    ${donePromise}`,
])('this does not: %j', (text) => {
  expect(saidDone(text)).toBe(false);
});

test('a round is the last when the checks pass and the agent said so: both, or the bound', () => {
  const round = { round: 1, roundsMax: 3, isVerified: true, saidDone: true };
  expect(afterRound(round).kind).toBe('done');
  expect(afterRound({ ...round, saidDone: false }).kind).toBe('again');
  expect(afterRound({ ...round, isVerified: false }).kind).toBe('again');
  expect(afterRound({ ...round, round: 3, isVerified: false })).toEqual({
    kind: 'spent',
    because: 'the agent said that it is done, but the checks fail; all 3 rounds are used',
  });
  expect(afterRound({ ...round, round: 3 }).kind).toBe('done');
});
