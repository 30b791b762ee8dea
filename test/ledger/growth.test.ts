import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { add, cleanUp, ledgerOf, note, repository, write } from './fixture.ts';

afterEach(cleanUp);

const updates = Number(process.env['GZA_TEST_UPDATES'] ?? 100);

function bytes(dir: string): number {
  let sum = 0;
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) sum += statSync(join(entry.parentPath, entry.name)).size;
  }
  return sum;
}

/** A task as people write them, so that the bytes mean something. */
const content = 'Refactor the middleware to use JWT instead of sessions, with tests for expiry and refresh.';

test(`${updates} updates of a ledger of 10,000 tasks grow the repository by less than 12 KB each`, async () => {
  const dir = repository();
  const ledger = await ledgerOf(dir);
  const id = (n: number) => `task-${((n * 2_654_435_761) >>> 0).toString(16).padStart(8, '0')}`;
  const more = (n: number) => ({
    title: `Refactor ${n} of the middleware`,
    content: `${content} ${n}`,
    group: `group-${n % 37}`,
  });
  await write(ledger, 'main', ...Array.from({ length: 10_000 }, (_, n) => add(id(n), more(n))));
  const before = bytes(join(dir, '.git'));
  for (let n = 0; n < updates; n++) await write(ledger, 'main', note(id(n), `progress of ${n}`));
  expect((bytes(join(dir, '.git')) - before) / updates).toBeLessThan(12_000);
});
