import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import type { BacklogRead } from '../../src/backlog/backlog.ts';
import { commitBacklog } from '../../src/backlog/commit-backlog.ts';
import { workTreeBacklog } from '../../src/backlog/work-tree-backlog.ts';
import { printProblems } from '../../src/core/yaml/problem.ts';
import { openRepository } from '../../src/git/repository.ts';
import { type Cache, openCache } from '../../src/system/cache.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

type Files = Record<string, string | Buffer>;

function folderWith(files: Files): string {
  const root = mkdtempSync(join(tmpdir(), 'gza-backlog-'));
  folders.push(root);
  write(root, files);
  return root;
}

function write(root: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

function commit(root: string): string {
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim();
  git('init', '-q');
  git('add', '-A', '-f');
  git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-q', '-m', 'x');
  return git('rev-parse', 'HEAD');
}

/** Old enough that nothing about it is in doubt. */
function settle(root: string, path: string): void {
  utimesSync(join(root, path), new Date(1e12), new Date(1e12));
}

/** Counts what the cache gave and took, over a real one. */
function countingCache(root: string) {
  const inner = openCache(join(root, 'git'));
  const count = { hits: 0, puts: 0 };
  const cache: Cache = {
    dir: inner.dir,
    get(name, key) {
      const text = inner.get(name, key);
      if (text !== null) count.hits++;
      return text;
    },
    put(name, key, text) {
      count.puts++;
      inner.put(name, key, text);
    },
  };
  return { cache, count };
}

const titles = ({ tasks }: BacklogRead) => tasks.map(({ task }) => `${task.id}: ${task.title}`);
/** An hour ahead of every file's times, so that none is in doubt. */
const later = () => Date.now() + 3_600_000;

const files: Files = {
  'gza.yaml': 'parallel_workers: 2\nmilestones: [M2]\n',
  '.project-config.json': '{"task_size_limits": {"max_files_to_create": 1}}',
  'tasks/step-10.yml': 'title: Ten\nmilestone: {id: M1, name: One}\n',
  'tasks/step-2.yml': 'title: Two\ndepends_on: [step-10]\nprompt: |\n  Long text.\nuser_story: As a…\n',
  'tasks/many/all.yaml':
    'group: g\ndefaults: {max_turns: 3}\ntasks:\n  - {id: a, title: A, tags: [x]}\n  - {id: b, title: B, milestone: M10}\n',
  'tasks/broken.yml': 'titel: x\n',
  'tasks/README.md': 'title: not a task',
  'tasks/.hidden.yml': 'title: hidden',
  'tasks/node_modules/x.yml': 'title: hidden',
  'tasks/latin.yml': Buffer.from('title: caf\xe9\n', 'latin1'),
  'tasks/wide.yml': Buffer.from('\ufefftitle: x', 'utf16le'),
};

test('the work tree and a commit of it give the same, first and from the cache', async () => {
  const root = folderWith(files);
  symlinkSync('/etc/hostname', join(root, 'tasks/link.yml'));
  symlinkSync('..', join(root, 'tasks/up'));
  const id = commit(root);
  const fromTree = workTreeBacklog({ root, cache: openCache(join(root, '.git')), now: later });
  const repository = await openRepository(root);
  const fromCommit = commitBacklog({ repository, commit: id, cache: openCache(join(root, '.git')) });
  const byPlace = (read: BacklogRead) => ({
    ...read,
    problems: printProblems(read.problems),
    identity: '',
  });
  const read = await fromTree.read();
  const first = byPlace(read);
  const again = await fromTree.read();
  expect(byPlace(again)).toEqual(first);
  expect(again.identity).toBe(read.identity);
  expect(byPlace(await fromCommit.read())).toEqual(first);
  expect(byPlace(await fromCommit.read())).toEqual(first);
  expect(titles(await fromCommit.read())).toEqual([
    'broken: broken',
    'a: A',
    'b: B',
    'step-2: Two',
    'step-10: Ten',
  ]);
  expect(first.milestones).toEqual([{ id: 'M2' }, { id: 'M1', name: 'One' }, { id: 'M10' }]);
  expect(first.config).toMatchObject({ parallel_workers: 2, task_size_limits: { max_files_to_create: 1 } });
  expect(first.problems).toMatchInlineSnapshot(`
"tasks/broken.yml:1:1: titel is not a field of a task: did you mean title?
tasks/latin.yml:1:11: tasks/latin.yml is not UTF-8
    expected: UTF-8: save it with that encoding
    found:    the byte 0xe9
tasks/link.yml:1:1: tasks/link.yml is a symbolic link and was not followed
    expected: the file itself, inside the repository
tasks/up:1:1: tasks/up is a symbolic link and was not followed
    expected: the file itself, inside the repository
tasks/wide.yml:1:1: tasks/wide.yml is UTF-16
    expected: UTF-8: save it with that encoding"
`);
});

test('long texts are read when asked for', async () => {
  const root = folderWith(files);
  const id = commit(root);
  for (const backlog of [
    workTreeBacklog({ root }),
    commitBacklog({ repository: await openRepository(root), commit: id }),
  ]) {
    const slim = await backlog.read();
    expect(slim.tasks.find(({ task }) => task.id === 'step-2')!.task).toMatchObject({ content: '' });
    expect((await backlog.definition('step-2'))?.task).toMatchObject({
      content: 'Long text.',
      user_story: 'As a…',
    });
    expect(await backlog.definition('b')).toMatchObject({
      defaults: { max_turns: 3 },
      order: 2,
      lines: { id: 5 },
    });
    expect(await backlog.definition('nobody')).toBeNull();
    const whole = await backlog.read({ whole: true });
    expect(whole.tasks.find(({ task }) => task.id === 'step-2')!.task.content).toBe('Long text.');
    expect(titles(whole)).toEqual(titles(slim));
  }
});

test('a bare repository is read from its commit', async () => {
  const root = folderWith(files);
  commit(root);
  const bare = join(root, 'bare.git');
  execFileSync('git', ['clone', '-q', '--bare', root, bare]);
  const backlog = commitBacklog({ repository: await openRepository(bare), commit: 'HEAD' });
  expect(titles(await backlog.read())).toHaveLength(5);
  await expect(
    commitBacklog({ repository: await openRepository(bare), commit: 'nowhere' }).read(),
  ).rejects.toThrow('nowhere');
});

test('an unchanged backlog is not written again, and only what changed is read', async () => {
  const root = folderWith(files);
  const { cache, count } = countingCache(root);
  const read = () => workTreeBacklog({ root, cache, now: later }).read();
  await read();
  await read();
  await read();
  expect(count).toEqual({ hits: 2, puts: 2 });
  write(root, { 'tasks/step-2.yml': 'title: Other\n', 'tasks/new.yml': 'title: New\n' });
  rmSync(join(root, 'tasks/many'), { recursive: true });
  expect(titles(await read())).toEqual(['broken: broken', 'new: New', 'step-2: Other', 'step-10: Ten']);
  write(root, { 'gza.yaml': 'parallel_workers: 9\n' });
  expect((await read()).config.parallel_workers).toBe(9);
  rmSync(join(root, 'gza.yaml'));
  expect((await read()).config.parallel_workers).toBe(1);
  expect(count.puts).toBe(8);
});

test('an edit in the same moment, of the same size, is seen', async () => {
  const root = folderWith({ 'tasks/a.yml': 'title: one\n' });
  const { cache } = countingCache(root);
  for (let round = 0; round < 20; round++) {
    const backlog = workTreeBacklog({ root, cache });
    write(root, { 'tasks/a.yml': `title: ${String(round).padStart(3, '0')}\n` });
    expect(titles(await backlog.read())).toEqual([`a: ${String(round).padStart(3, '0')}`]);
  }
});

test('when the clock of the disk cannot tell two edits apart, the content does', async () => {
  const root = folderWith({ 'tasks/a.yml': 'title: one\n' });
  settle(root, 'tasks/a.yml');
  const { cache } = countingCache(root);
  const { ctimeMs } = statSync(join(root, 'tasks/a.yml'));
  const read = (at: number) => workTreeBacklog({ root, cache, now: () => at }).read();
  await read(ctimeMs + 1000);
  // As if a second edit had left size and times as they were: the text kept says another title.
  const file = join(root, 'git/gza/cache/backlog');
  const [header = '', ...lines] = readFileSync(file, 'utf8').split('\n');
  const forged = lines
    .join('\n')
    .replace('"one"', '"two"')
    .replaceAll(/"hashes":"\w{40}/g, `"hashes":"${'0'.repeat(40)}`);
  cache.put('backlog', header.slice(header.indexOf(' ') + 1), forged);
  expect(titles(await read(ctimeMs + 1000))).toEqual(['a: one']);
});

test('a file whose time was set back is read again', async () => {
  const root = folderWith({ 'tasks/a.yml': 'title: one\n' });
  settle(root, 'tasks/a.yml');
  const { cache } = countingCache(root);
  const read = () => workTreeBacklog({ root, cache, now: later }).read();
  await read();
  write(root, { 'tasks/a.yml': 'title: two\n' });
  settle(root, 'tasks/a.yml');
  expect(titles(await read())).toEqual(['a: two']);
});

test('a lost, broken or foreign cache costs time and nothing else', async () => {
  const root = folderWith(files);
  const cache = openCache(join(root, 'git'));
  const read = () => workTreeBacklog({ root, cache, now: later }).read();
  const good = await read();
  const file = join(root, 'git/gza/cache/backlog');
  const text = readFileSync(file, 'utf8');
  const key = text.slice(text.indexOf(' ') + 1, text.indexOf('\n'));
  for (const broken of ['', 'x', text.slice(0, -100), text.replace('Ten', 'Elf')]) {
    writeFileSync(file, broken);
    expect(await read()).toEqual(good);
  }
  for (const wrong of ['', '{}', 'null', '[]', '{"path":["a"],"stamps":"","count":""}']) {
    cache.put('backlog', key, wrong);
    expect(await read()).toEqual(good);
  }
  rmSync(join(root, 'git'), { recursive: true });
  expect(await read()).toEqual(good);
});

test('two readers at once both read right', async () => {
  const root = folderWith(files);
  const cache = openCache(join(root, 'git'));
  const reads = await Promise.all(Array.from({ length: 6 }, () => workTreeBacklog({ root, cache }).read()));
  for (const read of reads) expect(read).toEqual(reads[0]);
});

test('what is not a plain file is named and never waited for', async () => {
  const root = folderWith({
    'gza.yml': 'push: true',
    'tasks/sub/.git': 'gitdir: x',
    'tasks/sub/x.yml': 'title: x',
  });
  execFileSync('mkfifo', [join(root, 'tasks/pipe.yml')]);
  mkdirSync(join(root, 'tasks/folder.yml'));
  write(root, { 'tasks/big.yml': Buffer.alloc(10 * 1024 * 1024 + 1, 'x') });
  const { tasks, problems } = await workTreeBacklog({ root }).read();
  expect(tasks).toEqual([]);
  expect(printProblems(problems)).toMatchInlineSnapshot(`
"gza.yml:1:1: gza.yml is not read
    expected: gza.yaml: rename the file
tasks/big.yml:1:1: tasks/big.yml is larger than 10 MB
    expected: at most 10 MB; split it into several files
tasks/pipe.yml:1:1: tasks/pipe.yml is not a regular file
    expected: a file
tasks/sub:1:1: tasks/sub is a repository of its own and was not read
    expected: task files of this one"
`);
});

test('the tasks folder itself may not be a link', async () => {
  const root = folderWith({ 'elsewhere/a.yml': 'title: x' });
  symlinkSync('elsewhere', join(root, 'tasks'));
  const read = await workTreeBacklog({ root }).read();
  expect(read.tasks).toEqual([]);
  expect(printProblems(read.problems)).toContain('tasks is a symbolic link');
});

test('an empty repository has an empty backlog', async () => {
  const root = folderWith({ 'README.md': 'x' });
  const id = commit(root);
  const empty = { tasks: [], problems: [], milestones: [] };
  expect(await workTreeBacklog({ root }).read()).toMatchObject(empty);
  expect(await commitBacklog({ repository: await openRepository(root), commit: id }).read()).toMatchObject(
    empty,
  );
});

test('thousands of tasks in one file and in many come back from the cache as they were', async () => {
  const count = 2000;
  const many = Array.from(
    { length: count },
    (_, i) => `  - {id: m${i}, title: T${i}, priority: ${i % 3 ? 'high' : 'low'}}\n`,
  );
  const single = Array.from({ length: 300 }, (_, i) => [
    `tasks/s${i}.yml`,
    `title: S${i}\n${i % 7 ? '' : 'group: g\n'}`,
  ]);
  const root = folderWith({ 'tasks/many.yml': `tasks:\n${many.join('')}`, ...Object.fromEntries(single) });
  const { cache, count: counted } = countingCache(root);
  const read = () => workTreeBacklog({ root, cache, now: later }).read();
  const first = await read();
  expect(first.tasks).toHaveLength(count + 300);
  expect(await read()).toEqual(first);
  expect(counted).toEqual({ hits: 1, puts: 2 });
});
