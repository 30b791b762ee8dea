import { appendFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { chosenMishaps, nameOf, type Planned } from './choose-mishaps.ts';
import { type Moment, playMishap, playSession } from './mishap-play.ts';
import { removeProduct } from './stage.ts';

jest.setTimeout(8 * 3_600_000);

let moments: Moment[] = [];
beforeAll(async () => {
  moments = await playSession();
});
afterAll(() => {
  for (const { snapshot } of moments) snapshot.remove();
  removeProduct();
});

/** At least two at a time: each is a chain of processes that wait for each other. */
async function sideBySide(plan: readonly Planned[], work: (one: Planned) => Promise<void>): Promise<void> {
  const left = [...plan];
  const worker = async () => {
    for (let one = left.shift(); one; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker));
}

test('whatever goes wrong at a request, the session ends as if nothing had', async () => {
  const plan = chosenMishaps(moments, process.env['GZA_FAULTS'] ?? '');
  const log = (text: string) => {
    const file = process.env['GZA_FAULTS_LOG'];
    if (file) appendFileSync(file, `${text}\n`);
  };
  log(`${plan.length} of ${chosenMishaps(moments, 'all').length}`);
  const broken: string[] = [];
  await sideBySide(plan, async ({ at, mishap }) => {
    const moment = moments[at] as Moment;
    const found = await playMishap(moment, mishap, (moments[at - 1] ?? moment).snapshot);
    const where = nameOf({ at, mishap }, moments);
    log(`${found.length === 0 ? 'fine' : 'BROKEN'}: ${[where, ...found].join('\n')}`);
    if (found.length > 0) broken.push(`${where}:\n${found.join('\n')}`);
  });
  expect(plan.length).toBeGreaterThan(0);
  expect(broken).toEqual([]);
});
