/** What a short call costs, in what can be counted: processes of git, and files read and written. */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openSandbox, type Sandbox } from './cli.ts';

/** The git commands that a call of gza starts. */
async function gitCommands(sandbox: Sandbox, ...words: string[]): Promise<string[]> {
  const trace = join(sandbox.dir, 'trace');
  rmSync(trace, { force: true });
  await sandbox.says(words, { env: { GIT_TRACE2_EVENT: trace } });
  if (!existsSync(trace)) return [];
  const starts = readFileSync(trace, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; argv?: string[] })
    .filter(({ event }) => event === 'start');
  return starts.map(({ argv = [] }) => argv.slice(1).find((arg) => /^[a-z][a-z-]+$/.test(arg)) ?? '');
}

test('ready starts no git while ledgers lie loose, and one where they are packed', async () => {
  await using sandbox = openSandbox();
  await sandbox.add('One');
  await sandbox.add('Two');
  expect(await gitCommands(sandbox, 'ready')).toEqual([]);
  await sandbox.add('Three');
  sandbox.git('gc', '-q', '--prune=now');
  expect(await gitCommands(sandbox, 'ready')).toEqual(['cat-file']);
  for (const words of [['ready'], ['ready', '--json']]) {
    await gitCommands(sandbox, ...words);
    expect(await gitCommands(sandbox, ...words)).toEqual([]);
  }
});

test('add starts no git where the ledger lies in files of its own, and one where refs are packed', async () => {
  await using sandbox = openSandbox();
  await sandbox.add('One');
  expect(await gitCommands(sandbox, 'add', 'Two')).toEqual([]);
  sandbox.git('pack-refs', '--all');
  expect(await gitCommands(sandbox, 'add', 'Three')).toEqual(['update-ref']);
});

test('an answer is kept only until a ledger, a file or the question changes', async () => {
  await using sandbox = openSandbox();
  const ready = async (...words: string[]) => {
    const first = await sandbox.says(['ready', ...words]);
    expect(await sandbox.says(['ready', ...words])).toBe(first);
    return first;
  };
  const id = await sandbox.add('One');
  expect(await ready()).toContain('One');
  await sandbox.says(['add', 'Two']);
  expect(await ready()).toContain('Two');
  expect(await ready('--max', '1')).not.toContain('Two');
  sandbox.write('tasks/three.yml', 'title: Three\n');
  expect(await ready()).toContain('Three');
  sandbox.write('tasks/three.yml', 'title: Four\n');
  expect(await ready()).toContain('Four');
  await sandbox.says(['claim', id]);
  expect(await ready()).not.toContain('One');
});

test('five thousand refs that are no ledgers cost as many processes and as many words as fifty', async () => {
  await using sandbox = openSandbox();
  await sandbox.add('One');
  const head = sandbox.git('rev-parse', 'HEAD');
  const push = (from: number, to: number) => {
    const refs = Array.from({ length: to - from }, (_, n) => from + n).flatMap((n) => [
      `create refs/tasks/junk/${n} ${head}\n`,
      `create refs/heads/junk/${n} ${head}\n`,
    ]);
    execFileSync('git', ['update-ref', '--stdin'], { cwd: sandbox.repo, input: refs.join('') });
  };
  const verbs = [['ready'], ['status'], ['why'], ['fsck']];
  const cost = async () => {
    const all: (readonly [string, number, number])[] = [];
    for (const words of verbs) {
      const trace = join(sandbox.dir, 'trace');
      rmSync(trace, { force: true });
      const { stdout, stderr } = await sandbox.gza(words, { env: { GIT_TRACE2_EVENT: trace } });
      const started =
        (existsSync(trace) ? readFileSync(trace, 'utf8') : '').split('"event":"start"').length - 1;
      all.push([words.join(' '), started, words[0] === 'fsck' ? 0 : (stdout + stderr).split('\n').length]);
    }
    return all;
  };
  push(0, 50);
  await cost();
  const few = await cost();
  push(50, 5_000);
  const many = await cost();
  expect(many.map(([verb, started]) => [verb, started <= 4])).toEqual(verbs.map(([verb]) => [verb, true]));
  expect(many.map(([verb, , lines]) => [verb, lines])).toEqual(few.map(([verb, , lines]) => [verb, lines]));
});

/** Each marks a package by words of its own that a bundle of it holds. */
const packages = {
  zod: 'ZodError',
  yaml: 'YAMLParseError',
  'simple-git': 'GitPluginError',
  'markdown-it': 'skipEmptyLines',
  octokit: 'octokit-core.js',
};

test('verbs that only look load no package', () => {
  for (const bundle of ['cli.js', 'main.js']) {
    const text = readFileSync(join(import.meta.dirname, '../../dist', bundle), 'utf8');
    const found = Object.entries(packages).filter(([, words]) => text.includes(words));
    expect(found.map(([name]) => name)).toEqual([]);
  }
});
