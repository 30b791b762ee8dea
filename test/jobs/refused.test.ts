import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { notAccessible } from '../github/answers.ts';
import { brokenInvariants } from '../github/invariants.ts';
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
  await github.tickSchedule('17 * * * *');
  await play();
  expect([board(), pulls()]).toEqual([before, []]);

  github.state.settings.actionsMayOpenPulls = true;
  await github.tickSchedule('17 * * * *');
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

test('a permission that the pick lacks is named on the board, and the other lanes are told', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const effect = { kind: 'answer', answer: notAccessible(['statuses:write']).answer } as const;
  github.faults.add({ match: { operation: 'repos/create-commit-status' }, times: 50, effect });
  const said = (await play()).transcript();
  expect({ board: board(), said }).toEqual({ board: expect.stringContaining('statuses: write'), said });
});
