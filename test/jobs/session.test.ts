import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { callerWorkflow } from '../../src/core/text/caller-workflow.ts';
import { type Github, startGithub } from '../github/github.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { runWorkflows } from '../github/workflow.ts';
import type { WorkflowOptions } from '../github/workflow-types.ts';
import { buildProduct } from './product.ts';

// Twenty machines are started one after the other, each with several gits.
jest.setTimeout(300_000);

const agent = fileURLToPath(new URL('scripted-agent.mjs', import.meta.url));
const config = `
agent: scripted
agents:
  scripted:
    command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(agent)}]
    prompt_via: stdin
verify: node --check src/answer.js
task_types:
  implement: { auto_review: true }
`;
const task = 'type: implement\ntitle: Answer\nprompt: Write the answer.\n';

let product: string;
let github: Github;
beforeAll(() => {
  product = buildProduct();
});
afterAll(() => rmSync(product, { recursive: true, force: true }));
beforeEach(async () => {
  const files = { '.github/workflows/gza.yml': callerWorkflow(17), 'gza.yaml': config };
  github = await startGithub({ files });
});
afterEach(() => github.close());

async function play(options: Partial<WorkflowOptions> = {}) {
  const report = await runWorkflows({ github, repositories: { 'gza-dev/gza': product }, ...options });
  return report;
}

const pull = () => github.state.issues.find((one) => one.pull);
const conclusions = () => github.state.runs.map((run) => run.conclusion);
const ledgers = () => github.data.git.text(['for-each-ref', '--format=%(refname)', 'refs/tasks']);
const file = async (branch: string, path: string) => (await github.data.file(branch, path))?.toString('utf8');

test('a pushed task becomes an approved pull request, is steered from a comment, and comes home when merged', async () => {
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const first = await play();
  const transcript = first.transcript();
  expect({ transcript, conclusions: conclusions() }).toEqual({
    transcript,
    conclusions: Array.from({ length: 5 }, () => 'success'),
  });
  expect(pull()).toMatchObject({
    number: 1,
    title: 'Answer',
    state: 'open',
    labels: ['gza', 'gza: approved'],
    pull: { draft: false, head: { ref: 'gza/answer' } },
  });
  expect(pull()?.body).toContain('| 2 | APPROVED | none | scripted |');
  expect(github.state.reviews.map(({ body }) => /Verdict: \w+/.exec(body)?.[0])).toEqual([
    'Verdict: CHANGES_REQUESTED',
    'Verdict: APPROVED',
  ]);
  expect(github.state.reviewComments.map(({ path, line }) => `${path}:${line}`)).toEqual(['src/answer.js:1']);
  const head = await github.data.commit('gza/answer');
  const statuses = github.state.statuses.filter(({ sha }) => sha === head);
  expect(statuses.map(({ context, state }) => `${context} ${state}`)).toEqual([
    'gza/verify success',
    'gza/review success',
  ]);
  expect(await file('gza/answer', 'src/answer.js')).toContain('cycle 1: apples');
  expect(await brokenInvariants(github)).toEqual([]);

  await github.as('rita').comment(1, '/gza improve');
  await github.as('walter').comment(1, '/gza improve say it in kilos');
  await play();
  expect(await file('gza/answer', 'src/answer.js')).toContain('in kilos');
  expect(github.state.reactions.map(({ content, author }) => `${author} ${content}`)).toEqual([
    'github-actions[bot] -1',
    'github-actions[bot] rocket',
  ]);

  await github.as('walter').merge(1);
  await play();
  expect(await ledgers()).toBe('refs/tasks/main');
  expect(await file('main', 'src/answer.js')).toContain('in kilos');
  expect(await brokenInvariants(github)).toEqual([]);
});
