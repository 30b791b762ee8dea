import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { callerPath, callerWorkflow } from '../src/core/text/doctor/caller-workflow.ts';
import { root } from './e2e/cli.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');

const shipped = [
  ...readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`),
  ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
  'README.md',
  'action.yml',
  'action/action.yml',
];

/** Every `uses:` that people may run or copy, with what stands behind it. */
const used = [
  ...shipped.map((path) => [path, read(path)] as const),
  [callerPath, callerWorkflow({ minute: 17, branch: 'main' })] as const,
].flatMap(([path, text]) =>
  [...text.matchAll(/\buses: ([^\s`]+)(?: (# \S+))?/g)].map(([, name = '', comment]) => ({
    path,
    name,
    comment,
  })),
);

/** The tag of each commit, as their repositories have it. */
const tags: Readonly<Record<string, string>> = {
  'actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1': 'v7.0.1',
  'actions/create-github-app-token@bcd2ba49218906704ab6c1aa796996da409d3eb1': 'v3.2.0',
  'actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c': 'v8.0.1',
  'actions/setup-node@48b55a011bda9f5d6aeb4c2d9c7362e8dae4041e': 'v6.4.0',
  'actions/upload-artifact@043fb46d1a93c77aae656e7c1c64a875d1fc6a0a': 'v7.0.1',
};

test('each action that is named by a commit is named by that of a tag, which stands behind it', () => {
  const pinned = used.filter(({ name }) => /@[0-9a-f]{40}$/.test(name));
  const wrong = pinned.filter(({ name, comment }) => comment !== `# ${tags[name]}`);
  expect(wrong).toEqual([]);
  expect([...new Set(pinned.map(({ name }) => name))].toSorted()).toEqual(Object.keys(tags));
});

/** The runner parses `$/<path>` and no bare `$/`: actions/runner, PipelineConstants.TryParseSelfRepository. */
test('what `$/` names has a path, and is there', () => {
  const own = used.filter(({ name }) => name.startsWith('$/')).map(({ name }) => name.slice(2));
  expect([...new Set(own)].toSorted()).toEqual([
    ...['agent', 'land', 'lane', 'verify'].map((name) => `.github/workflows/gza-${name}.yml`),
    'action',
  ]);
  expect(own.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('the action of the workflows is the one that others use, and is shipped', () => {
  const own = read('action/action.yml').replace('main: ../dist/', 'main: dist/');
  expect(own).toBe(read('action.yml'));
  const { main } = (parse(read('action/action.yml')) as { runs: { main: string } }).runs;
  expect(join(root, 'action', main)).toBe(join(root, 'dist/index.js'));
  const { files } = JSON.parse(read('package.json')) as { files: string[] };
  expect(files).toEqual(expect.arrayContaining(['action', 'action.yml', 'dist']));
});
