/** What cycle.test.ts tries, with the other events. */
import { test } from '@jest/globals';
import { commentBetween, eventAtLanding, twoLandings, wakeUpThatIs } from './cycle-plays.ts';

test('a pause of everything between a work step and its review ends the claim', () =>
  commentBetween('/gza pause all'));

test.each([
  ['while it pushes', 'stop'],
  ['before the landing', 'spend'],
  ['while it pushes', 'spend'],
] as const)('what comes %s ends the claim: %s', eventAtLanding);

test('a wake-up that is doubled does no harm', () => wakeUpThatIs('doubled'));

test('of two landings that end at once one sees both, one after the other', () => twoLandings(false));
