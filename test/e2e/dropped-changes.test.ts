import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

async function twoClones() {
  const shop = openWorkshop({ agents: { x: 'echo $GZA_TASK > $GZA_TASK.txt; echo done' } });
  const origin = join(shop.dir, 'origin.git');
  shop.git('init', '-q', '--bare', '-b', 'main', origin);
  shop.git('remote', 'add', 'origin', origin);
  shop.git('push', '-q', 'origin', 'main');
  const there = { cwd: join(shop.dir, 'clone') };
  shop.git('clone', '-q', '-b', 'main', origin, there.cwd);
  const id = await shop.add('Shared');
  const other = await shop.add('Another');
  await shop.says('sync');
  await shop.says('sync', there);
  return { shop, origin, there, id, other };
}

const edited = {
  here: ['edit', 'ID', '--criterion', 'It is fast'],
  there: ['claim', 'ID', '--as', 'bob'],
  said: /^warning: not kept: Edit ID: acceptance_criteria, by \S+ at \S+ \(ID was claimed: its acceptance_criteria is fixed; .*\)\n {2}a note still reaches its agent: gza note ID …; it stays in `git log refs\/tasks\/main`$/m,
  kept: 'Not kept: Edit ID: acceptance_criteria (ID was claimed: its acceptance_criteria is fixed',
};
const closed = {
  here: ['done', 'ID'],
  there: ['skip', 'ID'],
  said: /^warning: not kept: Close ID as done, by \S+ at \S+ \(ID is closed already \(skipped\)\)\n {2}gza show ID; it stays/m,
  kept: 'Not kept: Close ID as done (ID is closed already (skipped))',
};

test.each([
  ['claim', edited, ['claim', 'OTHER']],
  ['work with a remote that has ledgers', edited, ['work', 'OTHER']],
  ['work --push', closed, ['work', 'OTHER', '--push']],
  ['sync', closed, ['sync']],
])('%s says what another clone made impossible, and keeps it in the history', async (_, change, joins) => {
  const { shop, there, id, other, origin } = await twoClones();
  await using _shop = shop;
  const words = (list: readonly string[]) =>
    list.map((word) => (word === 'ID' ? id : word === 'OTHER' ? other : word));
  const named = (text: string) => text.replaceAll('ID', id);
  expect((await shop.gza(words(change.here))).code).toBe(0);
  await shop.says(words(change.there), there);
  await shop.says('sync', there);

  const joined = await shop.gza(words(joins));
  expect(joined).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(new RegExp(named(change.said.source), 'm')),
  });
  expect(joined.stderr.match(/not kept/g)).toHaveLength(1);

  await shop.says('sync');
  for (const where of [shop.repo, origin]) {
    expect(shop.git('-C', where, 'log', '--format=%an: %s', 'refs/tasks/main')).toContain(
      `Ann: ${named(change.kept)}`,
    );
  }
  await shop.says('sync', there);
  expect(await shop.says('fsck', there)).toContain('all good');
});
