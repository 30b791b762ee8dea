import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { config, openStage, removeProduct, type Stage } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const waiting = 'type: implement\ntitle: Answer\nprompt: Write it.\ndepends_on: gate\n';
const gate = 'type: plan\ntitle: Gate\nprompt: Say how.\nassigned_agent: someone\n';
const answerRecord = () => stage.github.data.git.text(['grep', '-h', '"id":"answer"', 'refs/tasks/main']);

test('ticks on the board and comments on any issue count also when no event tells of them, each once', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play } = stage;
  const { state } = github;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': waiting, 'tasks/gate.yml': gate } });
  await play();
  const board = () => state.issues.find((one) => one.title === 'gza: task board');
  const number = board()?.number ?? 0;
  // Nothing could start, and the board says why.
  expect(board()?.body).toContain('### Blocked');

  const made = await github.as('walter').request('POST', '/issues', { title: 'Talk', body: '' });
  const talk = Number(made.body['number']);
  state.loseEvents = 1;
  await github.as('walter').comment(talk, '/gza pause answer');
  await github.tickSchedule('17 */6 * * *');
  await play();
  expect(await answerRecord()).toContain('"paused_at"');
  expect(board()?.body).toContain('gza:box resume answer');

  const text = board()?.body ?? '';
  const own = `Walter’s notes, “kept”.\t\r\n\r\n${text}\r\n<!-- his -->\r\n`;
  await github.as('walter').request('PATCH', `/issues/${number}`, { body: own });
  await play();
  state.loseEvents = 1;
  await github.as('walter').tick(number, 'gza:box resume answer');
  const before = github.seen.length;
  await github.tickSchedule('17 */6 * * *');
  await play();
  expect(await answerRecord()).not.toContain('"paused_at"');
  const body = board()?.body ?? '';
  expect([
    body.startsWith('Walter’s notes, “kept”.\t\r\n\r\n<!-- gza:begin'),
    body.endsWith('<!-- his -->\r\n'),
  ]).toEqual([true, true]);
  expect(body).not.toContain('[x]');
  const asked = github.seen.slice(before).filter(({ job }) => job?.endsWith('/ pick'));
  const pushed = asked.findIndex(({ operation }) => operation === 'git/push');
  expect(asked.slice(0, pushed).filter(({ kind }) => kind === 'graphql').length).toBeLessThanOrEqual(2);

  // A pick with nothing new writes nothing.
  const quiet = github.seen.length;
  await github.tickSchedule('17 */6 * * *');
  await play();
  const wrote = github.seen
    .slice(quiet)
    .filter(({ creates, operation }) => creates || operation === 'git/push');
  expect(wrote).toEqual([]);
});

test('a tick of someone who may not write asks for nothing and goes', async () => {
  stage = await openStage({ 'gza.yaml': `${config}commands: { skip: admin }\n` });
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': waiting, 'tasks/gate.yml': gate } });
  await play();
  const number = github.state.issues.find((one) => one.title === 'gza: task board')?.number ?? 0;
  await github.as('walter').tick(number, 'gza:box skip answer');
  await play();
  expect(github.state.issues.find((one) => one.number === number)?.body).not.toContain('[x]');
  expect(
    (await github.data.git.run(['grep', '-h', '"closed_as"', 'refs/tasks/main'])).stdout.toString(),
  ).toBe('');
});
