/** Everything held back, by a comment and by a box of the board. */
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { config, openStage, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

test('/gza pause all starts nothing more, whoever pushes, until /gza resume all; the board has a box for each', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play } = stage;
  const { state } = github;
  const ran = async () => {
    const { jobs } = await play();
    return jobs.filter(({ name, steps }) => steps.length > 0 && name.includes('/ agent (')).length;
  };
  const board = () => state.issues.find(({ title }) => title === 'gza: task board');
  const waits = 'type: plan\ntitle: Gate\nprompt: Say how.\nassigned_agent: someone\n';
  await github.commit({ branch: 'main', files: { 'tasks/gate.yml': waits } });
  expect(await ran()).toBe(0);
  const number = board()?.number ?? 0;

  await github.as('walter').comment(number, '/gza pause all');
  expect(await ran()).toBe(0);
  expect(board()?.body).toContain('**Everything is paused by walter.**');
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  expect(await ran()).toBe(0);
  expect(board()?.body).toContain('everything is paused by walter');

  // Who may only read changes nothing, with a comment as with a tick.
  await github.as('rita').comment(number, '/gza resume all');
  expect(await ran()).toBe(0);
  await github.as('walter').tick(number, 'gza:box resume-all');
  expect(await ran()).toBe(1);
  expect(board()?.body).not.toContain('Everything is paused');

  await github.as('walter').tick(number, 'gza:box pause-all');
  expect(await ran()).toBe(0);
  expect(board()?.body).toContain('gza:box resume-all');
  expect(board()?.body).not.toContain('[x]');
  await github.commit({ branch: 'main', files: { 'tasks/more.yml': task.replace('Answer', 'More') } });
  expect(await ran()).toBe(0);
  await github.as('walter').comment(number, '/gza resume all');
  expect(await ran()).toBeGreaterThan(0);
  expect(await brokenInvariants(github)).toEqual([]);
});
