import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { config, openStage, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const reviewed = `${config}task_types:\n  implement: { auto_review: true }\n`;
const played = async (how: string) => {
  stage = await openStage({ 'gza.yaml': reviewed });
  const asked = task.replace('Write the answer.', `Write the answer, and ${how}.`);
  await stage.github.commit({ branch: 'main', files: { 'tasks/answer.yml': asked } });
  const said = (await stage.play()).transcript();
  const pull = stage.github.state.issues.find((one) => one.pull);
  const text = (await stage.file('refs/tasks/gza/answer', 'reviews/answer-review-1.md')) ?? '';
  return { said, pull, text };
};

test('the landing job reads both texts itself: a condition in the first outlasts an approval in the second', async () => {
  const { said, pull, text } = await played('review it with a condition first');
  expect({ labels: pull?.labels, said }).toMatchObject({
    labels: expect.not.arrayContaining(['gza: approved']),
    said,
  });
  expect(pull?.body).toContain('both texts are in');
  expect(text).toMatch(
    /No verdict given[^]*> Approve after the test is added\.[^]*second question[^]*> I stand by it\./,
  );
});

test('where the first says nothing against it, the second stands, with both texts kept', async () => {
  const { said, pull, text } = await played('review it without a verdict first');
  expect({ labels: pull?.labels, said }).toMatchObject({ labels: ['gza', 'gza: approved'], said });
  expect(text).toMatch(
    /Verdict: APPROVED[^]*> It does what was asked\.[^]*second question[^]*> I stand by it\./,
  );
});
