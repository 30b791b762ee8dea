import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { callerWorkflow } from '../../src/core/text/caller-workflow.ts';
import { type Github, startGithub } from '../github/github.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { runWorkflows } from '../github/workflow.ts';
import type { WorkflowOptions } from '../github/workflow-types.ts';
import { buildProduct } from './product.ts';

jest.setTimeout(120_000);

const agent = fileURLToPath(new URL('scripted-agent.mjs', import.meta.url));
const config = `
agent: scripted
agents:
  scripted:
    command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(agent)}]
    prompt_via: stdin
verify: node --check src/*.js || test -d src
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
afterEach(() => github?.close());

const play = (options: Partial<WorkflowOptions> = {}) =>
  runWorkflows({ github, repositories: { 'gza-dev/gza': product }, ...options });

test('a pushed task becomes a pull request that is reviewed, improved and approved', async () => {
  github = await startGithub({
    files: { '.github/workflows/gza.yml': callerWorkflow(17), 'gza.yaml': config, 'README.md': '# demo\n' },
  });
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const report = await play();
  console.log(report.transcript());
  console.log(JSON.stringify({ issues: github.state.issues, reviews: github.state.reviews, comments: github.state.reviewComments, statuses: github.state.statuses }, null, 1));
  console.log(github.seen.map((one) => `${one.status} ${one.kind} ${one.operation} ${one.creates}`).join('\n'));
  expect(await brokenInvariants(github)).toEqual([]);
});
