import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { config, openStage, removeProduct, type Stage } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const plain = `${config.replace(/verify: .*\n/, '')}requires: merged\n`;
const files = ['db/payments', 'services/payment-service', 'ui/account-page'].flatMap((path) =>
  ['a', 'b', 'c', 'd'].map((name) => `src/${path}-${name}.ts`),
);
const large = `type: implement
title: Retry failed payments
prompt: |
  An async algorithm with distributed consensus and encryption retries what failed,
  handles various cases etc., and maybe should be as needed.
files_to_modify: [${files.join(', ')}]
acceptance_criteria:
  - The payments table keeps each attempt
  - The service tries again after a day
  - The account page shows what happened
`;
const after = 'type: implement\ntitle: Mail the customer\nprompt: Mail.\ndepends_on: retry\n';

const hard = `type: implement
title: Solver
prompt: An async, distributed parser with encryption, maybe, etc., somehow robust
files_to_modify: [src/a.ts]
`;

test('what is critical is not started before a person speaks; where splits are automatic, its first part is', async () => {
  stage = await openStage({ 'gza.yaml': plain });
  const { github, play, ledgers } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/retry.yml': large, 'tasks/mail.yml': after } });
  await play();
  const board = () => github.state.issues.find((one) => !one.pull)?.body ?? '';
  expect(await ledgers()).toBe('');
  expect(github.state.issues.filter((one) => one.pull)).toEqual([]);
  expect(board()).toMatch(
    /Waiting for a person[^]*retry: Retry failed payments[^]*1\d\.\d of 13[^]*Blocked[^]*mail/,
  );

  const splits = `${plain}task_size_limits: { auto_split: true }\n`;
  await github.commit({ branch: 'main', files: { 'gza.yaml': splits } });
  await play();
  const pulls = github.state.issues.filter((one) => one.pull);
  expect(pulls.map(({ title }) => title)).toEqual(['Retry failed payments (part 1 of 3)']);
  // As events of the ledger: nobody's file was changed.
  expect(await stage.file('main', 'tasks/retry.yml')).toBe(large);
  const log = await github.data.git.text(['log', '--format=%B', 'refs/tasks/main']);
  expect(log.match(/"kind":"split"/g)).toHaveLength(1);
  expect(board()).toMatch(/retry-b[^]*retry-c/);
  expect(board()).toMatch(/mail: Mail the customer[^]*retry-c/);
  expect(await brokenInvariants(github)).toEqual([]);

  // What no split makes easier says so, and starts.
  await github.commit({ branch: 'main', files: { 'tasks/hard.yml': hard } });
  const { jobs } = await play();
  const said = jobs.flatMap(({ steps }) => steps.flatMap(({ annotations }) => annotations));
  expect(said.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^hard is not split: it scores 5\.\d, but no way to divide/),
  );
  expect(github.state.issues.filter((one) => one.pull)).toHaveLength(2);
});

test('a person who wants it whole says so, and it starts as it is', async () => {
  stage = await openStage({ 'gza.yaml': plain, 'tasks/retry.yml': large });
  const { github, play } = stage;
  const word = { ref: 'main', inputs: { task: 'retry', command: 'approve' } };
  await github.as('walter').request('POST', '/actions/workflows/gza.yml/dispatches', word);
  const { jobs } = await play();
  const titles = github.state.issues.filter((one) => one.pull).map(({ title }) => title);
  expect(titles).toEqual(['Retry failed payments']);
  // Advice stays advice.
  const said = jobs.flatMap(({ steps }) => steps.flatMap(({ annotations }) => annotations));
  expect(said.map(({ level, message }) => `${level}: ${message}`)).toContain(
    'warning: #retry has 12 files to modify; up to 8 (max_files_to_modify) is advised',
  );
});
