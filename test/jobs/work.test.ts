import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { config, openStage, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const whole = `name: whole
on: { workflow_dispatch: {} }
permissions: { contents: write, pull-requests: write, issues: write, statuses: write }
jobs:
  whole:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with: { fetch-depth: 0, persist-credentials: false }
      - uses: gza-dev/gza@v1
        with: { command: work --all, unsafe: true }
`;

test('the whole loop in one job pushes what it did and opens the pull request, and doing it again does nothing', async () => {
  const reviewed = `${config}task_types:\n  implement: { auto_review: true }\n`;
  stage = await openStage({
    'gza.yaml': reviewed,
    'tasks/answer.yml': task,
    '.github/workflows/whole.yml': whole,
  });
  const { github, play, file } = stage;
  const start = () =>
    github.as('walter').request('POST', '/actions/workflows/whole.yml/dispatches', { ref: 'main' });
  await start();
  const said = (await play()).transcript();
  expect({ ended: github.state.runs.map((run) => run.conclusion), said }).toEqual({
    ended: ['success'],
    said,
  });
  expect(await file('gza/answer', 'src/answer.js')).toContain('cycle 1: apples');
  const pull = github.state.issues.find((one) => one.pull);
  expect({ pull, said }).toMatchObject({
    pull: { title: 'Answer', labels: expect.arrayContaining(['gza: approved']), pull: { draft: false } },
    said,
  });
  const board = github.state.issues.find((one) => !one.pull);
  expect([board?.title, board?.body]).toEqual(['gza: task board', expect.stringContaining('answer: Answer')]);
  expect(await stage.ledgers()).toBe('refs/tasks/gza/answer\nrefs/tasks/main');

  const head = await github.data.commit('gza/answer');
  const before = github.seen.length;
  await start();
  await play();
  expect(await github.data.commit('gza/answer')).toBe(head);
  expect(github.seen.slice(before).filter(({ job, creates }) => creates && job !== undefined)).toEqual([]);
  expect(await brokenInvariants(github)).toEqual([]);
});
