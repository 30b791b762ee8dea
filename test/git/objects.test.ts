import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { looseObject, openObjectReader } from '../../src/git/objects.ts';
import { cleanUp, git, repository } from '../ledger/fixture.ts';

afterEach(cleanUp);

function filled(...args: string[]) {
  const dir = repository(...args);
  mkdirSync(join(dir, 'a/b'), { recursive: true });
  writeFileSync(join(dir, 'a/b/c.txt'), 'text\0\n');
  writeFileSync(join(dir, 'top'), '');
  git(dir, 'add', '-A');
  git(dir, '-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'x');
  const head = git(dir, 'rev-parse', 'HEAD');
  const blob = git(dir, 'rev-parse', 'HEAD:a/b/c.txt');
  const names = [head, blob, `${head}^{tree}`, `${head}:a`, `${head}:a/b/c.txt`, `${head}:top`];
  return { dir, head, blob, names, objects: join(dir, '.git', 'objects') };
}

function asGitSays(dir: string, name: string) {
  const type = git(dir, 'cat-file', '-t', name);
  const data = execFileSync('git', ['cat-file', type, name], { cwd: dir });
  return { oid: git(dir, 'rev-parse', name), type, data };
}

test.each([['sha1'], ['sha256']])('a loose object is read as git reads it (%s)', (format) => {
  const { dir, names, objects } = filled(`--object-format=${format}`);
  for (const name of names) expect(looseObject(objects, name)).toEqual(asGitSays(dir, name));
});

test('what is packed, missing or named in another way is left to git, which answers it', async () => {
  const { dir, head, names, objects } = filled();
  expect(looseObject(objects, 'HEAD')).toBe(null);
  expect(looseObject(objects, `${head}:a/none`)).toBe(null);
  expect(looseObject(objects, `${head}:top/none`)).toBe(null);
  expect(looseObject(objects, '0'.repeat(40))).toBe(null);
  git(dir, 'repack', '-adq');
  const reader = openObjectReader(dir, objects);
  for (const name of names) {
    expect(looseObject(objects, name)).toBe(null);
    expect(await reader.read(name)).toEqual(asGitSays(dir, name));
  }
  expect(await reader.read(`${head}:a/none`)).toBe(null);
  reader.close();
});

test('a damaged object is not believed, and told of in one line with what helps', async () => {
  const { blob, dir, head, objects } = filled();
  const path = join(objects, blob.slice(0, 2), blob.slice(2));
  chmodSync(path, 0o644);
  truncateSync(path, 10);
  expect(looseObject(objects, blob)).toBe(null);
  expect(looseObject(objects, `${head}:a/b/c.txt`)).toBe(null);
  writeFileSync(path, 'x');
  expect(looseObject(objects, blob)).toBe(null);
  const ofHead = join(objects, head.slice(0, 2), head.slice(2));
  chmodSync(ofHead, 0o644);
  truncateSync(ofHead, 0);
  const reader = openObjectReader(dir, objects);
  await expect(reader.read(`${head}^{tree}`)).rejects.toMatchObject({
    message: `the object ${head} of this repository is damaged, so git cannot read it`,
    hint: expect.stringContaining('git fsck'),
  });
  reader.close();
});
