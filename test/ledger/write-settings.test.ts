import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { openRepository } from '../../src/git/open-repository.ts';
import { readWriteSettings } from '../../src/ledger/store/write-settings.ts';
import { cleanUp, folder, repository } from './fixture.ts';

afterEach(cleanUp);

interface Files {
  readonly home?: string;
  readonly xdg?: string;
  readonly local?: string;
  readonly other?: string;
}

/** What git itself says, and what was read, with how many processes. */
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
  const { name, email } = await readWriteSettings({ git, commonDir: opened.commonDir }, env);
  return {
    read: { name, email },
    said: {
      name: env['GIT_COMMITTER_NAME'] || ask('user.name').replaceAll(/\s+/g, ' ') || 'gza',
      email: env['GIT_COMMITTER_EMAIL'] || ask('user.email') || 'gza@localhost',
    },
    processes,
  };
}

const plain = '[user]\n\tname = Ada Lovelace\n\temail = ada@example.com\n';

test.each<[string, Files, number]>([
  ['the file that everyone has', { home: plain }, 0],
  ['the other place for it', { xdg: plain }, 0],
  ['both: the later counts', { xdg: plain, home: '[user]\n\tname = Home\n' }, 0],
  ['the repository above all', { home: plain, local: '[user]\n\temail=work@example.com\r\n' }, 0],
  ['other spellings', { home: '[core]\n\teditor = vi\n [USER]\nName=A\n\n# mine\nEMAIL =  b@c  \n' }, 0],
  ['a section of another kind', { home: `${plain}[user "x"]\n\tname = No\n[users]\n\tname = No\n` }, 0],
  ['keys that only begin alike', { home: `${plain}\tnames = No\n\tsigningname = No\n\tuser-email = x\n` }, 0],
  ['what is commented out', { home: `${plain}# name = B\n` }, 1],
  ['a section that git does not take', { home: '[ user ]\n\tname = A\n\temail = a@b\n' }, 1],
  ['quotes', { home: '[user]\n\tname = "Ada"  \n\temail = a@b\n' }, 1],
  ['a comment behind', { home: '[user]\n\tname = Ada # me\n\temail = a@b\n' }, 1],
  ['an escape', { home: '[user]\n\tname = A\\tB\n\temail = a@b\n' }, 1],
  ['a line that goes on', { home: '[user]\n\tname = A\\\n  B\n\temail = a@b\n' }, 1],
  [
    'a line that goes on as if it were a key',
    { home: '[user]\n\tsigningkey = A\\\nname = B\n\temail = a@b\n' },
    1,
  ],
  ['on the line of the section', { home: '[user] name = Ada\n\temail = a@b\n' }, 1],
  ['twice', { home: '[user]\n\tname = A\n\temail = a@b\n[user]\n\tname = B\n' }, 1],
  ['not plain where it counts, plain below', { xdg: plain, home: '[user]\n\tname = "Q"\n' }, 1],
  ['included', { home: '[include]\n\tpath = other\n', other: plain }, 1],
  [
    'included on a condition',
    { home: `${plain}[includeIf "gitdir:/"]\n\tpath = other\n`, other: '[user]\n\tname = O\n' },
    1,
  ],
  ['nowhere', {}, 1],
  ['a shared repository', { home: plain, local: '[core]\n\tsharedRepository = group\n' }, 1],
])('it reads the same as git: %s', async (_name, files, processes) => {
  const { read, said, ...rest } = await both(files);
  expect(read).toEqual(said);
  expect(rest.processes).toBe(processes);
});

test('the environment counts before the files, and settings in it are git’s to read', async () => {
  const committer = { GIT_COMMITTER_NAME: 'E', GIT_COMMITTER_EMAIL: 'e@e' };
  expect(await both({}, committer)).toMatchObject({ read: { name: 'E', email: 'e@e' }, processes: 0 });
  const counted = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'Counted' };
  const { read, said, processes } = await both({ home: plain }, counted);
  expect([read, said.name, processes]).toEqual([said, 'Counted', 1]);
});
