import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from './e2e/cli.ts';
import { diagnose } from './github/official-parser.ts';

const folder = join(root, '.github', 'workflows');
const workflows = readdirSync(folder).map(
  (name) => [name, readFileSync(join(folder, name), 'utf8')] as const,
);

interface Workflow {
  readonly permissions?: object;
  readonly jobs: Readonly<
    Record<string, { readonly permissions?: object; readonly needs?: readonly string[] }>
  >;
}

test.each(workflows)('%s is accepted by GitHub’s own parser', async (name, text) => {
  expect(await diagnose(name, text)).toEqual([]);
});

test.each(workflows)('%s gives no job more than it names, and takes actions by commit', (_name, text) => {
  const { permissions, jobs } = parse(text) as Workflow;
  expect(permissions).toEqual({});
  for (const job of Object.values(jobs)) expect(job.permissions).toBeDefined();
  const used = [...text.matchAll(/uses: (\S+)/g)].map(([, name = '']) => name);
  expect(used.filter((name) => !name.startsWith('./') && !/@[0-9a-f]{40}$/.test(name))).toEqual([]);
});

test('ci-ok waits for every other job', () => {
  const [, text = ''] = workflows.find(([name]) => name === 'ci.yml') ?? [];
  const { 'ci-ok': last, ...others } = (parse(text) as Workflow).jobs;
  expect(last?.needs).toEqual(Object.keys(others));
});
