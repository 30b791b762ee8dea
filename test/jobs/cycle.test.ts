/** Of each kind the one that reaches furthest; the others are in cycle.slow.test.ts. */
import { test } from '@jest/globals';
import { cancelBetween, commentBetween, eventAtLanding, twoLandings, wakeUpThatIs } from './cycle-plays.ts';

test.each(['/gza stop answer', '/gza improve answer say it in kilos'] as const)(
  '%s between a work step and its review ends the claim',
  commentBetween,
);

test.each([
  ['while it pushes', 'improve'],
  ['before the landing', 'limit'],
] as const)('what comes %s ends the claim: %s', eventAtLanding);

test('a wake-up that is lost does no harm', () => wakeUpThatIs('lost'));

test('of two landings that end at once one sees both, after both pushes', () => twoLandings(true));

test(
  'a run that is cancelled between a work step and its review is gone on with by the review alone',
  cancelBetween,
);
