import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openSandbox } from './cli.ts';

test('two clones share tasks, claims and ids through their remote', async () => {
  await using box = openSandbox();
  const origin = join(box.dir, 'origin.git');
  box.git('init', '-q', '--bare', origin);
  box.git('remote', 'add', 'origin', origin);
  box.git('push', '-q', 'origin', 'main');
  const there = { cwd: join(box.dir, 'clone') };
  box.git('clone', '-q', '-b', 'main', origin, there.cwd);

  const id = await box.add('Shared');
  expect((await box.json<{ sent: string[] }>('sync')).sent).toEqual(['main']);
  expect((await box.json<{ received: string[] }>('sync', there)).received).toEqual(['main']);
  expect(await box.says('ready', there)).toBe(`${id}: Shared\n`);

  expect(await box.says(`claim ${id} --as ann`)).toContain(`${id}: claimed by ann`);
  const lost = await box.gza(['claim', id, '--as', 'bob'], there);
  expect(lost).toMatchObject({ code: 3, stdout: '' });
  expect(lost.stderr).toMatch(
    new RegExp(`${id} is held by ann until .*\n {2}gza agents shows who holds what`),
  );
  const shown = JSON.parse((await box.gza(['claim', id, '--as', 'bob', '--json'], there)).stdout);
  expect(shown).toMatchObject({ error: { code: 'lost', holder: 'ann' } });

  await box.says(['add', 'Filed there'], there);
  await box.says('sync', there);
  await box.says('sync');
  expect((await box.json<{ title: string }[]>('list')).map(({ title }) => title)).toEqual([
    'Shared',
    'Filed there',
  ]);
});

test('a remote that is not there is a mistake, one that cannot be reached a failure of the world', async () => {
  await using box = openSandbox();
  const unset = await box.gza(['sync']);
  expect(unset).toMatchObject({ code: 2, stdout: '' });
  expect(unset.stderr).toMatch(/^Error: there is no remote origin\n {2}See `git remote -v`/);
  box.git('remote', 'add', 'origin', join(box.dir, 'nowhere.git'));
  const away = await box.gza(['sync']);
  expect(away).toMatchObject({ code: 1, stdout: '' });
  expect(away.stderr).toMatch(/^Error: origin cannot be reached: /);
  // Work goes on here, and says that it does.
  const id = await box.add('Here');
  const claimed = await box.gza(['claim', id]);
  expect(claimed.code).toBe(0);
  expect(claimed.stderr).toContain('this claim holds only here');
});

const many = Number(process.env['GZA_TEST_WRITERS'] ?? 64);

test(`${many} that file at once lose nothing; of ${many} that claim one task one wins, and the others name it`, async () => {
  await using box = openSandbox();
  const titles = Array.from({ length: many }, (_, n) => `Task ${n}`);
  await Promise.all(titles.map((title) => box.add(title)));
  const rows = await box.json<{ id: string; title: string }[]>('list');
  expect(rows.map(({ title }) => title).sort()).toEqual(titles.sort());
  expect(new Set(rows.map(({ id }) => id)).size).toBe(many);
  const [id = ''] = rows.map((row) => row.id);
  const holders = Array.from({ length: many }, (_, n) => `agent-${n}.`);
  const claims = await Promise.all(holders.map((holder) => box.gza(['claim', id, '--as', holder])));
  const winner = holders[claims.findIndex(({ code }) => code === 0)] ?? 'nobody';
  const lost = claims.filter(({ code, stderr }) => code === 3 && stderr.includes(`held by ${winner}`));
  expect(lost).toHaveLength(many - 1);
});
