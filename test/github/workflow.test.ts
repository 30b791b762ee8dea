import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Github, type StartOptions, startGithub } from './github.ts';
import { runWorkflows } from './workflow.ts';
import type { WorkflowOptions } from './workflow-types.ts';

let github: Github;
let product: string;
beforeEach(() => {
  product = mkdtempSync(join(tmpdir(), 'fake-product-'));
});
afterEach(async () => {
  rmSync(product, { recursive: true, force: true });
  await github?.close();
});

/** Another repository, as a folder: what `uses: gza-dev/gza@v1` means. */
function publish(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(product, path)), { recursive: true });
    writeFileSync(join(product, path), text);
  }
}

async function start(files: Record<string, string>, options: StartOptions = {}): Promise<void> {
  github = await startGithub({ ...options, files });
}

const play = (options: Partial<WorkflowOptions> = {}) =>
  runWorkflows({ github, repositories: { 'gza-dev/gza': product }, ...options });

const action = `
name: gza
description: A small action
inputs:
  command: { description: What to do, required: true }
  token: { description: Whose, default: '\${{ github.token }}' }
outputs:
  matrix: { description: Ids }
runs:
  using: node24
  main: index.mjs
`;

const actionCode = `
import { appendFileSync, readFileSync } from 'node:fs';
const env = process.env;
const event = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, 'utf8'));
const api = (method, path, body) => fetch(env.GITHUB_API_URL + '/repos/' + env.GITHUB_REPOSITORY + path, {
  method, body: body && JSON.stringify(body),
  headers: { authorization: 'Bearer ' + env.INPUT_TOKEN, 'x-github-api-version': '2022-11-28' },
});
if (env.INPUT_COMMAND === 'pick') {
  const done = env.GITHUB_EVENT_NAME === 'workflow_dispatch';
  appendFileSync(env.GITHUB_OUTPUT, 'matrix<<EOF\\n' + JSON.stringify(done ? [] : ['t1', 't2']) + '\\nEOF\\n');
  appendFileSync(env.GITHUB_STEP_SUMMARY, '# picked');
}
if (env.INPUT_COMMAND === 'next') {
  const answer = await api('POST', '/actions/workflows/gza.yml/dispatches', { ref: 'main', inputs: { reason: 'next' }, return_run_details: true });
  console.log('dispatched', answer.status, typeof (await answer.json()).workflow_run_id);
}
if (env.INPUT_COMMAND === 'forbidden') console.log((await api('POST', '/issues/1/comments', { body: 'x' })).status);
if (env.INPUT_COMMAND === 'ask twice') { await api('GET', ''); console.log('once'); await api('GET', ''); console.log('twice'); }
console.log('::add-mask::s3cret'); console.log('the s3cret is', env.INPUT_TOKEN, event.ref ?? '');
`;

const lane = `
name: lane
on:
  workflow_call:
    inputs: { id: { type: string, required: true } }
    outputs: { head: { description: head, value: '\${{ jobs.land.outputs.head }}' } }
permissions: {}
jobs:
  agent:
    runs-on: ubuntu-latest
    permissions: { contents: read }
    outputs: { artifact: '\${{ steps.up.outputs.artifact-id }}', digest: '\${{ steps.up.outputs.artifact-digest }}' }
    steps:
      - uses: actions/checkout@v7
        with: { persist-credentials: false, fetch-depth: 0 }
      - run: echo "$ID" > patch.txt && test -f README.md && ! git push origin HEAD:refs/heads/evil
        env: { ID: '\${{ inputs.id }}' }
      - id: up
        if: always()
        uses: actions/upload-artifact@v6
        with: { name: 'patch-\${{ inputs.id }}', path: patch.txt }
  land:
    needs: agent
    runs-on: ubuntu-latest
    permissions: { contents: write }
    outputs: { head: '\${{ steps.push.outputs.head }}' }
    steps:
      - uses: actions/checkout@v7
      - uses: actions/download-artifact@v6
        with: { artifact-ids: '\${{ needs.agent.outputs.artifact }}', path: in }
      - id: push
        run: |
          git config user.name bot; git config user.email bot@example.com
          cp in/patch.txt $ID.txt; git add $ID.txt; git commit -qm "Add $ID"
          git push -q origin HEAD:refs/heads/gza/$ID
          echo "head=$(git rev-parse HEAD)" >> "$GITHUB_OUTPUT"
        env: { ID: '\${{ inputs.id }}' }
`;

const main = `
name: gza
on:
  push: { branches: [main], paths: ['tasks/**'] }
  workflow_dispatch: { inputs: { reason: { description: why, type: string } } }
permissions: {}
jobs:
  pick:
    runs-on: ubuntu-latest
    permissions: { contents: write }
    concurrency: { group: gza-pick }
    outputs: { matrix: '\${{ steps.pick.outputs.matrix }}' }
    steps:
      - id: pick
        uses: gza-dev/gza@v1
        with: { command: pick }
  lane:
    needs: pick
    if: needs.pick.outputs.matrix != '[]'
    strategy: { fail-fast: false, matrix: { id: '\${{ fromJSON(needs.pick.outputs.matrix) }}' } }
    permissions: { contents: write }
    uses: gza-dev/gza/.github/workflows/lane.yml@v1
    with: { id: '\${{ matrix.id }}' }
  next:
    needs: [pick, lane]
    if: always() && needs.pick.outputs.matrix != '[]'
    runs-on: ubuntu-latest
    permissions: { actions: write }
    steps:
      - uses: gza-dev/gza@v1
        with: { command: next }
`;

test('a push plays through: pick, a matrix of callables, artifacts, real pushes, a dispatch, a second run that ends it', async () => {
  publish({ 'action.yml': action, 'index.mjs': actionCode, '.github/workflows/lane.yml': lane });
  await start({ 'README.md': 'demo', '.github/workflows/gza.yml': main });
  await github.commit({ branch: 'main', files: { 'other.txt': 'x' } });
  expect(github.state.runs).toEqual([]);
  await github.commit({ branch: 'main', files: { 'tasks/a.yml': 'x' } });
  const report = await play();
  expect([report.transcript(), ...report.runs.map((run) => [run.event, run.conclusion])]).toEqual([
    expect.anything(),
    ['push', 'success'],
    ['workflow_dispatch', 'success'],
  ]);
  expect(report.jobs.map((job) => `${job.name}: ${job.result}`)).toEqual([
    'pick: success',
    'lane (t1) / agent: success',
    'lane (t1) / land: success',
    'lane (t2) / agent: success',
    'lane (t2) / land: success',
    'next: success',
    'pick: success',
    'lane: skipped',
    'next: skipped',
  ]);
  const writes = github.seen.filter((one) => one.job === 'lane (t1) / agent' && one.method === 'POST');
  expect(writes.map((one) => one.operation)).toEqual(['git/fetch', 'git/fetch']);
  const refs = await github.data.refs();
  expect([refs.has('refs/heads/gza/t1'), refs.has('refs/heads/gza/t2'), refs.has('refs/heads/evil')]).toEqual(
    [true, true, false],
  );
  expect(report.job('lane (t2) / land').outputs['head']).toBe(refs.get('refs/heads/gza/t2'));
  expect(report.job('lane (t1) / agent').permissions).toEqual({ contents: 'read' });
});

test('masks are applied, a job has only its own permissions, its token ends with it', async () => {
  publish({ 'action.yml': action, 'index.mjs': actionCode });
  const step = (command: string) => `{ uses: gza-dev/gza@v1, with: { command: '${command}' } }`;
  const text = `on: push\npermissions: { contents: read }\njobs:\n  a:\n    runs-on: ubuntu-latest\n    outputs: { leak: '\${{ github.token }}' }\n    steps: [${step('forbidden')}]\n`;
  await start({ '.github/workflows/a.yml': text });
  await github.commit({ branch: 'main', files: { a: 'a' } });
  const job = (await play()).job('a');
  expect(job.steps[0]?.log).toMatch(/^403\n::add-mask::\*\*\*\nthe \*\*\* is \*\*\* refs\/heads\/main$/);
  expect([job.outputs, job.messages]).toEqual([{}, ["Skip output 'leak' since it may contain secret."]]);
  expect(Object.values(github.state.tokens).every((token) => token.revoked)).toBe(true);
});

test('status functions, continue-on-error, fail-fast and skipped ancestors go as at GitHub', async () => {
  const job = (id: string, body: string, run = 'true') =>
    `  ${id}:\n    runs-on: ubuntu-latest\n${body}    steps: [{ run: '${run}' }]\n`;
  const text = `on: push\njobs:
${job('bad', '', 'exit 3')}${job('forgiven', '    continue-on-error: true\n', 'exit 1')}${job('after', '    needs: bad\n')}${job('always', '    needs: after\n    if: always()\n')}${job('tail', '    needs: always\n')}${job('rescue', '    needs: [after]\n    if: failure()\n')}${job('fine', '    needs: forgiven\n')}${job('many', '    strategy: { matrix: { n: [1, 2, 3] } }\n', 'test ${{ matrix.n }} != 1')}`;
  await start({ '.github/workflows/a.yml': text });
  await github.commit({ branch: 'main', files: { a: 'a' } });
  const report = await play();
  const results = Object.fromEntries(report.jobs.map((one) => [one.name, one.result]));
  expect(results).toEqual({
    bad: 'failure',
    forgiven: 'failure',
    after: 'skipped',
    always: 'success',
    tail: 'skipped',
    rescue: 'success',
    fine: 'success',
    'many (1)': 'failure',
    'many (2)': 'cancelled',
    'many (3)': 'cancelled',
  });
  expect(report.runs[0]?.conclusion).toBe('failure');
});

test('an empty matrix fails the job, a callable that asks for too much fails the run before any job', async () => {
  publish({ '.github/workflows/lane.yml': lane });
  const empty = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    strategy: { matrix: { x: '\${{ fromJSON(''[]'') }}' } }\n    steps: [{ run: 'true' }]\n`;
  const greedy = `on: push\npermissions: { contents: read }\njobs:\n  a:\n    uses: gza-dev/gza/.github/workflows/lane.yml@v1\n    with: { id: x, nonsense: y }\n`;
  await start({ '.github/workflows/empty.yml': empty, '.github/workflows/greedy.yml': greedy });
  await github.commit({ branch: 'main', files: { a: 'a' } });
  const report = await play();
  expect(report.runs.map((run) => run.conclusion)).toEqual(['failure', 'startup_failure']);
  expect(report.job('a').messages).toEqual(["Matrix vector 'x' does not contain any values"]);
  expect(report.runs[1]?.message).toContain('asks for contents: write');
  expect(report.runs[1]?.message).toContain('Invalid input, nonsense');
});

test('GitHub’s own parser refuses what GitHub would', async () => {
  await start({
    '.github/workflows/a.yml':
      'on: push\npermissions: { workflows: write }\njobs: { a: { runs-on: x, steps: [{ run: "${{ nothing.here }}" }] } }',
  });
  await github.commit({ branch: 'main', files: { a: 'a' } });
  const [run] = (await play()).runs;
  expect(run?.conclusion).toBe('startup_failure');
  expect(run?.message).toContain('nothing');
});

const waits = (queue: string) =>
  `on: workflow_dispatch\nconcurrency: { group: g, queue: ${queue} }\njobs: { a: { runs-on: x, steps: [{ run: 'true' }] } }\n`;

test.each([
  ['single', ['success', 'cancelled', 'success']],
  ['max', ['success', 'success', 'success']],
])('of three runs in a group with queue: %s', async (queue, conclusions) => {
  await start({ '.github/workflows/a.yml': waits(queue) });
  for (let at = 0; at < 3; at += 1)
    await github.as('walter').request('POST', '/actions/workflows/a.yml/dispatches', { ref: 'main' });
  expect((await play()).runs.map((run) => run.conclusion)).toEqual(conclusions);
});

test('what a job’s token does starts nothing; its pull request waits for approval; a person’s starts', async () => {
  const ci =
    'on: { pull_request: {}, issue_comment: {} }\njobs: { a: { runs-on: x, steps: [{ run: "true" }] } }\n';
  await start({ '.github/workflows/ci.yml': ci });
  await github.commit({ branch: 'work', files: { a: 'a' } });
  const headers = { authorization: `Bearer ${github.token({})}`, 'x-github-api-version': '2022-11-28' };
  const send = (path: string, body: unknown) =>
    fetch(`${github.apiUrl}/repos/olive/demo${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
  await send('/pulls', { title: 't', head: 'work', base: 'main' });
  await send('/issues/1/comments', { body: 'by the bot' });
  expect(github.state.runs.map((run) => [run.event, run.conclusion])).toEqual([
    ['pull_request', 'action_required'],
  ]);
  await github.as('walter').comment(1, '/gza improve');
  expect(github.state.runs.map((run) => run.event)).toEqual(['pull_request', 'issue_comment']);
  await github.as('walter').request('POST', `/actions/runs/${github.state.runs[0]?.id}/approve`);
  expect((await play()).runs.map((run) => run.conclusion)).toEqual(['success', 'success']);
});

test('a dispatch is refused for unknown inputs, a missing trigger, a ref that is not there', async () => {
  await start({
    '.github/workflows/a.yml':
      'on: { workflow_dispatch: { inputs: { x: { type: string, required: true } } } }',
    '.github/workflows/b.yml': 'on: push',
  });
  const dispatch = async (file: string, body: unknown) =>
    (await github.as('walter').request('POST', `/actions/workflows/${file}/dispatches`, body)).body[
      'message'
    ];
  expect(await dispatch('a.yml', { ref: 'main', inputs: { y: '1', x: '1' } })).toBe(
    'Unexpected inputs provided: ["y"]',
  );
  expect(await dispatch('a.yml', { ref: 'main' })).toBe("Required input 'x' not provided");
  expect(await dispatch('b.yml', { ref: 'main' })).toBe("Workflow does not have 'workflow_dispatch' trigger");
  expect(await dispatch('a.yml', { ref: 'nowhere', inputs: { x: '1' } })).toBe('No ref found for: nowhere');
});

test('a step can be killed at any request, and a job runs out of time; what is always() runs still', async () => {
  publish({ 'action.yml': action, 'index.mjs': actionCode });
  const text = `on: push\npermissions: { contents: read }\njobs:
  a: { runs-on: x, steps: [{ uses: gza-dev/gza@v1, with: { command: ask twice } }, { run: echo next }, { if: always(), run: echo still }] }
  b: { runs-on: x, timeout-minutes: 1, steps: [{ run: sleep 60 }, { if: always(), run: echo late }] }\n`;
  await start({ '.github/workflows/a.yml': text });
  await github.commit({ branch: 'main', files: { a: 'a' } });
  const before = github.seen.length;
  const report = await play({
    minuteMs: 600,
    kill: (job) => (job.name === 'a' ? { request: 2, phase: 'before' } : undefined),
  });
  expect(report.job('a').steps.map((step) => [step.outcome, step.exitCode, step.log])).toEqual([
    ['failure', -1, 'once'],
    ['success', 0, 'still'],
  ]);
  expect(github.seen.length - before).toBe(2);
  await github.commit({ branch: 'main', files: { b: 'b' } });
  const lost = await play({
    minuteMs: 600,
    kill: (job) => (job.name === 'a' ? { request: 1, phase: 'after', machine: true } : undefined),
  });
  expect([lost.job('a').result, lost.job('a').steps.length]).toEqual(['failure', 1]);
  expect(report.job('b').steps.map((step) => [step.outcome, step.log])).toEqual([
    ['cancelled', ''],
    ['success', 'late'],
  ]);
  expect([report.job('b').result, report.job('b').messages]).toEqual([
    'cancelled',
    ['The job has exceeded the maximum execution time.'],
  ]);
});

test('a run is cancelled while a job is at work: the process is told, always() runs, the rest does not', async () => {
  const text = `on: push\njobs:
  a: { runs-on: x, steps: [{ run: 'trap "echo told; exit 1" INT; touch ${product}/ready; for i in $(seq 100); do sleep 0.1; done' }, { run: echo no }, { if: cancelled(), run: sleep 0.3; echo tidy }] }
  b: { needs: a, runs-on: x, steps: [{ run: 'true' }] }
  c: { needs: a, if: always(), runs-on: x, steps: [{ run: echo last }] }\n`;
  await start({ '.github/workflows/a.yml': text });
  await github.commit({ branch: 'main', files: { a: 'a' } });
  const cancel = () =>
    github.as('walter').request('POST', `/actions/runs/${github.state.runs[0]?.id}/cancel`);
  const watch = setInterval(() => {
    if (!existsSync(join(product, 'ready'))) return;
    clearInterval(watch);
    void cancel();
  }, 20);
  const report = await play();
  expect(report.job('a').steps.map((step) => [step.outcome, step.log])).toEqual([
    ['cancelled', expect.stringContaining('told')],
    ['success', 'tidy'],
  ]);
  expect(report.jobs.map((job) => [job.name, job.result])).toEqual([
    ['a', 'cancelled'],
    ['b', 'cancelled'],
    ['c', 'success'],
  ]);
  expect(report.runs[0]?.conclusion).toBe('cancelled');
});

test('an event may be lost, or come twice and late; a fork’s pull request runs with less', async () => {
  const ci = `on: { push: {}, pull_request: {} }\njobs: { a: { runs-on: x, steps: [{ run: 'test -z "$S"', env: { S: '\${{ secrets.KEY }}' } }] } }\n`;
  await start({ '.github/workflows/ci.yml': ci }, { settings: { defaultPermissions: 'write' } });
  github.state.loseEvents = 1;
  await github.commit({ branch: 'main', files: { a: 'a' } });
  expect(github.state.runs).toEqual([]);
  const [lost] = github.state.events;
  if (!lost) throw new Error('no event');
  await github.replay(lost);
  await github.replay(lost);
  expect(github.state.runs.map((run) => run.event)).toEqual(['push', 'push']);
  github.state.runs.length = 0;
  const number = await github.forkPull({ by: 'nora', branch: 'patch', files: { b: 'b' } });
  const report = await play({ secrets: { KEY: 'x' } });
  expect(report.job('a')).toMatchObject({
    result: 'success',
    permissions: { contents: 'read', issues: 'read' },
  });
  const { body } = await github.as('olive').request('GET', `/pulls/${number}`);
  expect(body).toMatchObject({
    head: { label: 'nora:patch', repo: { full_name: 'nora/demo', fork: true } },
    author_association: 'NONE',
  });
});

test('two jobs are at work at once when that is asked for', async () => {
  const meet = 'touch "$D/$N"; for i in $(seq 100); do test -e "$D/$O" && exit 0; sleep 0.1; done; exit 1';
  const text = `on: push\njobs:\n  a:\n    runs-on: x\n    strategy: { matrix: { n: [1, 2] } }\n    env: { D: '${product}', N: '\${{ matrix.n }}', O: '\${{ matrix.n == 1 && 2 || 1 }}' }\n    steps: [{ run: '${meet}' }]\n`;
  await start({ '.github/workflows/a.yml': text });
  await github.commit({ branch: 'main', files: { a: 'a' } });
  expect((await play({ parallel: 2 })).jobs.map((job) => job.result)).toEqual(['success', 'success']);
});
