import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { config, openStage, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const record = async (ledger: string, id: string) => {
  const base = await stage.github.data.git.run(['grep', '-h', `"id":"${id}"`, ledger]);
  const lines = base.stdout.toString('utf8').split('\n').filter(Boolean);
  return JSON.parse(lines.find((line) => line.startsWith('{"id"')) ?? '{}') as Record<string, unknown>;
};

/** The last request of the landing job in the n-th run: where it was killed. */
const lastOfLanding = (n: number) => {
  const { state, seen } = stage.github;
  return seen.findLast(({ runId, job }) => runId === state.runs[n]?.id && job?.includes('/ land'))?.operation;
};

test('a pick that finds nothing to do fetches once, looks for comments that no event told of, and writes nothing', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play } = stage;
  await github.tickSchedule('17 * * * *');
  await play();
  expect(github.state.runs.map((run) => run.conclusion)).toEqual(['success']);
  const asked = github.seen.map(({ operation }) => operation);
  // The checkout's, and the one of gza's.
  expect(asked.filter((one) => one === 'git/info-fetch')).toHaveLength(2);
  expect(asked.filter((one) => !one.startsWith('git/'))).toEqual([
    'issues/list-comments-for-repo',
    'pulls/list-review-comments-for-repo',
  ]);
  expect(asked).not.toContain('git/push');
});

test.each([
  ['before it pushed', 5, 'git/info-push'],
  ['after it pushed', 6, 'git/push'],
  ['when the pull request was just opened', 9, 'pulls/create'],
] as const)(
  'a landing job whose machine is lost %s is completed by the next pick',
  async (_when, request, last) => {
    stage = await openStage({ 'gza.yaml': config });
    const { github, play, file } = stage;
    await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
    let kills = 0;
    const report = await play({
      kill: (job, step) => {
        if (!job.name.includes('/ land') || step !== 'land' || kills > 0) return undefined;
        kills += 1;
        return { request, phase: 'after', machine: true };
      },
    });
    const transcript = report.transcript();
    expect({ last: lastOfLanding(0), transcript }).toEqual({ last, transcript });
    const pulls = github.state.issues.filter((one) => one.pull);
    expect({ pulls: pulls.map(({ pull }) => pull?.draft), transcript }).toEqual({
      pulls: [false],
      transcript,
    });
    expect(await file('gza/answer', 'src/answer.js')).toBe('export const answer = 42;\n');
    expect(pulls[0]?.body).toContain('- [x] answer: Answer');
    expect(await brokenInvariants(github)).toEqual([]);
  },
);

test('a review that was posted right before the machine was lost is not posted again', async () => {
  stage = await openStage({ 'gza.yaml': `${config}task_types:\n  implement: { auto_review: true }\n` });
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  let lands = 0;
  const report = await play({
    kill: (job, step) => {
      if (!job.name.includes('/ land') || step !== 'land') return undefined;
      lands += 1;
      return lands === 2 ? { request: 10, phase: 'after', machine: true } : undefined;
    },
  });
  const said = report.transcript();
  expect(lastOfLanding(1)).toBe('pulls/create-review');
  expect({ verdicts: github.state.reviews.length, said }).toEqual({ verdicts: 2, said });
  expect(github.seen.some(({ operation }) => operation === 'pulls/list-reviews')).toBe(true);
  expect(github.state.issues.find((one) => one.pull)?.body).toContain('| 2 | APPROVED |');
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
  await github.tickSchedule('17 * * * *');
  const said = (await play()).transcript();
  expect({ changed: await file('gza/answer', 'src/answer.js'), said }).toEqual({
    changed: 'export const answer = 42;\n',
    said,
  });
  const { steps = [] } = (await record('refs/tasks/gza/answer', 'answer')) as {
    steps?: { outcome: string }[];
  };
  expect(steps.map(({ outcome }) => outcome)).toEqual(['lost', 'ok']);
  expect(github.state.issues.filter((one) => one.pull)).toHaveLength(1);
});

test('a branch that the host refuses is recorded with its words, and a person is asked', async () => {
  stage = await openStage({ 'gza.yaml': config }, { settings: { protectedBranches: ['gza/answer'] } });
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const report = await play();
  const found = await record('refs/tasks/gza/answer', 'answer');
  expect({ found, transcript: report.transcript() }).toMatchObject({
    found: { attempts: 1, stop: { reason: 'push-refused', detail: expect.stringMatching(/protected/i) } },
  });
  expect(await github.data.commit('gza/answer')).toBeNull();
  expect(await brokenInvariants(github)).toEqual([]);
});

test('a workflow file that an agent wrote is not landed, whatever else it did', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play } = stage;
  const hostile = 'type: implement\ntitle: Answer\nprompt: Write the answer, and a workflow file.\n';
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': hostile } });
  const report = await play();
  const found = await record('refs/tasks/gza/answer', 'answer');
  expect({ found, transcript: report.transcript() }).toMatchObject({
    found: {
      stop: { reason: 'refused-changes', detail: expect.stringContaining('the artifact of the run') },
    },
  });
  expect(await github.data.commit('gza/answer')).toBeNull();
  const [board, ...pulls] = github.state.issues;
  expect([board?.title, pulls]).toEqual(['gza: task board', []]);
  expect(board?.body).toMatch(/### Waiting for a person\n\n- \*\*answer/);
});

test('a comment whose event is lost is found, one that comes twice counts once, and a closing is final until reopened', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play, file } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  await play();
  const number = github.state.issues.find((one) => one.pull)?.number ?? 0;
  const lines = async () => (await file('gza/answer', 'src/answer.js'))?.split('\n').length;
  const before = (await lines()) ?? 0;
  github.state.loseEvents = 1;
  await github.as('walter').comment(number, '/gza improve');
  await github.tickSchedule('17 * * * *');
  await play();
  expect(await lines()).toBe(before + 1);

  await github.as('walter').comment(number, '/gza improve');
  const event = github.state.events.findLast(({ name }) => name === 'issue_comment');
  if (event) await github.replay(event);
  await play();
  expect(await lines()).toBe(before + 2);

  await github.as('walter').close(number);
  await play();
  expect(await stage.ledgers()).toBe('refs/tasks/main');
  expect(await record('refs/tasks/main', 'answer')).toMatchObject({ closed_as: 'dropped' });
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
  const slow = 'type: implement\ntitle: Answer\nprompt: Write the answer, and take your time.\n';
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': slow } });
  const playing = play();
  const [run] = github.state.runs;
  const isAtWork = () =>
    github.state.runs[0]?.jobs.some((job) => job.name.includes('/ agent') && job.status === 'in_progress');
  for (let tries = 0; tries < 600 && !isAtWork(); tries += 1) await wait(100);
  await wait(4000);
  await github.as('olive').request('POST', `/actions/runs/${run?.id}/cancel`);
  const said = (await playing).transcript();
  const found = await record('refs/tasks/gza/answer', 'answer');
  expect({ found, said }).toMatchObject({
    found: { steps: [expect.objectContaining({ step: 'implement', outcome: 'cancelled' })] },
    said,
  });
  expect(await file('gza/answer', 'src/answer.js')).toBe('export const answer = 42;\n');
});

test('on GitHub’s own machines the agent runs as a user of its own, and what it is given holds no token', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const tools = mkdtempSync(join(tmpdir(), 'gza-sudo-'));
  try {
    const log = join(tools, 'log');
    // Does what is harmless, and as whoever runs this test.
    const script = `#!/bin/bash
printf '%s\\n' "$*" >> ${log}
while [[ "$1" == -* ]]; do if [[ "$1" == -u ]]; then shift; fi; shift; done
case "$1" in
  env) shift; unset \${!ACTIONS_@} \${!RUNNER_@} INPUT_TOKEN; exec env "$@" ;;
  rm) exec "$@" ;;
esac
`;
    writeFileSync(join(tools, 'sudo'), script, { mode: 0o755 });
    const report = await play({
      path: tools,
      env: { ImageOS: 'ubuntu24', ACTIONS_RUNTIME_TOKEN: 'runtime' },
    });
    const said = report.transcript();
    expect(said).toContain('The agent runs as the user gza-agent, who has no sudo.');
    expect({ changed: await stage.file('gza/answer', 'src/answer.js'), said }).toEqual({
      changed: 'export const answer = 42;\n',
      said,
    });
    const calls = readFileSync(log, 'utf8').split('\n');
    const run = calls.find((line) => line.includes('GZA_AGENT_APART=1')) ?? '';
    expect(run).toMatch(/^-n -u gza-agent --preserve-env=\S*INPUT_CLAIM\S* -- env /);
    expect(run).not.toMatch(/ACTIONS_|INPUT_TOKEN|GITHUB_OUTPUT|GIT_CONFIG/);
    expect(calls.filter((line) => line.startsWith('-n pkill -KILL -u gza-agent'))).toHaveLength(1);
  } finally {
    rmSync(tools, { recursive: true, force: true });
  }
});
