/** What an earlier program began, today's goes on with: in jobs, and on a laptop. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { openSandbox, start } from '../e2e/cli.ts';
import type { Github } from '../github/github.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { runWorkflows } from '../github/workflow.ts';
import { openKept } from './kept.ts';
import { buildProduct } from './product.ts';

jest.setTimeout(600_000);

let github: Github;
afterEach(() => github.close());
const product = buildProduct();
afterAll(() => rmSync(product, { recursive: true, force: true }));

const pulls = (branch: string) => github.state.issues.filter((one) => one.pull?.head.ref === branch);

test('jobs take up what earlier ones began, behind the caller of that time, and do nothing twice', async () => {
  github = await openKept();
  const play = async () =>
    (await runWorkflows({ github, repositories: { 'gza-dev/gza': product }, inProcess: true })).transcript();
  const heads = () =>
    github.data.git.text(['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads']);
  const before = (await heads()).split('\n').filter((line) => !line.includes('later'));
  await github.tickSchedule('40 * * * *');
  const said = await play();
  // The review whose machines died is made, and improved until it is approved.
  expect({ later: pulls('gza/later').map(({ labels }) => labels), said }).toEqual({
    later: [['gza', 'gza: approved']],
    said,
  });
  const after = (await heads()).split('\n');
  expect(after).toEqual(expect.arrayContaining(before));
  expect(pulls('gza/answer')).toHaveLength(1);
  expect(pulls('gza/stubborn').map(({ labels }) => labels)).toEqual([['gza', 'gza: needs a person']]);

  // A person ends the escalation; what was stacked goes on the base.
  await github.as('walter').comment(pulls('gza/stubborn')[0]?.number ?? 0, '/gza approve');
  await github.as('walter').merge(pulls('gza/base')[0]?.number ?? 0);
  const next = await play();
  expect({ labels: pulls('gza/stubborn')[0]?.labels, next }).toEqual({
    labels: ['gza', 'gza: approved'],
    next,
  });
  expect(pulls('gza/page')[0]?.pull?.base).toBe('main');
  expect(await brokenInvariants(github)).toEqual([]);
});

test('a laptop reads, checks and adds to it, and renews the caller', async () => {
  github = await openKept();
  await using box = openSandbox({ empty: true });
  const remote = github.urlFor(github.token({ kind: 'user', login: 'walter' }));
  const cloned = await start(['git', 'clone', '--quiet', remote, join(box.dir, 'clone')], {
    cwd: box.dir,
    env: box.env,
  });
  expect(cloned).toMatchObject({ code: 0 });
  const there = { cwd: join(box.dir, 'clone') };
  const run = (...args: string[]) => box.says(args, there);
  await run('sync');
  expect(await run('fsck')).toContain('all good');
  const shown = JSON.parse(await run('list', '--all', '--json')) as { id: string; status: string }[];
  expect(Object.fromEntries(shown.map(({ id, status }) => [id, status]))).toMatchObject({
    answer: 'completed',
    base: 'completed',
    page: 'completed',
    report: 'completed',
    stubborn: 'completed',
    'task-8ac7': 'completed',
    'task-8fe0': 'completed',
  });
  expect(await run('log', 'stubborn')).toContain('CHANGES_REQUESTED');
  expect(await run('add', 'Go on')).toContain('Go on');
  await run('sync');
  const told = await github.data.git.text(['grep', '-h', 'Go on', 'refs/tasks/main']);
  expect(told).toContain('"title":"Go on"');
  expect(await run('init', '--github', '--update')).toContain('+ on: pull_request_review');
  const caller = readFileSync(join(there.cwd, '.github/workflows/gza.yml'), 'utf8');
  expect(caller).toContain("schedule: [{ cron: '40 * * * *' }]");
  expect(caller).toContain('with: { runs-on: ubuntu-latest }');
});
