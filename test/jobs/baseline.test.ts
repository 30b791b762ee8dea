/** Checks that fail on the untouched base: nobody's work is to blame, and nothing more begins there. */
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { settings, taskLine } from './joined-lanes.ts';
import { openStage, recordIn, removeProduct, type Stage } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

test('a check that fails without the work spends no attempt, holds what would begin there, and is mended by who may', async () => {
  const one = settings
    .replace(/verify: .*/, 'verify: test -e src/mend.js')
    .replace('workers: 3', 'workers: 1');
  stage = await openStage({ 'gza.yaml': one });
  const { github, play } = stage;
  const own = ', verify: node --check src/own.js';
  const tasks = `tasks:\n${taskLine('first', ', priority: critical')}${taskLine('second')}${taskLine('own', own)}${taskLine('mend', ', baseline: skip, priority: low')}`;
  await github.commit({ branch: 'main', files: { 'tasks/all.yml': tasks } });
  const said = (await play()).transcript();
  const first = await recordIn(stage, 'refs/tasks/gza/first', 'first');
  expect({ steps: first['steps'], attempts: first['attempts'], said }).toMatchObject({
    steps: [{ step: 'implement', outcome: 'cancelled', ending: 'baseline', verified: false }],
    attempts: undefined,
    said,
  });
  expect((await stage.ledgers()).split('\n')).toEqual(
    ['gza/first', 'gza/mend', 'gza/own', 'main'].map((name) => `refs/tasks/${name}`),
  );
  for (const id of ['own', 'mend'])
    expect(await recordIn(stage, `refs/tasks/gza/${id}`, id)).toMatchObject({ closed_as: 'done' });
  const board = () => github.state.issues.find(({ title }) => title === 'gza: task board')?.body;
  expect(board()).toMatch(
    /second.*\n?.*the checks of gza\.yaml fail on the base without its work: the verify command/,
  );

  await github.as('walter').request('PUT', `/pulls/${pull('gza/mend')}/merge`, { merge_method: 'squash' });
  const later = (await play()).transcript();
  expect({ later, first: await recordIn(stage, 'refs/tasks/gza/first', 'first') }).toMatchObject({
    later,
    first: { closed_as: 'done' },
  });
  expect(await stage.file('gza/first', 'src/mend.js')).toContain('42');
  expect(await recordIn(stage, 'refs/tasks/gza/second', 'second')).toMatchObject({ closed_as: 'done' });
});

function pull(head: string): number {
  return stage.github.state.issues.find((one) => one.pull?.head.ref === head)?.number ?? 0;
}
