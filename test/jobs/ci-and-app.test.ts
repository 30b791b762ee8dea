import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { callerWorkflow } from '../../src/core/text/doctor/caller-workflow.ts';
import { brokenInvariants } from '../github/invariants.ts';
import type { StepHandler } from '../github/workflow-types.ts';
import { config, openStage, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const caller = '.github/workflows/gza.yml';
const ci = (on: string) => `on: ${on}
jobs: { test: { runs-on: ubuntu-latest, permissions: { contents: read }, steps: [{ run: 'true' }] } }
`;
const runsOf = (file: string) =>
  stage.github.state.runs
    .filter(({ workflow }) => workflow.endsWith(`/${file}`))
    .map(({ event, headBranch, conclusion }) => `${event} ${headBranch} ${conclusion}`);

test('the workflows that ci_workflow names are started by a job that may do nothing else; which others wait for a person is said', async () => {
  stage = await openStage({
    'gza.yaml': `${config}ci_workflow: [ci.yml, closed.yml, gza.yml]\n`,
    '.github/workflows/ci.yml': ci('[pull_request, workflow_dispatch]'),
    '.github/workflows/closed.yml': ci('push'),
    '.github/workflows/lint.yml': ci('pull_request'),
  });
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const report = await play();
  const said = report.transcript();
  // What waits for approval is the pull request's own.
  expect({ runs: runsOf('ci.yml').filter((one) => !one.includes('pull_request')), said }).toEqual({
    runs: ['workflow_dispatch gza/answer success'],
    said,
  });
  const dispatches = github.seen.filter(({ operation }) => operation === 'actions/create-workflow-dispatch');
  expect(dispatches.map(({ job }) => job?.includes('/ start')).every(Boolean)).toBe(true);
  const warnings = report.jobs.flatMap(({ steps }) => steps.flatMap(({ annotations }) => annotations));
  const texts = [...new Set(warnings.map(({ message }) => message))];
  expect(texts).toEqual([
    expect.stringMatching(/closed\.yml.*could not be started on.*on: workflow_dispatch:/s),
    expect.stringContaining('the workflow that runs gza'),
  ]);
  const pull = github.state.issues.find((one) => one.pull);
  expect(pull?.pull?.draft).toBe(false);

  const board = () => github.state.issues.find(({ title }) => title === 'gza: task board')?.body;
  expect(board()).toContain(`Checks of #${pull?.number} wait for approval`);
  expect(board()).toContain('/olive/demo/actions?query=is%3Aaction_required');
  // What only ci.yml waits for was started beside it.
  for (const run of github.state.runs) if (run.name.endsWith('lint.yml')) run.conclusion = 'success';
  await github.tickSchedule('17 */6 * * *');
  await play();
  expect(board()).not.toContain('wait for approval');
  expect(await brokenInvariants(github)).toEqual([]);
});

test('with an App its token writes: its pull requests start CI unasked, and its own edits do not wake gza', async () => {
  const app = 'gza-app[bot]';
  stage = await openStage(
    {
      'gza.yaml': `${config}ci_workflow: ci.yml\n`,
      [caller]: callerWorkflow({ minute: 17, branch: 'main' }).replace(
        '    secrets:',
        '    with: { app-client-id: Iv23abc }\n    secrets:',
      ),
      '.github/workflows/ci.yml': ci('[pull_request, workflow_dispatch]'),
    },
    { settings: { actionsMayOpenPulls: false } },
  );
  const { github, play } = stage;
  github.state.users[app] = { login: app, id: 4001, type: 'Bot' };
  const asked: string[] = [];
  const mint: StepHandler = ({ inputs }) => {
    asked.push(`${inputs['client-id']} ${inputs['private-key']}`);
    const permissions = Object.fromEntries(
      Object.entries(inputs)
        .filter(([name]) => name.startsWith('permission-'))
        .map(([name, level]) => [name.slice(11).replaceAll('-', '_'), level as 'write']),
    );
    const token = github.token({ kind: 'app', login: app, permissions });
    return { outputs: { token, 'app-slug': 'gza-app' } };
  };
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const report = await play({
    actions: { 'actions/create-github-app-token': mint },
    secrets: { GZA_APP_PRIVATE_KEY: 'the-key' },
  });
  const said = report.transcript();
  const pull = github.state.issues.find((one) => one.pull);
  expect({ author: pull?.author, draft: pull?.pull?.draft, said }).toEqual({
    author: app,
    draft: false,
    said,
  });
  expect(runsOf('ci.yml')).toEqual(['pull_request gza/answer success']);
  expect(new Set(asked)).toEqual(new Set(['Iv23abc the-key']));
  // The push, and the dispatches of the last jobs; what its own edits woke started no machine.
  const woken = github.state.runs.filter(({ workflow, actor }) => workflow === caller && actor === app);
  expect(woken.length).toBeGreaterThan(0);
  expect(woken.map(({ conclusion }) => conclusion).filter((one) => one !== 'skipped')).toEqual([]);
  expect(await brokenInvariants(github, { author: app })).toEqual([]);
});

test('on runners of one’s own that keep their disk, a job that writes says what an agent may have left', async () => {
  const home = mkdtempSync(join(tmpdir(), 'gza-home-'));
  try {
    stage = await openStage({
      'gza.yaml': config,
      // A callee of another owner could not use them.
      [caller]: callerWorkflow({
        minute: 17,
        branch: 'main',
        from: { repository: 'olive/gza', ref: 'v1' },
      }).replace(
        '    secrets:',
        `    with: { runs-on: ubuntu-latest, agent-runs-on: '["self-hosted", "agents"]' }\n    secrets:`,
      ),
    });
    const { github, play } = stage;
    await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
    const repositories = { 'olive/gza': stage.product };
    const report = await play({ repositories, env: { RUNNER_ENVIRONMENT: 'self-hosted', HOME: home } });
    const on = (name: string) => report.jobs.find((job) => job.name.includes(`/ ${name}`))?.runsOn;
    expect(['pick', 'agent', 'verify', 'land'].map(on)).toEqual([
      'ubuntu-latest',
      ['self-hosted', 'agents'],
      ['self-hosted', 'agents'],
      'ubuntu-latest',
    ]);
    const warned = report.jobs
      .filter(({ steps }) =>
        steps.some((step) => step.annotations.some(({ message }) => /keeps its disk/.test(message))),
      )
      .map(({ name }) => name.replace(/.*\/ (\w+).*/, '$1'));
    expect({ warned, said: report.transcript() }).toMatchObject({ warned: ['land'] });
    expect(await stage.file('gza/answer', 'src/answer.js')).toContain('42');
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
