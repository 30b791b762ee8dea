import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { callerWorkflow } from '../../src/core/text/doctor/caller-workflow.ts';
import { brokenInvariants } from '../github/invariants.ts';
import type { StepHandler } from '../github/workflow-types.ts';
import { config, openStage, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const board = () => stage.github.state.issues.find((one) => one.title === 'gza: task board')?.body ?? '';
const pulls = () => stage.github.state.issues.filter((one) => one.pull).map(({ title }) => title);

test('where Actions may open no pull requests the board says so with a link, until it is switched on', async () => {
  stage = await openStage({ 'gza.yaml': config }, { settings: { actionsMayOpenPulls: false } });
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const said = (await play()).transcript();
  expect({ board: board(), said }).toEqual({
    board: expect.stringContaining('### Waiting for a person: refused by GitHub'),
    said,
  });
  expect(board()).toContain('Allow GitHub Actions to create and approve pull requests');
  expect(board()).toContain('/olive/demo/compare/main...gza/answer?expand=1');
  expect(await stage.file('gza/answer', 'src/answer.js')).toContain('42');
  const before = board();
  await github.tickSchedule('17 */6 * * *');
  await play();
  expect([board(), pulls()]).toEqual([before, []]);

  github.state.settings.actionsMayOpenPulls = true;
  await github.tickSchedule('17 */6 * * *');
  await play();
  expect(pulls()).toEqual(['Answer']);
  expect(board()).not.toContain('refused by GitHub');
  expect(await brokenInvariants(github)).toEqual([]);
});

test('workflow files that a task may write are refused by GitHub: the board names the scope that is missing', async () => {
  const open = 'protected: { except: [.github/workflows/**] }\n';
  stage = await openStage({ 'gza.yaml': config + open });
  const { github, play } = stage;
  const asked = 'type: implement\ntitle: Answer\nprompt: Write the answer, and a workflow file.\n';
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': asked } });
  const said = (await play()).transcript();
  expect({ board: board(), said }).toEqual({
    board: expect.stringMatching(
      /### Waiting for a person\n\n- \*\*answer.*workflow files.*\.github\/workflows\/more\.yml.*scope `workflow`/,
    ),
    said,
  });
  expect(pulls()).toEqual([]);
});

test('permissions that the token lacks are named one by one; all else is done, and what lacks follows', async () => {
  const app = 'gza-app[bot]';
  const caller = callerWorkflow({ minute: 17, branch: 'main' }).replace(
    '    secrets:',
    '    with: { app-client-id: Iv23abc }\n    secrets:',
  );
  stage = await openStage({ 'gza.yaml': config, '.github/workflows/gza.yml': caller });
  const { github } = stage;
  github.state.users[app] = { login: app, id: 4001, type: 'Bot' };
  const permissions = { actions: 'read', contents: 'write', pull_requests: 'write' } as const;
  let more: Record<string, 'read' | 'write'> = { issues: 'read' };
  const mint: StepHandler = () => {
    const token = github.token({ kind: 'app', login: app, permissions: { ...permissions, ...more } });
    return { outputs: { token, 'app-slug': 'gza-app' } };
  };
  const play = () =>
    stage.play({
      actions: { 'actions/create-github-app-token': mint },
      secrets: { GZA_APP_PRIVATE_KEY: 'the-key' },
    });
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const report = await play();
  const said = report.transcript();
  const drafts = github.state.issues.map(({ title, pull }) => [title, pull?.draft]);
  const ends = new Set(report.jobs.map(({ result }) => result));
  expect({ drafts, ends, said }).toEqual({
    drafts: [['Answer', false]],
    ends: new Set(['success', 'skipped']),
    said,
  });
  const warned = (name: string) =>
    report.jobs
      .filter((job) => job.name.includes(`/ ${name}`))
      .flatMap(({ steps }) => steps.flatMap(({ annotations }) => annotations.map(({ message }) => message)));
  const lacking = (permission: string, operation: string) =>
    expect.stringMatching(
      `lacks the permission ${permission}, so gza could not ${operation}\\. Add \`${permission}\` below`,
    );
  expect(warned('land')).toEqual([lacking('statuses: write', 'set a commit status')]);
  expect(warned('pick')).toContainEqual(lacking('statuses: write', 'set a commit status'));
  expect(warned('pick')).toContainEqual(lacking('issues: write', 'open an issue'));
  const summaries = report.jobs.flatMap(({ steps }) => steps.map(({ summary }) => summary));
  expect(summaries).toContainEqual(
    expect.stringMatching(/lacks permissions\n\n- `statuses: write`: .*\n- `issues: write`: /),
  );

  more = { issues: 'write' };
  await github.tickSchedule('17 */6 * * *');
  await play();
  expect(board()).toMatch(/`statuses: write`: \*\*The token lacks/);
  more = { issues: 'write', statuses: 'write' };
  await github.tickSchedule('17 */6 * * *');
  await play();
  expect(board()).not.toContain('statuses: write');
  expect(github.state.statuses.map(({ context, state }) => `${context} ${state}`)).toEqual([
    'gza/verify success',
  ]);
  expect(await brokenInvariants(github, { author: app })).toEqual([]);
});
