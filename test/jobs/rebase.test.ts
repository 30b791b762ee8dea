import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { approving, config, openStage, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const reviewed = `${approving}task_types:\n  implement: { auto_review: true }\n`;
const afterPush = { request: 1, operation: 'git/push', phase: 'after', machine: true } as const;
const answers = () =>
  stage.github.state.comments
    .filter(({ author }) => author === 'github-actions[bot]')
    .map(({ body }) => body.split('\n')[0]);

test('a lane is put on its base when a person asks, who is told once though the pick died: its verdict stays, its checks run again, a conflict is named', async () => {
  stage = await openStage({
    'gza.yaml': `${reviewed}ci_workflow: ci.yml\n`,
    '.github/workflows/ci.yml':
      "on: workflow_dispatch\njobs: { test: { runs-on: ubuntu-latest, permissions: {}, steps: [{ run: 'true' }] } }\n",
  });
  const { github, play } = stage;
  const { state } = github;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  // The first landing dies right after its push, before the next job hears what is to be started.
  let lands = 0;
  await play({
    kill: (_job, step) => {
      if (step !== 'land' || lands > 0) return undefined;
      lands += 1;
      return afterPush;
    },
  });
  expect(lands).toBe(1);
  const number = state.issues.find((one) => one.pull)?.number ?? 0;
  const reviews = state.reviews.length;
  await github.commit({
    branch: 'main',
    files: { 'src/other.js': 'export const other = 1;\n' },
    by: 'walter',
  });
  await github.as('walter').comment(number, '/gza rebase');
  // Two picks in a row die right after their push.
  for (const _ of [1, 2]) {
    let kills = 0;
    await play({
      kill: (_job, step) => {
        if (step !== 'pick' || kills > 0) return undefined;
        kills += 1;
        return afterPush;
      },
    });
    expect(github.seen.at(-1)?.operation).toBe('git/push');
    expect(answers()).toEqual([]);
    await github.tickSchedule('17 */6 * * *');
  }
  const said = (await play()).transcript();
  const head = (await github.data.commit('gza/answer')) ?? '';
  const onto = await github.data.git.text(['merge-base', 'main', 'gza/answer']);
  expect({ onto, said }).toEqual({ onto: await github.data.commit('main'), said });
  expect(answers()).toEqual(['gza/answer stands on main now.']);
  expect(state.reviews).toHaveLength(reviews);
  const statuses = state.statuses.filter(({ sha }) => sha === head);
  expect({ statuses: statuses.map((one) => `${one.context} ${one.state}`), said }).toEqual({
    statuses: ['gza/verify success', 'gza/review success'],
    said,
  });
  expect(state.issues.find((one) => one.pull)?.pull).toMatchObject({ draft: false });
  const checked = () =>
    state.runs.filter((run) => run.workflow.endsWith('/ci.yml')).map((run) => run.headSha);
  expect({ checked: checked().filter((sha) => sha === head), said }).toEqual({ checked: [head], said });

  // What the host refuses stays as it is, and its words are told; the next one goes on as before.
  await github.commit({ branch: 'main', files: { 'src/more.js': '' }, by: 'walter' });
  state.settings.pushRules = ['refs/heads/gza/*'];
  await github.as('walter').comment(number, '/gza rebase');
  await play();
  expect(answers().at(-1)).toMatch(
    /^gza\/answer could not be put on top of main: a ruleset of this repository forbids/,
  );
  expect(await github.data.commit('gza/answer')).toBe(head);
  state.settings.pushRules = [];

  await github.commit({
    branch: 'main',
    files: { 'src/answer.js': 'export const answer = 0;\n' },
    by: 'walter',
  });
  await github.as('walter').comment(number, '/gza rebase');
  await play();
  expect(answers()).toEqual([
    'gza/answer stands on main now.',
    expect.stringContaining('could not be put'),
    expect.stringMatching(
      /^gza\/answer was not put on top of main and is as it was: conflicts in src\/answer\.js/,
    ),
  ]);
  expect(await github.data.commit('gza/answer')).toBe(head);
  const pushed = state.pushes.filter(({ ref }) => ref === 'refs/heads/gza/answer').map((one) => one.new);
  // Each head that was pushed, once.
  expect(checked().toSorted()).toEqual(pushed.toSorted());
  expect(await brokenInvariants(github, { mayBeRewritten: (ref) => ref.endsWith('answer') })).toEqual([]);
});

test('a task is split when a person asks, and it is said what was made of it, or why nothing was', async () => {
  const small = 'task_size_limits: { complexity_threshold: 1 }\n';
  stage = await openStage({ 'gza.yaml': config + small });
  const { github, play } = stage;
  const files = Array.from({ length: 6 }, (_, n) => `src/part${n}.js`);
  const large = `type: implement\ntitle: Large\nprompt: Write them all.\ndepends_on: gate\nfiles_to_create: [${files.join(', ')}]\nacceptance_criteria: [one, two, three, four]\n`;
  const gate = 'type: plan\ntitle: Gate\nprompt: Say how.\napproval: required\n';
  await github.commit({
    branch: 'main',
    files: { 'tasks/answer.yml': task, 'tasks/large.yml': large, 'tasks/gate.yml': gate },
  });
  await play();
  const number = github.state.issues.find((one) => one.pull?.head.ref === 'gza/answer')?.number ?? 0;
  await github.as('walter').comment(number, '/gza split large');
  await github.as('walter').comment(number, '/gza split');
  const said = (await play()).transcript();
  expect({ answers: answers(), said }).toEqual({
    answers: [
      expect.stringMatching(/^- ✅ .*: large is \d tasks now\.$/),
      expect.stringMatching(/^- 🚫 .*: answer cannot be split: it (?:is closed|has been started)/),
    ],
    said,
  });
  const board = github.state.issues.find((one) => !one.pull)?.body ?? '';
  expect(board).toContain('large-a');
  expect(await brokenInvariants(github)).toEqual([]);
});
