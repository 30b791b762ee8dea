import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { config, openStage, removeProduct, type Stage } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

test('a person’s pull request is reviewed when asked, again when asked again, and never written to', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play } = stage;
  const push = (files: Record<string, string>, from?: string) =>
    github.commit({ branch: 'by-hand', files, by: 'walter', ...(from ? { from } : {}) });
  await push({ 'src/by-hand.js': 'export const answer = 42;\n' }, 'main');
  const number = await github.as('walter').openPull('by-hand', { title: 'By hand', body: 'My own.' });
  await github.as('walter').comment(number, '/gza review');
  const said = (await play()).transcript();
  const verdicts = () => github.state.reviews.map(({ body }) => /Verdict: \w+/.exec(body)?.[0]);
  expect({ verdicts: verdicts(), said }).toEqual({ verdicts: ['Verdict: CHANGES_REQUESTED'], said });
  const head = await push({ 'src/by-hand.js': 'export const apples = 42;\n' });
  await github.as('walter').comment(number, '/gza review');
  const again = (await play()).transcript();
  expect({ verdicts: verdicts(), again }).toEqual({
    verdicts: ['Verdict: CHANGES_REQUESTED', 'Verdict: APPROVED'],
    again,
  });
  const pull = github.state.issues.find((one) => one.number === number);
  expect([await github.data.commit('by-hand'), pull?.title, pull?.state]).toEqual([head, 'By hand', 'open']);
  expect(pull?.body).toContain('My own.');
  const statuses = github.state.statuses.filter(({ sha }) => sha === head);
  expect(statuses.map(({ context, state }) => `${context} ${state}`)).toEqual(['gza/review success']);
  await github.as('walter').merge(number);
  await play();
  expect(await stage.ledgers()).toBe('refs/tasks/main');
  expect(await brokenInvariants(github)).toEqual([]);
});
