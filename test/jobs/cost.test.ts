/** What a task costs on GitHub; one with an improve is in session.test.ts. A bar that is passed is a failure. */
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { costOf, over } from './cost.ts';
import { approving, openStage, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

test('a task that its first review approves costs one run of six jobs, and a comment that needs no agent two', async () => {
  stage = await openStage({ 'gza.yaml': `${approving}task_types:\n  implement: { auto_review: true }\n` });
  const { github } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const { said, runs, ...cost } = await costOf(stage);
  const pull = github.state.issues.find((one) => one.pull);
  expect({ runs, labels: pull?.labels, over: over(cost, { jobs: 6, pushes: 3 }), said }).toEqual({
    runs: ['success'],
    labels: ['gza', 'gza: approved'],
    over: [],
    said,
  });
  await github.as('walter').comment(pull?.number ?? 0, '/gza status');
  const asked = await costOf(stage);
  expect({ over: over(asked, { jobs: 2 }), said: asked.said }).toEqual({ over: [], said: asked.said });
});
