/** The action on each node that it may meet: GZA_NODES names others (`/path/to/node:/another`), else this one. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { openGit } from '../../src/git/git.ts';
import { root } from '../e2e/cli.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { runAction } from '../github/runner.ts';
import { config, openStage, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(300_000);

let stage: Stage;
let dir = '';
afterEach(async () => {
  rmSync(dir, { recursive: true, force: true });
  await stage.github.close();
});
afterAll(removeProduct);

const named = (process.env['GZA_NODES'] ?? '').split(delimiter).filter((one) => one !== '');
const nodes = (named.length > 0 ? named : [process.execPath]).map((node) => ({
  node,
  version: execFileSync(node, ['--version'], { encoding: 'utf8' }).trim(),
}));
const entry = join(root, 'dist', 'index.js');

test.each(nodes)(
  'on node $version what is shipped picks, and says nothing that should be secret',
  async ({ node }) => {
    stage = await openStage({ 'gza.yaml': config, 'tasks/answer.yml': task });
    const { github } = stage;
    dir = mkdtempSync(join(tmpdir(), 'gza-node-'));
    mkdirSync(join(dir, 'temp'));
    await openGit(dir, { isolated: true }).text(['clone', '--quiet', github.gitDir, 'work']);
    const work = join(dir, 'work');
    const token = github.token({});
    await openGit(work, { isolated: true }).text(['remote', 'set-url', 'origin', github.gitUrl]);
    const inputs = { command: 'pick', token };
    const payload = { repository: { default_branch: 'main' } };
    const job = { workspace: work, temp: join(dir, 'temp'), payload };
    const step = await runAction({ github, entry, node, inputs, job, secrets: [token] });
    expect({ code: step.exitCode, errors: step.errors, log: step.log }).toMatchObject({
      code: 0,
      errors: [],
    });
    expect(JSON.parse(step.outputs['matrix'] ?? '[]')).toEqual([
      { task: 'answer', claim: expect.stringMatching(/^[\w-]+$/), keys: [] },
    ]);
    expect([step.outputs['count'], step.outputs['base'], step.maskedOutputs]).toEqual([
      '1',
      await github.data.commit('main'),
      [],
    ]);
    expect(step.summary).toContain('Started 1 task');
    expect([step.log, step.summary, ...Object.values(step.outputs)].join('\n')).not.toContain(token);
  },
);

test.each(nodes)('on node $version a pushed task becomes a pull request', async ({ node }) => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const said = (await play({ node })).transcript();
  const pulls = github.state.issues.filter((one) => one.pull);
  expect({ ready: pulls.map(({ pull }) => pull?.draft), said }).toEqual({ ready: [false], said });
  expect(await brokenInvariants(github)).toEqual([]);
});

test('what every job downloads is at most 3 MB', () => {
  expect(statSync(entry).size).toBeLessThanOrEqual(3_000_000);
});

test('what the command line loads has nothing of the toolkit in it', () => {
  const withToolkit = readdirSync(join(root, 'dist')).filter(
    (name) =>
      name.endsWith('.js') && /ghadelimiter_|undici/.test(readFileSync(join(root, 'dist', name), 'utf8')),
  );
  expect(withToolkit).toEqual(['index.js']);
});
