import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { callerWorkflow } from '../../src/core/text/doctor/caller-workflow.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { isPull } from '../github/state.ts';
import { anyFile, openDone } from './done-snapshot.ts';
import { config, openStage, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const two = `tasks:
  - { id: answer, type: implement, title: Answer, prompt: Write the answer. }
  - { id: question, type: implement, title: Question, prompt: Write the question., depends_on: answer }
`;

const pullOf = (head: string) =>
  stage.github.state.issues.filter(isPull).filter((one) => one.pull.head.ref === head);

test('a squash merge brings a lane home, also where GitHub deletes the branch with it', async () => {
  stage = await openDone();
  const { github, play } = stage;
  const [pull] = pullOf('gza/answer');
  const olive = github.as('olive');
  await olive.request('PUT', `/pulls/${pull?.number}/merge`, { merge_method: 'squash' });
  await olive.deleteBranch('gza/answer');
  const said = (await play()).transcript();
  expect({ ledgers: await stage.ledgers(), said }).toEqual({ ledgers: 'refs/tasks/main', said });
  const record = await github.data.git.text(['grep', '-h', '"id":"answer"', 'refs/tasks/main']);
  expect(record).toContain('"closed_as":"done"');
  await github.tickSchedule('17 */6 * * *');
  await play();
  expect(pullOf('gza/answer')).toHaveLength(1);
});

test('after the default branch was renamed, what its ledger says still holds, and nothing is done twice', async () => {
  stage = await openDone();
  const { github, play } = stage;
  await github.as('walter').merge(pullOf('gza/answer')[0]?.number ?? 0);
  await play();
  await github.data.git.text(['branch', '-m', 'main', 'trunk']);
  await github.data.git.text(['symbolic-ref', 'HEAD', 'refs/heads/trunk']);
  github.state.defaultBranch = 'trunk';
  const files = {
    '.github/workflows/gza.yml': callerWorkflow({ minute: 17, branch: 'trunk' }),
    'tasks/question.yml': 'type: implement\ntitle: Question\nprompt: Write the question.\n',
    'gza.yaml': anyFile,
  };
  await github.commit({ branch: 'trunk', files });
  const said = (await play()).transcript();
  expect({ pulls: [pullOf('gza/answer').length, pullOf('gza/question').length], said }).toEqual({
    pulls: [1, 1],
    said,
  });
  expect(pullOf('gza/question')[0]?.pull.base).toBe('trunk');
  expect(said).toContain('The default branch is now `trunk`; it was `main`.');
});

test('merged by rebase, what GitHub closed with its base is opened again; merged by a queue unheard, it starts what waited', async () => {
  const third = `  - { id: note, type: implement, title: Note, prompt: Write it., depends_on: question, requires: merged }\n`;
  stage = await openStage({ 'gza.yaml': anyFile, 'tasks/all.yml': two + third });
  const { github, play } = stage;
  await github.tickSchedule('17 */6 * * *');
  await play();
  expect(pullOf('gza/question').map(({ pull }) => pull.base)).toEqual(['gza/answer']);
  await github.commit({ branch: 'main', files: { 'README.md': 'Meanwhile.\n' } });
  const answer = `/pulls/${pullOf('gza/answer')[0]?.number}/merge`;
  await github.as('walter').request('PUT', answer, { merge_method: 'rebase' });
  const log = () => github.data.git.text(['log', '--format=%s', '--first-parent', 'main']);
  expect(await log()).toMatch(/^Answer\nChange\n/);
  // Not by the button of the pull request: that would have moved what is built on it.
  await github.as('walter').request('DELETE', '/git/refs/heads/gza/answer');
  expect(pullOf('gza/question').map(({ state }) => state)).toEqual(['closed']);
  const said = (await play()).transcript();
  const found = pullOf('gza/question').map(({ state, pull }) => `${state} ${pull.base}`);
  expect({ found, said }).toEqual({ found: ['closed gza/answer', 'open main'], said });
  expect(await github.data.git.text(['log', '--format=%s', 'main..gza/question'])).toBe('Question');

  github.state.loseEvents = 100;
  await github.mergeByQueue(pullOf('gza/question').at(-1)?.number ?? 0);
  github.state.loseEvents = 0;
  expect(await log()).toMatch(/^Merge pull request #\d+ from olive\/gza\/question\nAnswer\n/);
  await github.tickSchedule('17 */6 * * *');
  const later = (await play()).transcript();
  expect({ ledgers: await stage.ledgers(), later }).toEqual({
    ledgers: 'refs/tasks/gza/note\nrefs/tasks/main',
    later,
  });
  expect(['answer', 'question', 'note'].map((id) => pullOf(`gza/${id}`).length)).toEqual([1, 2, 1]);
  expect(await brokenInvariants(github, { mayBeRewritten: (ref) => ref.endsWith('question') })).toEqual([]);
});

test('a branch that was deleted before it was merged is dropped and not made anew, until a person reopens it', async () => {
  stage = await openDone();
  const { github, play } = stage;
  const [pull] = pullOf('gza/answer');
  await github.as('walter').request('DELETE', '/git/refs/heads/gza/answer');
  await github.tickSchedule('17 */6 * * *');
  const said = (await play()).transcript();
  expect({ head: await github.data.commit('gza/answer'), said }).toEqual({ head: null, said });
  const record = await github.data.git.text(['grep', '-h', '"id":"answer"', 'refs/tasks/main']);
  expect([pull?.state, record]).toEqual(['closed', expect.stringContaining('"closed_as":"dropped"')]);
  await github.as('walter').comment(pull?.number ?? 0, '/gza reopen');
  const again = (await play()).transcript();
  expect({ states: pullOf('gza/answer').map(({ state }) => state), again }).toEqual({
    states: ['closed', 'open'],
    again,
  });
});

test('what is pushed while Actions may open no pull requests gets its own when they may', async () => {
  const settings = { actionsMayOpenPulls: false };
  stage = await openStage({ 'gza.yaml': config, 'tasks/answer.yml': task }, { settings });
  const { github, play } = stage;
  await github.tickSchedule('17 */6 * * *');
  const report = await play();
  const warned = report.jobs.flatMap(({ steps }) => steps.flatMap(({ annotations }) => annotations));
  expect(warned.map(({ message }) => message).join()).toContain('Allow GitHub Actions to create');
  expect([await github.data.commit('gza/answer'), pullOf('gza/answer')]).toEqual([expect.any(String), []]);
  github.state.settings.actionsMayOpenPulls = true;
  await github.tickSchedule('17 */6 * * *');
  const said = (await play()).transcript();
  expect({ drafts: pullOf('gza/answer').map(({ pull }) => pull.draft), said }).toEqual({
    drafts: [false],
    said,
  });
  expect(await brokenInvariants(github)).toEqual([]);
});

test('a ruleset that refuses the branch is named, its work is not pushed, and a repository without issues has no board', async () => {
  const settings = { pushRules: ['refs/heads/gza/*'] };
  stage = await openStage({ 'gza.yaml': config, 'tasks/answer.yml': task }, { settings });
  const { github, play } = stage;
  const off = { status: 410, body: { message: 'Issues has been disabled in this repository.' } };
  github.faults.add({
    match: { operation: 'issues/create' },
    times: 50,
    effect: { kind: 'answer', answer: off },
  });
  await github.tickSchedule('17 */6 * * *');
  const said = (await play()).transcript();
  const record = await github.data.git.text(['grep', '-h', '"id":"answer"', 'refs/tasks/gza/answer']);
  expect({ record, said }).toEqual({ record: expect.stringMatching(/push-refused.*rule/i), said });
  expect(said).toContain('There is no task board: GitHub refused to open an issue');
  expect(new Set(github.state.runs.map(({ conclusion }) => conclusion))).toEqual(new Set(['success']));
  expect(await github.data.commit('gza/answer')).toBeNull();
});

test('a token that ends in the middle of a job is named, and the next pick completes what was begun', async () => {
  stage = await openStage({ 'gza.yaml': config, 'tasks/answer.yml': task });
  const { github, play } = stage;
  const ended = { status: 401, body: { message: 'Bad credentials' } };
  github.faults.add({ match: { operation: 'pulls/create' }, effect: { kind: 'answer', answer: ended } });
  await github.tickSchedule('17 */6 * * *');
  const report = await play();
  const said = report.transcript();
  expect(said).toContain("A job's token ends with the job");
  expect({ pulls: pullOf('gza/answer').map(({ pull }) => pull.draft), said }).toEqual({
    pulls: [false],
    said,
  });
  expect(await brokenInvariants(github)).toEqual([]);
});

test('nothing of a pull request from a fork is worked on, whoever asks', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play } = stage;
  const number = await github.forkPull({
    by: 'nora',
    branch: 'patch',
    files: { 'src/x.js': 'x\n' },
    body: '- [ ] Write the answer\n',
  });
  for (const command of ['/gza work', '/gza review']) await github.as('walter').comment(number, command);
  await github.as('rita').comment(number, '/gza work');
  const commit_id = github.state.issues.find((one) => one.number === number)?.pull?.head.sha;
  const line = { path: 'src/x.js', line: 1, side: 'RIGHT', commit_id, body: '/gza work' };
  await github.as('rita').request('POST', `/pulls/${number}/comments`, line);
  const report = await play();
  const said = report.transcript();
  // A comment on a line wakes nothing there: its token may only read.
  expect(report.runs.map(({ event, conclusion }) => `${event} ${conclusion}`)).toContain(
    'pull_request_review_comment skipped',
  );
  expect({ reactions: github.state.reactions.map(({ content }) => content).toSorted(), said }).toEqual({
    reactions: ['-1', '-1', '-1', '-1', 'eyes', 'eyes'],
    said,
  });
  expect(github.state.comments.filter(({ author }) => author === 'github-actions[bot]')).toEqual([]);
  expect([
    github.state.pushes.filter(({ ref }) => !ref.startsWith('refs/tasks/')),
    github.state.reviews.filter(({ author }) => author === 'github-actions[bot]'),
  ]).toEqual([[], []]);
});
