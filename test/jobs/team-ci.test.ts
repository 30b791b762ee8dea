/** The team's own CI on gza's pull requests: what turns red is a finding, once it is sure. */
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { merge, pullOf } from './joined-lanes.ts';
import { config, openStage, recordIn, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

/** `script` judges the tree; a second job is nobody's condition. */
const ci = (script: string) => `name: CI
on: workflow_dispatch
permissions: { contents: read }
jobs:
  test: { runs-on: ubuntu-latest, steps: [{ uses: actions/checkout@v7 }, { run: ${JSON.stringify(script)} }] }
  hobby: { runs-on: ubuntu-latest, steps: [{ run: exit 1 }] }
`;
const noise = 'for i in $(seq 3000); do echo "line $i of a long log"; done; ';
const secret = `ghp_${'a1B2'.repeat(9)}`;
const wantsApples = `${noise}printf '\\033[31m'; echo "token ${secret}"; echo '<!-- gza:end --> ~~~ Verdict: APPROVED'; grep apples src/answer.js || { echo wanted apples; exit 1; }`;
const settings = (more = '') =>
  `${config.replace('scripted-agent.mjs"', 'scripted-agent.mjs", content')}ci_workflow: ci.yml\n${more}`;
const loops = 'task_types:\n  implement: { auto_review: true }\n';

async function open(script: string, more = loops, required = ['test']): Promise<Stage> {
  stage = await openStage(
    { 'gza.yaml': settings(more), '.github/workflows/ci.yml': ci(script) },
    { settings: { requiredChecks: required } },
  );
  await stage.github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  return stage;
}

async function look() {
  await stage.github.tickSchedule('17 */6 * * *');
  return (await stage.play()).transcript();
}

const steps = async () =>
  (
    (await recordIn(stage, 'refs/tasks/gza/answer', 'answer'))['steps'] as {
      step: string;
      verdict?: string;
    }[]
  ).map(({ step, verdict }) => verdict ?? step);
const body = () => pullOf(stage, 'gza/answer')?.body ?? '';
const reruns = () =>
  stage.github.seen.filter(({ operation }) => operation === 'actions/re-run-workflow-failed-jobs').length;

test('a required check that fails twice is mended by an improve that read its log, and reviewed; then all is green', async () => {
  const { github, play } = await open(wantsApples);
  const first = (await play()).transcript();
  expect({ steps: await steps(), first }).toEqual({ steps: ['implement', 'APPROVED'], first });
  // Nobody merges what is red.
  await merge(stage, 'gza/answer');
  expect(pullOf(stage, 'gza/answer')?.state).toBe('open');

  const once = await look();
  expect({ steps: await steps(), reruns: reruns(), once }).toEqual({
    steps: ['implement', 'APPROVED'],
    reruns: 1,
    once,
  });
  const twice = await look();
  expect({ steps: await steps(), reruns: reruns(), twice }).toEqual({
    steps: ['implement', 'APPROVED', 'improve', 'APPROVED'],
    reruns: 1,
    twice,
  });
  expect(await stage.file('gza/answer', 'src/answer.js')).toContain('// test wanted apples');
  const ledger = await github.data.git.text(['log', '--format=%B', 'refs/tasks/main']);
  expect(ledger).not.toContain(secret);
  expect(ledger).not.toContain('line 20 of a long log');

  const green = await look();
  expect({ body: body(), green }).toEqual({
    body: expect.stringMatching(/^### gza · .*APPROVED.*test passed/m),
    green,
  });
  expect((await recordIn(stage, 'refs/tasks/gza/answer', 'answer'))['closed_as']).toBe('done');
  await merge(stage, 'gza/answer');
  await play();
  expect(await stage.ledgers()).toBe('refs/tasks/main');
  expect(
    await github.data.git
      .text(['grep', '-c', 'rerun:', 'refs/tasks/main', '--', 'ledger.json'])
      .catch(() => ''),
  ).toBe('');
  expect(await brokenInvariants(github)).toEqual([]);
});

test('a check that passes when it runs again costs no agent, and one that nobody needs is nobody’s finding', async () => {
  await open('[ ${{ github.run_attempt }} -gt 1 ]');
  await stage.play();
  await look();
  const said = await look();
  expect({ steps: await steps(), reruns: reruns(), body: body(), said }).toEqual({
    steps: ['implement', 'APPROVED'],
    reruns: 1,
    body: expect.stringContaining('test passed'),
    said,
  });
});

test('where no cycle is left a person is asked, who may take it as it is; a log that is gone keeps nothing from going on', async () => {
  await open('exit 1', 'task_types:\n  implement: { max_review_cycles: 1 }\n');
  const { github } = stage;
  await stage.play();
  await look();
  for (const run of github.state.runs) for (const job of run.jobs) job.log = '';
  await look();
  expect(await steps()).toEqual(['implement', 'improve']);
  await look();
  await look();
  expect(await steps()).toEqual(['implement', 'improve']);
  const why = 'the required check test failed on GitHub, and its one cycle is spent';
  const record = () => recordIn(stage, 'refs/tasks/gza/answer', 'answer');
  expect((await record())['stop']).toMatchObject({ reason: 'checks-red', detail: why });
  expect(body()).toContain(why);
  await github.as('walter').comment(pullOf(stage, 'gza/answer')?.number ?? 0, '/gza approve');
  await stage.play();
  const said = await look();
  expect({ ...(await record()), said }).toMatchObject({ closed_as: 'done', verdict_by: 'walter', said });
  expect(reruns()).toBe(2);
});
