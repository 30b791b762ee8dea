import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import type { GitLedger } from '../../src/ledger/git-ledger.ts';
import { syncLedgers } from '../../src/ledger/sync/sync.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { add, cleanUp, folder, git, ledgerOf, write } from '../ledger/fixture.ts';
import { config, openStage, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterEach(cleanUp);
afterAll(removeProduct);

/** A person's clone, and how they share it. */
async function laptopOf({ github }: Stage): Promise<{ ledger: GitLedger; sync: () => Promise<unknown> }> {
  const dir = folder();
  git(dir, 'clone', '-q', github.gitDir, '.');
  const ledger = await ledgerOf(dir, { base: 'main' });
  return { ledger, sync: () => syncLedgers(ledger, { remote: 'origin', push: true, tell: () => {} }) };
}

test('what somebody asked for and a laptop made impossible meanwhile is said in the log, in the summary and for a week on the board', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play } = stage;
  const board = () => github.state.issues.find((one) => one.title === 'gza: task board');
  const laptop = await laptopOf(stage);
  await write(laptop.ledger, 'main', add('task-aaaa', { assigned_agent: 'walter' }));
  await laptop.sync();
  await github.tickSchedule('17 */6 * * *');
  await play();

  await github.as('walter').comment(board()?.number ?? 0, '/gza retry task-aaaa');
  github.faults.add({
    match: { job: /pick/, operation: 'git/push' },
    effect: {
      kind: 'run',
      phase: 'before',
      run: async () => {
        const at = new Date().toISOString();
        await laptop.sync();
        await write(laptop.ledger, 'main', { kind: 'close', at, id: 'task-aaaa', as: 'done' });
        await laptop.sync();
      },
    },
  });
  const report = await play();
  const said = report.transcript();
  const pick = report.jobs.find(({ name }) => name.endsWith('/ pick'))?.steps ?? [];
  const lost =
    /not kept: Retry task-aaaa, by walter at \S+ \(task-aaaa is closed \(done\); reopen it first\)/;
  const warned = pick.flatMap(({ annotations }) => annotations.map(({ message }) => message));
  expect({ warned, said }).toEqual({
    warned: [
      expect.stringMatching(
        `^${lost.source}\\. gza reopen task-aaaa, then gza retry task-aaaa; it stays in \`git log refs/tasks/main\`$`,
      ),
    ],
    said,
  });
  const shown = /### Not kept when ledgers were joined\n\n- \*\*not kept: Retry task-aaaa, by walter/;
  expect(pick.map(({ summary }) => summary).join('\n')).toMatch(shown);
  expect(board()?.body).toMatch(shown);
  expect(await github.data.git.text(['log', '--format=%s', 'refs/tasks/main'])).toContain(
    'Not kept: Retry task-aaaa (task-aaaa is closed (done); reopen it first)',
  );
  expect(await brokenInvariants(github)).toEqual([]);

  // A later pick, which dropped nothing, shows it too.
  await github.tickSchedule('17 */6 * * *');
  await play();
  expect(board()?.body).toMatch(shown);
});

test('a landing job says which part of its record came too late, and lands the rest', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play } = stage;
  const laptop = await laptopOf(stage);
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  github.faults.add({
    match: { job: /land/, operation: 'git/push' },
    effect: {
      kind: 'run',
      phase: 'before',
      run: async () => {
        await laptop.sync();
        const claims = (await (await laptop.ledger.view()).meta('main'))?.claims ?? [];
        const at = new Date().toISOString();
        for (const { id } of claims) {
          await write(laptop.ledger, 'main', { kind: 'release', at, claim: id, why: 'taken back' });
        }
        await laptop.sync();
      },
    },
  });
  const report = await play();
  const land = report.jobs.filter(({ name }) => name.includes('/ land (')).flatMap(({ steps }) => steps);
  const warned = land.flatMap(({ annotations }) => annotations.map(({ message }) => message));
  expect({ warned, said: report.transcript() }).toMatchObject({
    warned: [expect.stringMatching(/^not kept: Release claim .*no longer held\)\. gza status shows/)],
  });
  expect(await stage.file('gza/answer', 'src/answer.js')).toContain('42');
  expect(github.state.issues.find((one) => !one.pull)?.body).not.toContain('Not kept');
  expect(await brokenInvariants(github)).toEqual([]);
});
