/** What a stranger meets: `gza init --github` in a project with a lockfile, a push, and a pull request that was tested. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { openSandbox } from '../e2e/cli.ts';
import { npmProject } from '../e2e/npm-project.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { isPull } from '../github/state.ts';
import { openStage, removeProduct, type Stage, scriptedAgent, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage | undefined;
afterEach(() => stage?.github.close());
afterAll(removeProduct);

test('an npm project with a lockfile: what init writes installs and tests it, on GitHub and on a laptop, without a key', async () => {
  await using box = openSandbox();
  for (const [path, text] of Object.entries(npmProject)) box.write(path, text);
  await box.says('init --github');
  const agents = `agents:\n  claude: { command: ${JSON.stringify([process.execPath, scriptedAgent, 'content'])}, prompt_via: stdin }\n`;
  box.write('gza.yaml', `${readFileSync(join(box.repo, 'gza.yaml'), 'utf8')}${agents}`);
  box.write('tasks/answer.yml', task);
  rmSync(join(box.repo, 'tasks/example.yml'));
  box.git('add', '-A');
  box.git('commit', '-q', '-m', 'Begin with gza');

  const work = await box.gza(['work', 'answer'], { env: { ANTHROPIC_API_KEY: 'the-key' } });
  expect(work).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('✓ Task #answer completed (APPROVED'),
  });

  const files = Object.fromEntries(
    box
      .git('ls-files')
      .split('\n')
      .map((path) => [path, readFileSync(join(box.repo, path), 'utf8')]),
  );
  const caller = '.github/workflows/gza.yml';
  files[caller] = (files[caller] ?? '').replace(/npm install --global [^"]*/, 'node --version');
  stage = await openStage(files);
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': `${task}priority: high\n` } });
  const said = (await play({ secrets: { ANTHROPIC_API_KEY: 'the-key' } })).transcript();
  const pulls = github.state.issues.filter(isPull).map(({ title, pull }) => `${title} ${pull.draft}`);
  expect({ pulls, said }).toEqual({
    pulls: ['Answer false'],
    said: expect.stringContaining('the setup command passed'),
  });
  expect(await brokenInvariants(github)).toEqual([]);
});
