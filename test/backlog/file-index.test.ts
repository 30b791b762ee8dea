import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { openFileIndex, worthwhileFiles } from '../../src/backlog/file-index.ts';
import { notedBacklog, unchangedBacklog, workTreeBacklog } from '../../src/backlog/work-tree-backlog.ts';
import { openCache } from '../../src/system/cache.ts';
import { cleanUp, folder, git, repository } from '../ledger/fixture.ts';

afterEach(cleanUp);

const longAgo = new Date('2026-01-01T00:00:00Z');

function write(root: string, path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}

function someTasks(): string {
  const root = repository();
  for (const name of ['a.yml', 'b.yml', 'deep/c.yml', 'README.md'])
    write(root, `tasks/${name}`, 'title: x\n');
  write(root, 'gza.yaml', 'parallel_workers: 2\n');
  for (const name of ['a.yml', 'b.yml', 'deep/c.yml'])
    utimesSync(join(root, 'tasks', name), longAgo, longAgo);
  return root;
}

const cacheOf = (root: string) => join(root, '.git', 'gza', 'cache');

const changes: [string, (root: string) => void, boolean][] = [
  ['nothing', () => {}, true],
  ['a file outside tasks/', (root) => write(root, 'src/x.yml', 'title: y\n'), true],
  ['another text of the same length', (root) => write(root, 'tasks/a.yml', 'title: y\n'), false],
  ['a text that is longer', (root) => write(root, 'tasks/deep/c.yml', 'title: longer\n'), false],
  ['a new file', (root) => write(root, 'tasks/new.yml', 'title: n\n'), false],
  ['a new file in a new folder', (root) => write(root, 'tasks/x/y/new.yml', 'title: n\n'), false],
  ['a file that went', (root) => rmSync(join(root, 'tasks/b.yml')), false],
  ['another name', (root) => renameSync(join(root, 'tasks/b.yml'), join(root, 'tasks/z.yml')), false],
  ['two that changed places', (root) => swap(root, 'tasks/a.yml', 'tasks/b.yml'), true],
  ['a link in the place of a file', (root) => link(root, 'tasks/a.yml', 'b.yml'), false],
  ['a link in the place of the folder', (root) => linkFolder(root), false],
  ['the configuration', (root) => write(root, 'gza.yaml', 'parallel_workers: 3\n'), false],
  ['the configuration under its wrong name', (root) => write(root, 'gza.yml', 'a: 1\n'), false],
  ['an ignored file that is new', (root) => ignoreAndWrite(root), false],
];

function swap(root: string, one: string, other: string): void {
  renameSync(join(root, one), join(root, 'scratch'));
  renameSync(join(root, other), join(root, one));
  renameSync(join(root, 'scratch'), join(root, other));
}

function link(root: string, path: string, to: string): void {
  rmSync(join(root, path));
  symlinkSync(to, join(root, path));
}

function linkFolder(root: string): void {
  renameSync(join(root, 'tasks'), join(root, 'others'));
  symlinkSync('others', join(root, 'tasks'));
}

function ignoreAndWrite(root: string): void {
  write(root, '.gitignore', 'tasks/hidden.yml\n');
  write(root, 'tasks/hidden.yml', 'title: h\n');
}

test.each(changes)('it sees: %s', async (_name, change, expected) => {
  const root = someTasks();
  const index = openFileIndex(root, cacheOf(root));
  const name = await index.keep();
  expect(name).toMatch(/^index-/);
  change(root);
  expect(await index.unchanged(name ?? '')).toBe(expected);
});

test.each<[string, (root: string) => void]>([
  ['a link', (root) => symlinkSync('a.yml', join(root, 'tasks/link.yml'))],
  ['a repository', (root) => git(root, 'init', '-q', 'tasks/nested')],
])('where %s lies among the tasks they are looked at one by one', async (_name, put) => {
  const root = someTasks();
  put(root);
  expect(await openFileIndex(root, cacheOf(root)).keep()).toBe(null);
});

test('no filter, attribute or setting of the repository has a part in it', async () => {
  const root = someTasks();
  write(root, '.gitattributes', '* filter=evil text=auto ident\n');
  write(root, 'tasks/.gitattributes', '* filter=evil\n');
  const evil = join(root, 'evil');
  writeFileSync(evil, `#!/bin/sh\ntouch '${join(root, 'ran')}'\ncat\n`);
  chmodSync(evil, 0o755);
  git(root, 'config', 'filter.evil.clean', evil);
  git(root, 'config', 'core.fsmonitor', evil);
  git(root, 'config', 'core.ignoreStat', 'true');
  const index = openFileIndex(root, cacheOf(root));
  const name = (await index.keep()) ?? '';
  expect(await index.unchanged(name)).toBe(true);
  const now = new Date();
  utimesSync(join(root, 'tasks/a.yml'), now, now);
  expect(await index.unchanged(name)).toBe(true);
  write(root, 'tasks/a.yml', 'title: y\n');
  expect(await index.unchanged(name)).toBe(false);
  expect(existsSync(join(root, 'ran'))).toBe(false);
  expect(existsSync(join(root, '.git', 'index'))).toBe(false);
});

test('a damaged, lost or read-only index means that nothing is known', async () => {
  const root = someTasks();
  const index = openFileIndex(root, cacheOf(root));
  const name = (await index.keep()) ?? '';
  writeFileSync(join(cacheOf(root), 'files.git', name), 'x');
  expect(await index.unchanged(name)).toBe(false);
  rmSync(join(cacheOf(root), 'files.git'), { recursive: true });
  expect(await index.unchanged(name)).toBe(false);
});

test('thousands of files are asked of git once they were read, and each change is seen', async () => {
  const root = folder();
  git(root, 'init', '-q', '.');
  for (let n = 0; n < worthwhileFiles; n++) write(root, `tasks/t-${n}.yml`, `title: Task ${n}\n`);
  const cache = openCache(join(root, '.git'));
  const asked: string[] = [];
  const real = openFileIndex(root, cache.dir);
  const index: typeof real = {
    keep: () => real.keep(),
    async unchanged(name) {
      const same = await real.unchanged(name);
      asked.push(same ? 'same' : 'changed');
      return same;
    },
  };
  // As if an hour had passed since the files were written.
  const now = () => Date.now() + 3_600_000;
  const read = () => workTreeBacklog({ root, cache, now }).read();
  const unchanged = async () => {
    const noted = notedBacklog({ root, cache, index });
    if (noted && (await index.unchanged(noted.name ?? ''))) return noted;
    return unchangedBacklog({ root, cache, index });
  };
  const { identity } = await read();
  expect((await unchanged())?.identity).toBe(identity);
  expect(asked).toEqual([]);
  expect((await unchanged())?.identity).toBe(identity);
  expect(asked).toEqual(['same']);
  write(root, 'tasks/t-7.yml', 'title: Task X\n');
  expect(await unchanged()).toBe(null);
  const after = await read();
  expect(after.identity).not.toBe(identity);
  expect((await unchanged())?.identity).toBe(after.identity);
  expect((await unchanged())?.identity).toBe(after.identity);
  expect(asked).toEqual(['same', 'changed', 'changed', 'same']);
  const kept = readdirSync(join(cache.dir, 'files.git')).filter((file) => file.startsWith('index-'));
  expect(kept).toHaveLength(1);
});
