/** The whole workflow in the repository, on runners of its own, which the called form of another owner cannot reach. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { callerPath, callerWorkflow } from '../../src/core/text/doctor/caller-workflow.ts';
import { home } from '../../src/core/text/doctor/home.ts';
import { inlinePaths, inlineWorkflow } from '../../src/core/text/doctor/inline-workflows.ts';
import { root } from '../e2e/cli.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { approving, openStage, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const sha = '0123456789abcdef0123456789abcdef01234567';
const caller = (given: object): Record<string, string> => {
  const workflow = parse(callerWorkflow({ minute: 17, branch: 'main', ...given })) as {
    jobs: { gza: Record<string, unknown> };
  };
  workflow.jobs.gza['with'] = { 'runs-on': '["self-hosted", "big"]' };
  return { [callerPath]: stringify(workflow) };
};
const inline = Object.fromEntries(
  Object.entries(inlinePaths).map(([name, path]) => [
    path,
    inlineWorkflow(readFileSync(join(root, '.github/workflows', name), 'utf8'), home, sha),
  ]),
);
const files = { 'gza.yaml': `${approving}defaults: { auto_review: true }\n`, 'tasks/answer.yml': task };
const jobsRun = () =>
  stage.github.state.runs.flatMap(({ jobs }) =>
    jobs.filter(({ conclusion }) => conclusion === 'success').map(({ name }) => name),
  );

test('the inline form reaches approval in as many jobs as the called one, on runners of one’s own, and folds what is merged', async () => {
  stage = await openStage({ ...files, ...caller({ isInline: true }), ...inline });
  const { github, play } = stage;
  await github.tickSchedule('17 */6 * * *');
  const said = (await play()).transcript();
  const pull = github.state.issues.find((one) => one.pull);
  expect({ labels: pull?.labels, said }).toEqual({ labels: ['gza', 'gza: approved'], said });
  expect(jobsRun()).toHaveLength(6);

  await github.as('walter').comment(pull?.number ?? 0, '/gza improve say it in kilos');
  await play();
  expect(await stage.file('gza/answer', 'src/answer.js')).toContain('in kilos');
  await github.as('walter').merge(pull?.number ?? 0);
  await play();
  expect(await stage.ledgers()).toBe('refs/tasks/main');
  expect(await brokenInvariants(github)).toEqual([]);
});

test('the called form of another owner finds no runner of one’s own', async () => {
  stage = await openStage({ ...files, ...caller({}) });
  await stage.github.tickSchedule('17 */6 * * *');
  const said = (await stage.play()).transcript();
  expect({ jobs: jobsRun(), said }).toEqual({ jobs: [], said });
});
