import { afterAll, afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { type Linear, startLinear } from '../linear/linear.ts';
import { config, openStage, removeProduct, type Stage, task } from './stage.ts';

// A dozen machines are started one after the other, each with several gits.
jest.setTimeout(600_000);

let stage: Stage;
let linear: Linear;
beforeEach(async () => {
  linear = await startLinear();
});
afterEach(async () => {
  await stage.github.close();
  await linear.close();
});
afterAll(removeProduct);

const integrations = 'integrations: { linear: { enabled: true, team_id: ENG }, github: { enabled: true } }\n';

test('picks show the work in Linear and in the issues; an outage of Linear stops nothing and is made up for', async () => {
  stage = await openStage({ 'gza.yaml': `${config}${integrations}` });
  const { github } = stage;
  const play = () =>
    stage.play({
      secrets: { LINEAR_API_KEY: linear.env['LINEAR_API_KEY'] ?? '' },
      env: { LINEAR_API_URL: linear.url },
    });
  linear.faults.push({ effect: { kind: 'status', status: 500 } });
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const first = await play();
  expect([new Set(github.state.runs.map((run) => run.conclusion)), linear.state.issues]).toEqual([
    new Set(['success']),
    [],
  ]);
  expect(first.transcript()).toContain('Linear cannot be reached: it answered 500');
  const pull = github.state.issues.find((one) => one.pull);
  expect(pull).toMatchObject({ state: 'open', pull: { draft: false } });
  const issue = github.state.issues.find(({ labels }) => labels.includes('gza-task'));
  expect(issue).toMatchObject({
    title: 'Answer',
    state: 'open',
    body: expect.stringContaining(`/pull/${pull?.number}`),
  });

  linear.faults.splice(0);
  await github.commit({
    branch: 'main',
    files: {
      'tasks/next.yml': task
        .replace('Answer', 'Next')
        .replace('type:', 'depends_on: answer\nrequires: merged\ntype:'),
    },
  });
  await play();
  expect(linear.state.issues.map(({ title, state }) => [title, state.name])).toEqual([
    ['Answer', 'In Review'],
    ['Next', 'Todo'],
  ]);
  expect(linear.state.issues[0]?.attachments).toMatchObject([{ title: `Pull request #${pull?.number}` }]);
  expect(await github.data.git.text(['log', '--format=%B', 'refs/tasks/main'])).toContain(
    '"linear_issue_id":"ENG-2"',
  );

  await github.as('walter').merge(pull?.number ?? 0);
  await play();
  const next = github.state.issues.find(({ title, pull }) => pull && title === 'Next');
  expect(linear.state.issues.map(({ state, attachments }) => [state.name, attachments[0]?.title])).toEqual([
    ['Done', `Pull request #${pull?.number}`],
    ['In Review', `Pull request #${next?.number}`],
  ]);
  expect(issue).toMatchObject({ state: 'closed', stateReason: 'completed' });
  expect(linear.state.issues).toHaveLength(2);
  expect(await brokenInvariants(github)).toEqual([]);
});
