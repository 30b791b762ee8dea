/** What GitHub does between repositories of different owners, and with a `uses:` that leads nowhere. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Github, startGithub } from './github.ts';
import { runWorkflows } from './workflow.ts';

let github: Github;
let callee: string;
beforeEach(() => {
  callee = mkdtempSync(join(tmpdir(), 'fake-callee-'));
});
afterEach(async () => {
  rmSync(callee, { recursive: true, force: true });
  await github?.close();
});

const say = '{ run: "echo A=$A B=$B", env: { A: "${{ secrets.A }}", B: "${{ secrets.B }}" } }';
const wanted = 'secrets: { A: { required: false }, B: { required: false } }';

/** A workflow that calls another of its repository, and hands on what it was given. */
function publish({ secrets = 'inherit', runsOn = 'ubuntu-latest', inner = say } = {}): void {
  const files = {
    'outer.yml': `on: { workflow_call: { ${wanted} } }\njobs: { in: { uses: $/.github/workflows/inner.yml, secrets: ${secrets} } }\n`,
    'inner.yml': `on: { workflow_call: { ${wanted} } }\njobs: { a: { runs-on: ${runsOn}, steps: [${inner}] } }\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    const path = join(callee, '.github/workflows', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

async function call(
  owner: string,
  secrets = 'inherit',
  uses = `${owner}/tool/.github/workflows/outer.yml@v1`,
) {
  const caller = `on: push\njobs: { out: { uses: ${uses}, secrets: ${secrets} } }\n`;
  github = await startGithub({ files: { '.github/workflows/a.yml': caller } });
  await github.commit({ branch: 'main', files: { a: 'a' } });
  const repositories = { [`${owner}/tool`]: callee };
  return runWorkflows({ github, repositories, secrets: { A: 'apple', B: 'berry' } });
}

const named = '{ A: "${{ secrets.A }}" }';

test.each([
  ['of the same owner inherits all', 'olive', 'inherit', 'inherit', ['A', 'B']],
  ['of another owner inherits nothing', 'stranger', 'inherit', 'inherit', []],
  ['of another owner inherits nothing of what its caller was given', 'stranger', named, 'inherit', []],
  [
    'of another owner gets what both name',
    'stranger',
    named,
    '{ A: "${{ secrets.A }}", B: "${{ secrets.B }}" }',
    ['A'],
  ],
])('a called workflow %s', async (_what, owner, outer, inner, secrets) => {
  publish({ secrets: inner });
  const report = await call(owner, outer);
  const job = report.job('out / in / a');
  const said = ['A', 'B'].map((name) => `${name}=${secrets.includes(name) ? '***' : ''}`).join(' ');
  expect([job.result, job.secrets, job.steps.map(({ log }) => log)]).toEqual(['success', secrets, [said]]);
});

test.each([
  ['olive', '[self-hosted, linux]', 'success', []],
  ['stranger', '[self-hosted, linux]', 'failure', [expect.stringContaining('stranger has none')]],
  ['stranger', 'windows-2025', 'success', []],
])('a job of %s on %s ends with %s', async (owner, runsOn, result, messages) => {
  publish({ runsOn });
  const job = (await call(owner)).job('out / in / a');
  expect([job.result, job.messages]).toEqual([result, messages]);
});

test.each([
  ['no repository', 'nobody/tool/.github/workflows/outer.yml@v1', /repository not found/],
  [
    'a version that is not there',
    'stranger/tool/.github/workflows/outer.yml@v9',
    /unable to find version `v9`/,
  ],
  ['no workflow', 'stranger/tool/.github/workflows/none.yml@v1', /is no callable workflow/],
])('a call of %s fails the run before any job', async (_what, uses, message) => {
  publish();
  const { runs } = await call('stranger', 'inherit', uses);
  expect(runs.map((run) => [run.conclusion, run.message])).toEqual([
    ['startup_failure', expect.stringMatching(message)],
  ]);
});

test('a bare `$/` is no reference, and fails the run before any job', async () => {
  publish({ inner: '{ uses: $/ }' });
  const [run] = (await call('stranger')).runs;
  expect([run?.conclusion, run?.message]).toEqual([
    'startup_failure',
    expect.stringContaining("Expected format {org}/{repo}[/path]@ref. Actual '$/'"),
  ]);
});

test('an action that is not there fails the job before its first step', async () => {
  publish({ inner: '{ run: echo first }, { uses: nobody/action@v1 }' });
  const job = (await call('stranger')).job('out / in / a');
  expect([job.result, job.steps, job.messages]).toEqual([
    'failure',
    [],
    [expect.stringContaining('Unable to resolve action `nobody/action@v1`')],
  ]);
});

test.each([
  ['main', 1],
  ['', 0],
])('a checkout of %j asks %i times which hashes the repository has', async (ref, times) => {
  publish({ inner: `{ uses: actions/checkout@v7, with: { ref: '${ref}' } }` });
  const report = await call('stranger');
  expect(report.job('out / in / a').result).toBe('success');
  const asked = github.seen.filter(({ operation }) => operation === 'repos/get-hash-algorithm');
  expect(asked.map(({ status }) => status)).toEqual(Array.from({ length: times }, () => 200));
});
