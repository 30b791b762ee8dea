import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import type { GitLedger } from '../../src/ledger/git-ledger.ts';
import { syncLedgers } from '../../src/ledger/sync.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { add, cleanUp, folder, git, ledgerOf, write } from '../ledger/fixture.ts';
import { config, openStage, removeProduct, type Stage } from './stage.ts';

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
  await github.tickSchedule('17 * * * *');
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
  await github.tickSchedule('17 * * * *');
  await play();
  expect(board()?.body).toMatch(shown);
});
