import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { openRepository, readWriteSettings } from '../../src/git/repository.ts';
import { openCache } from '../../src/system/cache.ts';
import { cleanUp, folder, repository } from './fixture.ts';

afterEach(cleanUp);

interface Files {
  readonly home?: string;
  readonly xdg?: string;
  readonly local?: string;
  readonly other?: string;
}

/** What git itself says, and what was read at first and again, with how many processes. */
async function both(files: Files, more: NodeJS.ProcessEnv = {}) {
  const dir = repository();
  const home = folder();
  mkdirSync(join(home, '.config', 'git'), { recursive: true });
  if (files.home !== undefined) writeFileSync(join(home, '.gitconfig'), files.home);
  if (files.xdg !== undefined) writeFileSync(join(home, '.config', 'git', 'config'), files.xdg);
  if (files.other !== undefined) writeFileSync(join(home, 'other'), files.other);
  if (files.local !== undefined) writeFileSync(join(dir, '.git', 'config'), files.local, { flag: 'a' });
  const env: NodeJS.ProcessEnv = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1', ...more };
  const ask = (key: string) => {
    try {
      return execFileSync('git', ['config', key], { cwd: dir, env, encoding: 'utf8' }).replace(/\n$/, '');
    } catch {
      return '';
    }
  };
  let processes = 0;
  const opened = await openRepository(dir);
  const git: typeof opened.git = {
    ...opened.git,
    run(args, options) {
      processes++;
      return opened.git.run(args, { ...options, env: { GIT_CONFIG_GLOBAL: undefined, ...env } });
    },
  };
  const read = async () => {
    const { name, email } = await readWriteSettings(
      { git, commonDir: opened.commonDir },
      openCache(opened.commonDir),
      env,
    );
    return { name, email };
  };
  const said = () => ({
    name: env['GIT_COMMITTER_NAME'] || ask('user.name').replaceAll(/\s+/g, ' ') || 'gza',
    email: env['GIT_COMMITTER_EMAIL'] || ask('user.email') || 'gza@localhost',
  });
  expect(await read()).toEqual(said());
  expect(await read()).toEqual(said());
  const asked = processes;
  for (const name of ['.gitconfig', 'other'])
    if (existsSync(join(home, name))) writeFileSync(join(home, name), '[user]\n\tname = Changed\n');
  expect(await read()).toEqual(said());
  return { asked, said: said() };
}

const plain = '[user]\n\tname = Ada Lovelace\n\temail = ada@example.com\n';

test.each<[string, Files, number]>([
  ['the file that everyone has', { home: plain }, 1],
  ['the other place for it', { xdg: plain }, 1],
  ['both: the later counts', { xdg: plain, home: '[user]\n\tname = Home\n' }, 1],
  ['the repository above all', { home: plain, local: '[user]\n\temail=work@example.com\r\n' }, 1],
  ['quotes, escapes and comments', { home: '[user] name = "A\\tB" # me\n\temail = a@b\n' }, 1],
  ['nowhere', {}, 1],
  ['a shared repository', { home: plain, local: '[core]\n\tsharedRepository = group\n' }, 1],
  ['included: asked each time', { home: '[include]\n\tpath = other\n', other: plain }, 2],
  [
    'included on a condition: asked each time',
    { home: `${plain}[includeIf "gitdir:/"]\n\tpath = other\n`, other: '[user]\n\tname = O\n' },
    2,
  ],
])('it reads the same as git, once: %s', async (_name, files, processes) => {
  expect((await both(files)).asked).toBe(processes);
});

test('the environment counts before the files, and settings in it are git’s to read', async () => {
  const committer = { GIT_COMMITTER_NAME: 'E', GIT_COMMITTER_EMAIL: 'e@e' };
  expect((await both({}, committer)).said).toEqual({ name: 'E', email: 'e@e' });
  const counted = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'Counted' };
  expect(await both({ home: plain }, counted)).toMatchObject({ asked: 2, said: { name: 'Counted' } });
});
