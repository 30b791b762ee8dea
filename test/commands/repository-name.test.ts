import { expect, test } from '@jest/globals';
import { repositoryName } from '../../src/app/share/sync-tracker.ts';
import type { Repository } from '../../src/git/repository.ts';

function named(url: string | null): Promise<string> {
  const git = {
    run: async () => ({ code: url === null ? 2 : 0, stdout: Buffer.from(`${url}\n`), stderr: '' }),
  };
  return repositoryName({ git, workTree: '/home/ann/shop', commonDir: '/x' } as unknown as Repository);
}

test('every spelling of an address is one name, without what may be a token', async () => {
  const spellings = [
    'https://github.com/Acme/shop.git',
    'https://x-access-token:secret@github.com/acme/shop',
    'git@github.com:acme/shop.git',
    'ssh://git@github.com:22/acme/shop.git/',
  ];
  for (const url of spellings) expect([url, await named(url)]).toEqual([url, 'github.com/acme/shop']);
  expect(await named('https://git.example.com:8443/a/b/c.git')).toBe('git.example.com/a/b/c');
  expect(await named(null)).toBe('shop');
});
