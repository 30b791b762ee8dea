/** Merging on the simulated GitHub: asked for by a comment or a box, or by `auto_merge`. */
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { config, openStage, recordIn, removeProduct, type Stage } from './stage.ts';

jest.setTimeout(900_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const reviewed = `${config.replace('src/answer.js', 'src/*.js')}task_types:\n  implement: { auto_review: true }\n`;
const line = (id: string, more = '') =>
  `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Write it.${more} }\n`;
const two = `tasks:\n${line('answer')}${line('question', ', depends_on: answer')}`;

const pull = (head: string) => stage.github.state.issues.find((one) => one.pull?.head.ref === head);
const states = () =>
  stage.github.state.issues
    .filter((one) => one.pull)
    .map(({ pull: own }) => `${own?.head.ref} ${own?.mergedBy ?? 'open'}`);
const bot = 'github-actions[bot]';
const answers = () =>
  stage.github.state.comments.filter(({ author }) => author === bot).map(({ body }) => body.split('\n')[0]);
const marks = () => stage.github.data.git.text(['show', 'refs/tasks/main:ledger.json']);

test('/gza merge merges what a branch stands on, puts it on the base, and merges it, as the repository wants it', async () => {
  stage = await openStage(
    { 'gza.yaml': reviewed },
    { settings: { repository: { allow_merge_commit: true, allow_squash_merge: true } } },
  );
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/two.yml': two } });
  await play();
  const top = pull('gza/question')?.number ?? 0;
  expect(pull('gza/question')?.body).toMatch(/gza:box merge question at [0-9a-f]{12} -->/);
  await github.as('rita').comment(top, '/gza merge');
  await play();
  expect(states()).toEqual(['gza/answer open', 'gza/question open']);
  await github.as('walter').comment(top, '/gza merge');
  const said = (await play()).transcript();
  expect({ states: states(), said }).toEqual({
    states: [`gza/answer ${bot}`, `gza/question ${bot}`],
    said,
  });
  const log = await github.data.git.text(['log', '--first-parent', '--format=%P', '-2', 'main']);
  // Squashed: one parent each.
  expect(log.split('\n').filter((parents) => parents.includes(' '))).toEqual([]);
  for (const name of ['answer', 'question'])
    expect(await stage.file('main', `src/${name}.js`)).toContain('42');
  expect(await recordIn(stage, 'refs/tasks/main', 'question')).toMatchObject({
    merged_at: expect.anything(),
  });
  expect(await marks()).not.toContain('merge:');
  const mayBeRewritten = (ref: string) => ref === 'refs/heads/gza/question';
  expect(await brokenInvariants(github, { mayBeRewritten })).toEqual([]);
});

test('only what was approved is merged: not what somebody pushed since, and not past a rule; who asked is told once why', async () => {
  stage = await openStage({ 'gza.yaml': reviewed }, { settings: { approvals: 1 } });
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': `tasks:\n${line('answer')}` } });
  await play();
  const number = pull('gza/answer')?.number ?? 0;
  await github.as('walter').comment(number, '/gza merge');
  const said = (await play()).transcript();
  expect({ answers: answers().at(-1), said }).toEqual({
    answers: expect.stringMatching(/^gza\/answer is not merged: .*approving review is required/),
    said,
  });
  const told = answers().length;
  github.state.settings.approvals = 0;
  await github.commit({ branch: 'gza/answer', files: { 'src/mine.js': 'export {};\n' }, by: 'walter' });
  await github.as('walter').tick(number, 'merge');
  await play();
  expect(states()).toEqual(['gza/answer open']);
  expect(answers().slice(told)).toEqual([
    expect.stringMatching(/^gza\/answer is not merged: a person pushed commits to it/),
  ]);
  expect(await marks()).not.toContain('merge:');
});

test('auto_merge merges what a review approved, through the queue where there is one, and leaves alone what its rules do not let pass', async () => {
  const rules = `${reviewed}auto_merge: { paths: [src/answer.js] }\nparallel_workers: 2\n`;
  stage = await openStage({ 'gza.yaml': rules }, { settings: { mergeQueue: true } });
  const { github, play } = stage;
  await github.commit({
    branch: 'main',
    files: { 'tasks/two.yml': `tasks:\n${line('answer')}${line('other')}` },
  });
  const said = (await play()).transcript();
  const queued = () => (github.state.queue ?? []).map((number) => pull('gza/answer')?.number === number);
  expect({ queued: queued(), said }).toEqual({ queued: [true], said });
  await github.mergeByQueue(pull('gza/answer')?.number ?? 0);
  await play();
  expect(states()).toEqual(['gza/answer github-merge-queue[bot]', 'gza/other open']);
  await github.tickSchedule('17 */6 * * *');
  await play();
  expect(pull('gza/other')?.body).toContain('to be merged: auto_merge does not take changes of src/other.js');
});
