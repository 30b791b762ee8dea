import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { root } from '../e2e/cli.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { config, openStage, recordIn, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

/** As an earlier `gza init --github` wrote it: nobody has to write it anew. */
const earlierCaller = readFileSync(join(root, 'test/fixtures/earlier-caller.yml'), 'utf8');
/** Shortened by somebody: it does not hear what gza says by itself. */
const deafCaller = earlierCaller.replace(/ {2}repository_dispatch.*\n/, '');

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

/** The last request of the landing job in the n-th run: where it was killed. */
const lastOfLanding = (n: number) => {
  const { state, seen } = stage.github;
  return seen.findLast(({ runId, job }) => runId === state.runs[n]?.id && job?.includes('/ land'))?.operation;
};

test('a pick that finds nothing to do fetches once, looks for comments that no event told of, and writes nothing', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play } = stage;
  await github.tickSchedule('17 */6 * * *');
  await play();
  expect(github.state.runs.map((run) => run.conclusion)).toEqual(['success']);
  const asked = github.seen.map(({ operation }) => operation);
  expect(asked.filter((one) => one === 'git/info-fetch')).toHaveLength(1);
  expect(asked.filter((one) => !one.startsWith('git/'))).toEqual(['graphql/repository']);
  expect(asked).not.toContain('git/push');
});

test('a landing job whose machine is lost when it just opened the pull request is completed by the next pick', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play, file } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  let kills = 0;
  const report = await play({
    kill: (job, step) => {
      if (!job.name.includes('/ land') || step !== 'land' || kills > 0) return undefined;
      kills += 1;
      return { request: 11, phase: 'after', machine: true };
    },
  });
  const transcript = report.transcript();
  expect({ last: lastOfLanding(0), transcript }).toEqual({ last: 'pulls/create', transcript });
  const pulls = github.state.issues.filter((one) => one.pull);
  expect({ pulls: pulls.map(({ pull }) => pull?.draft), transcript }).toEqual({
    pulls: [false],
    transcript,
  });
  expect(await file('gza/answer', 'src/answer.js')).toBe('export const answer = 42;\n');
  expect(pulls[0]?.body).toContain('Task `answer`.');
  expect(await brokenInvariants(github)).toEqual([]);
});

test('what a pick claimed before its machine was lost is freed by the next one, and done once', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play, file } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  let kills = 0;
  await play({
    kill: (_job, step) => {
      if (step !== 'pick' || kills > 0) return undefined;
      kills += 1;
      return { request: 7, phase: 'after', machine: true };
    },
  });
  expect(await stage.ledgers()).toBe('refs/tasks/gza/answer\nrefs/tasks/main');
  expect(await github.data.commit('gza/answer')).toBeNull();
  await github.tickSchedule('17 */6 * * *');
  const said = (await play()).transcript();
  expect({ changed: await file('gza/answer', 'src/answer.js'), said }).toEqual({
    changed: 'export const answer = 42;\n',
    said,
  });
  const { steps = [] } = (await recordIn(stage, 'refs/tasks/gza/answer', 'answer')) as {
    steps?: { outcome: string }[];
  };
  expect(steps.map(({ outcome }) => outcome)).toEqual(['lost', 'ok']);
  expect(github.state.issues.filter((one) => one.pull)).toHaveLength(1);
});

test.each([
  ['with its field for what ended', deafCaller],
  ['with no field for that', deafCaller.replace(/ {6}event: .*\n/, '')],
])(
  'a caller that hears no repository_dispatch, %s, goes from step to step all the same',
  async (_, caller) => {
    expect(caller).not.toContain('repository_dispatch');
    const reviewed = `${config}task_types:\n  implement: { auto_review: true }\n`;
    stage = await openStage({ 'gza.yaml': reviewed, '.github/workflows/gza.yml': caller });
    const { github, play } = stage;
    await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
    const said = (await play()).transcript();
    const [pull] = github.state.issues.filter((one) => one.pull);
    const { runs } = github.state;
    expect({ labels: pull?.labels, ended: new Set(runs.map(({ conclusion }) => conclusion)), said }).toEqual({
      labels: ['gza', 'gza: approved'],
      ended: new Set(['success']),
      said,
    });
    const told = runs
      .slice(1)
      .map(({ event, payload }) => ({ event, inputs: Object.keys(payload['inputs'] ?? {}) }));
    const isTold = caller.includes(' event: ');
    expect(told).not.toHaveLength(0);
    for (const { event, inputs } of told) {
      expect(event).toBe('workflow_dispatch');
      expect(inputs.includes('event')).toBe(isTold);
    }
    expect(await brokenInvariants(github)).toEqual([]);
  },
);

test('a comment whose event is lost is found, one that comes twice counts once, and a closing is final until reopened', async () => {
  stage = await openStage({ 'gza.yaml': config, '.github/workflows/gza.yml': earlierCaller });
  const { github, play, file } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  await play();
  const number = github.state.issues.find((one) => one.pull)?.number ?? 0;
  const lines = async () => (await file('gza/answer', 'src/answer.js'))?.split('\n').length;
  const before = (await lines()) ?? 0;
  // Nobody said what to change, nor did a review: refused before an agent starts.
  await github.as('walter').comment(number, '/gza improve');
  const refused = (await play()).transcript();
  expect({ lines: await lines(), answer: github.state.comments.at(-1)?.body, refused }).toEqual({
    lines: before,
    answer: expect.stringMatching(/was never reviewed.*`\/gza improve keep the old route`/),
    refused,
  });
  github.state.loseEvents = 1;
  await github.as('walter').comment(number, '/gza improve it');
  await github.tickSchedule('17 * * * *');
  await play();
  expect(await lines()).toBe(before + 1);

  await github.as('walter').comment(number, '/gza improve it');
  const event = github.state.events.findLast(({ name }) => name === 'issue_comment');
  if (event) await github.replay(event);
  await play();
  expect(await lines()).toBe(before + 2);

  await github.as('walter').close(number);
  await play();
  expect(await stage.ledgers()).toBe('refs/tasks/main');
  expect(await recordIn(stage, 'refs/tasks/main', 'answer')).toMatchObject({ closed_as: 'dropped' });
  await github.tickSchedule('17 * * * *');
  await play();
  expect(github.state.issues.filter((one) => one.pull && one.state === 'open')).toEqual([]);

  await github.as('walter').comment(number, '/gza reopen');
  const last = await play();
  const open = github.state.issues.filter((one) => one.pull && one.state === 'open');
  const said = last.transcript();
  expect({ open: open.map(({ title }) => title), said }).toEqual({ open: ['Answer'], said });
  expect(await brokenInvariants(github)).toEqual([]);
});

test('a cancelled run saves what the agent had done by then, and the next one goes on from there', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play, file } = stage;
  const folder = mkdtempSync(join(tmpdir(), 'gza-begun-'));
  const begun = join(folder, 'begun');
  const prompt = `Write the answer, take your time, and say so in ${begun}.`;
  const slow = `type: implement\ntitle: Answer\nprompt: ${prompt}\n`;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': slow } });
  const playing = play({ stopAfter: 1 });
  const [run] = github.state.runs;
  for (let tries = 0; tries < 1200 && !existsSync(begun); tries += 1) await wait(50);
  rmSync(folder, { recursive: true, force: true });
  await github.as('olive').request('POST', `/actions/runs/${run?.id}/cancel`);
  const said = (await playing).transcript();
  const found = await recordIn(stage, 'refs/tasks/gza/answer', 'answer');
  expect({ found, said }).toMatchObject({
    found: { steps: [expect.objectContaining({ step: 'implement', outcome: 'cancelled' })] },
    said,
  });
  expect(await file('gza/answer', 'src/answer.js')).toBe('export const answer = 42;\n');
  expect(github.state.runs.map(({ event, status }) => `${event} ${status}`)).toEqual([
    'push completed',
    'repository_dispatch queued',
  ]);
});
