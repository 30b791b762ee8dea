import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { config, openStage, removeProduct, type Stage } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const tasks = `tasks:
  - { id: answer, type: implement, title: Answer, prompt: Write the answer. }
  - { id: question, type: implement, title: Question, prompt: Write the question., depends_on: answer }
`;

test('a task that waits for another is built on its branch, and stands on the base when that is merged', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/both.yml': tasks } });
  const first = await play();
  const pull = (head: string) => github.state.issues.find((one) => one.pull?.head.ref === head);
  const said = first.transcript();
  expect({ base: pull('gza/question')?.pull?.base, said }).toEqual({ base: 'gza/answer', said });

  await github.as('walter').merge(pull('gza/answer')?.number ?? 0);
  const second = await play();
  const later = second.transcript();
  const log = await github.data.git.text(['log', '--format=%s', 'main..gza/question']);
  expect({ base: pull('gza/question')?.pull?.base, log, later }).toEqual({
    base: 'main',
    log: 'Question',
    later,
  });
  const parent = await github.data.git.text(['rev-parse', 'gza/question^']);
  expect(parent).toBe(await github.data.commit('main'));
  expect(await stage.ledgers()).toBe('refs/tasks/gza/question\nrefs/tasks/main');
  expect(await brokenInvariants(github, { mayBeRewritten: (ref) => ref.endsWith('question') })).toEqual([]);
});

test('lanes that run side by side land side by side, and nothing of either is lost', async () => {
  stage = await openStage({
    'gza.yaml': `${config.replace('src/answer.js', 'src/*.js')}parallel_workers: 3\n`,
  });
  const { github, play, file } = stage;
  const names = ['one', 'two', 'three'];
  const files = Object.fromEntries(
    names.map((name) => [`tasks/${name}.yml`, `type: implement\ntitle: ${name}\nprompt: Write it.\n`]),
  );
  await github.commit({ branch: 'main', files });
  const said = (await play({ parallel: 3 })).transcript();
  const open = github.state.issues.filter((one) => one.pull && !one.pull.draft).map(({ title }) => title);
  expect({ open: open.toSorted(), said }).toEqual({ open: names.toSorted(), said });
  for (const name of names) expect(await file(`gza/${name}`, `src/${name}.js`)).toContain('42');
  const [picks] = [
    github.seen.filter(({ job, operation }) => job?.endsWith('/ pick') && operation === 'git/push'),
  ];
  expect(picks.length).toBeLessThanOrEqual(github.state.runs.length);
  expect(await brokenInvariants(github)).toEqual([]);
});

test('a plan is kept in the ledger, without a branch, and what waits for it goes on', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play, file } = stage;
  const plan = `tasks:
  - { id: first, type: plan, title: Plan it, prompt: Say how. }
  - { id: answer, type: implement, title: Answer, prompt: Write the answer., depends_on: first }
`;
  await github.commit({ branch: 'main', files: { 'tasks/plan.yml': plan } });
  const said = (await play()).transcript();
  expect({ plan: await file('refs/tasks/main', 'plans/first.md'), said }).toEqual({
    plan: 'Nothing to do.',
    said,
  });
  expect(await file('gza/answer', 'src/answer.js')).toContain('42');
  const pulls = github.state.issues.filter((one) => one.pull).map(({ title }) => title);
  expect(pulls).toEqual(['Answer']);
  expect(await brokenInvariants(github)).toEqual([]);
});
