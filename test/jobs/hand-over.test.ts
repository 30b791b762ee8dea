import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { config, openStage, removeProduct, type Stage } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

test('the open boxes of a person’s pull request are worked off on its branch, and ticked with their commits', async () => {
  stage = await openStage({ 'gza.yaml': config.replace('src/answer.js', 'src/*.js') });
  const { github, play } = stage;
  const files = { 'notes.md': 'By hand.\n' };
  await github.commit({ branch: 'by-hand', from: 'main', files, by: 'walter' });
  const body = 'What I want:\r\n\r\n- [x] Think\r\n- [ ] Write the answer\r\n- [ ] Write the question\r\n';
  const number = await github.as('walter').openPull('by-hand', { title: 'By hand', body });
  await github.as('walter').comment(number, '/gza work');
  const said = (await play()).transcript();
  const pull = github.state.issues.find((one) => one.number === number);
  const commits = (await github.data.git.text(['log', '--format=%h %s', '--reverse', 'main..by-hand'])).split(
    '\n',
  );
  expect({ commits: commits.map((line) => line.slice(8)), said }).toEqual({
    commits: ['Change', 'Write the answer', 'Write the question'],
    said,
  });
  const [, first = '', second = ''] = commits.map((line) => line.slice(0, 7));
  expect(pull?.title).toBe('By hand');
  expect(pull?.body).toContain(
    `What I want:\r\n\r\n- [x] Think\r\n- [x] Write the answer (${first})<!-- gza:commit -->\r\n- [x] Write the question (${second})<!-- gza:commit -->\r\n`,
  );
  const [answer] = github.state.comments.filter(({ author }) => author === 'github-actions[bot]');
  expect(answer?.body).toContain('I understood 2 tasks');
  expect(await brokenInvariants(github)).toEqual([]);
});

test('the open boxes of an issue become tasks of a lane of their own, once, and are ticked with their commits', async () => {
  stage = await openStage({ 'gza.yaml': config.replace('src/answer.js', 'src/*.js') });
  const { github, play } = stage;
  const body = 'Wanted:\r\n\r\n- [ ] Write the answer\r\n- [ ] Write the question\r\n';
  const made = await github.as('rita').request('POST', '/issues', { title: 'Two things', body });
  const number = Number(made.body['number']);
  await github.as('rita').comment(number, '/gza work');
  await play();
  expect(github.state.issues.filter((one) => one.pull)).toEqual([]);

  await github.as('walter').comment(number, '/gza work');
  await github.as('walter').comment(number, '/gza work');
  const said = (await play()).transcript();
  const branch = `gza/issue-${number}`;
  const log = async () =>
    (await github.data.git.text(['log', '--format=%h %s', '--reverse', `main..${branch}`])).split('\n');
  const commits = await log();
  expect({ commits: commits.map((line) => line.slice(8)), said }).toEqual({
    commits: ['Write the answer', 'Write the question'],
    said,
  });
  const [first = '', second = ''] = commits.map((line) => line.slice(0, 7));
  expect(github.state.issues.find((one) => one.number === number)?.body).toBe(
    `Wanted:\r\n\r\n- [x] Write the answer (${first})<!-- gza:commit -->\r\n- [x] Write the question (${second})<!-- gza:commit -->\r\n`,
  );
  const answers = github.state.comments.filter(({ author }) => author === 'github-actions[bot]');
  // The first is for rita, who may not.
  expect(answers[0]?.body).toContain('gza:who-may-command');
  expect(answers[1]?.body).toContain('I understood 2 tasks');
  expect(answers[1]?.body).toContain('on a new branch');
  const pulls = github.state.issues.filter((one) => one.pull);
  expect(pulls.map(({ pull }) => [pull?.head.ref, pull?.draft])).toEqual([[branch, false]]);
  expect(await brokenInvariants(github)).toEqual([]);
});
