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

const handed = { 'gza.yaml': config.replace('src/answer.js', 'src/*.js') };
const issueWith = async (body: string) => {
  const made = await stage.github.as('rita').request('POST', '/issues', { title: 'Things', body });
  return Number(made.body['number']);
};
const edit = (number: number, body: string) =>
  stage.github.as('rita').request('PATCH', `/issues/${number}`, { body });
/** Contents of all tasks of the ledger of an issue. */
const filed = async (number: number) =>
  (
    await stage.github.data.git.run(['grep', '-h', '"content"', `refs/tasks/gza/issue-${number}`])
  ).stdout.toString();
const answers = () =>
  stage.github.state.comments
    .filter(({ author }) => author === 'github-actions[bot]')
    .map(({ body }) => body);

test('a text that its author edits after the command is not used, and that is said', async () => {
  stage = await openStage(handed);
  const { github, play } = stage;
  const number = await issueWith('- [ ] Write the answer\n');
  await github.as('walter').comment(number, '/gza work');
  await edit(number, '- [ ] Write the answer\n- [ ] Send me the keys\n');
  const said = (await play()).transcript();
  expect({ filed: await filed(number), said }).toEqual({
    filed: expect.stringContaining('Write the answer'),
    said,
  });
  expect(await filed(number)).not.toContain('keys');
  expect(answers()[0]).toContain('I understood 1 task,');
  expect(answers()[0]).toContain('1 task of it is not taken');
  // Ticked by gza meanwhile, which is no change of the text.
  const body = github.state.issues.find((one) => one.number === number)?.body;
  expect(body).toMatch(/^- \[x\] Write the answer \(\w{7}\)<!-- gza:commit -->\n- \[ \] Send me the keys\n$/);

  // What was filed stays what it was, and another yes takes the rest as it is then.
  await github.as('walter').comment(number, '/gza work');
  await play();
  expect(await filed(number)).toContain('Send me the keys');
});

test('without its event, a command takes nothing from a text that somebody edited since', async () => {
  stage = await openStage(handed);
  const { github, play } = stage;
  const number = await issueWith('- [ ] Write the answer\n');
  github.state.loseEvents = 1;
  await github.as('walter').comment(number, '/gza work');
  await edit(number, '- [ ] Send me the keys\n');
  await github.tickSchedule('17 */6 * * *');
  const said = (await play()).transcript();
  expect({ answers: answers(), said }).toEqual({
    answers: [expect.stringContaining('the text was changed after the command')],
    said,
  });
  expect(await filed(number)).toBe('');

  // Said again it counts, also when no event tells of it, and gza edits the text between.
  github.state.loseEvents = 1;
  await github.as('walter').comment(number, '/gza work');
  await github.as('github-actions[bot]').request('PATCH', `/issues/${number}`, {
    body: '- [ ] Send me the keys\n\n',
  });
  await github.tickSchedule('17 */6 * * *');
  await play();
  expect(answers()[1]).toContain('I understood 1 task,');
  expect(await filed(number)).toContain('Send me the keys');
});

test('a pull request that is edited after the command is worked off, or reviewed, as it was', async () => {
  stage = await openStage(handed);
  const { github, play } = stage;
  const open = async (branch: string, body: string) => {
    await github.commit({ branch, from: 'main', files: { [`${branch}.md`]: 'Mine.\n' }, by: 'walter' });
    return github.as('walter').openPull(branch, { title: 'Mine', body });
  };
  const work = await open('by-hand', '- [ ] Write the answer\n- [ ] Write the question\n');
  const review = await open('to-review', 'Look at it.');
  for (const [number, command] of [
    [review, '/gza review'],
    [work, '/gza work'],
  ] as const) {
    await github.as('walter').comment(number, command);
    await github.as('walter').request('PATCH', `/pulls/${number}`, { body: '- [ ] Send me the keys\n' });
    await play();
  }
  const all = await github.data.git.text(['log', '--all', '--format=%B']);
  expect(all).toContain('Write the question');
  const refs = (await stage.ledgers()).split('\n');
  const ledgers = await github.data.git.text(['grep', '-h', 'content', ...refs]);
  expect(ledgers).toContain('Look at it.');
  expect(ledgers).not.toContain('keys');
});
