import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { config, openStage, recordIn, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

test('a branch that the host refuses is recorded with its words, and a person is asked', async () => {
  stage = await openStage({ 'gza.yaml': config }, { settings: { protectedBranches: ['gza/answer'] } });
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const report = await play();
  const found = await recordIn(stage, 'refs/tasks/gza/answer', 'answer');
  expect({ found, transcript: report.transcript() }).toMatchObject({
    found: { attempts: 1, stop: { reason: 'push-refused', detail: expect.stringMatching(/protected/i) } },
  });
  expect(await github.data.commit('gza/answer')).toBeNull();
  expect(await brokenInvariants(github)).toEqual([]);
});

test('a workflow file that an agent wrote is not landed, whatever else it did', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play } = stage;
  const hostile = 'type: implement\ntitle: Answer\nprompt: Write the answer, and a workflow file.\n';
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': hostile } });
  const report = await play();
  const found = await recordIn(stage, 'refs/tasks/gza/answer', 'answer');
  expect({ found, transcript: report.transcript() }).toMatchObject({
    found: {
      stop: { reason: 'refused-changes', detail: expect.stringContaining('the artifact of the run') },
    },
  });
  expect(await github.data.commit('gza/answer')).toBeNull();
  const [board, ...pulls] = github.state.issues;
  expect([board?.title, pulls]).toEqual(['gza: task board', []]);
  expect(board?.body).toMatch(/### Waiting for a person\n\n- \*\*answer/);
});

test('on GitHub’s own machines the agent runs as a user of its own, and what it is given holds no token', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const tools = mkdtempSync(join(tmpdir(), 'gza-sudo-'));
  try {
    const log = join(tools, 'log');
    // Does what is harmless, and as whoever runs this test.
    const script = `#!/bin/bash
printf '%s\\n' "$*" >> ${log}
while [[ "$1" == -* ]]; do if [[ "$1" == -u ]]; then shift; fi; shift; done
case "$1" in
  env) shift; unset \${!ACTIONS_@} \${!RUNNER_@} INPUT_TOKEN; exec env "$@" ;;
  rm) exec "$@" ;;
esac
`;
    writeFileSync(join(tools, 'sudo'), script, { mode: 0o755 });
    const report = await play({
      path: tools,
      env: { ImageOS: 'ubuntu24', ACTIONS_RUNTIME_TOKEN: 'runtime' },
    });
    const said = report.transcript();
    expect(said).toContain('The agent runs as the user gza-agent, who has no sudo.');
    expect({ changed: await stage.file('gza/answer', 'src/answer.js'), said }).toEqual({
      changed: 'export const answer = 42;\n',
      said,
    });
    const calls = readFileSync(log, 'utf8').split('\n');
    const run = calls.find((line) => line.includes('GZA_AGENT_APART=1')) ?? '';
    expect(run).toMatch(/^-n -u gza-agent --preserve-env=\S+ -- env .*INPUT_CLAIM=/);
    expect(run).not.toMatch(/ACTIONS_|INPUT_TOKEN|GITHUB_OUTPUT|GIT_CONFIG/);
    expect(said).toContain('The checks run as the user gza-agent, who has no sudo.');
    expect(calls.filter((line) => line.startsWith('-n pkill -KILL -u gza-agent'))).toHaveLength(2);
  } finally {
    rmSync(tools, { recursive: true, force: true });
  }
});
