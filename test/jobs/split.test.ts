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
});

test('a person who wants it whole says so, and it starts as it is', async () => {
  stage = await openStage({ 'gza.yaml': plain, 'tasks/retry.yml': large });
  const { github, play } = stage;
  const word = { ref: 'main', inputs: { task: 'retry', command: 'approve' } };
  await github.as('walter').request('POST', '/actions/workflows/gza.yml/dispatches', word);
  await play();
  const titles = github.state.issues.filter((one) => one.pull).map(({ title }) => title);
  expect(titles).toEqual(['Retry failed payments']);
});
