import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { merge, pullOf } from './joined-lanes.ts';
import { config, openStage, removeProduct, type Stage } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const task = (id: string) =>
  `  - { id: ${id}, type: implement, title: ${id}, prompt: 'Write packages/x/src/one.js, say it in ${id}.' }\n`;

test('branches that conflict are named on both pull requests and on the board, with the files; and the base, once one is merged', async () => {
  stage = await openStage({
    'gza.yaml': `${config.replace(/verify: .*\n/, '')}parallel_workers: 2\n`,
    'packages/x/src/one.js': 'export const answer = 1;\n',
  });
  const { github, play } = stage;
  await github.commit({
    branch: 'main',
    files: { 'tasks/all.yml': `tasks:\n${task('low')}${task('side')}` },
  });
  await play({ parallel: 2 });
  const body = (head: string) => pullOf(stage, head)?.body ?? '';
  for (const head of ['gza/low', 'gza/side'])
    await github
      .as('walter')
      .comment(pullOf(stage, head)?.number ?? 0, `/gza improve say it in ${head.slice(4)}`);
  await play({ parallel: 2 });
  await github.tickSchedule('17 */6 * * *');
  const said = (await play()).transcript();
  expect({ low: body('gza/low'), side: body('gza/side'), said }).toEqual({
    low: expect.stringContaining('- gza/side in packages/x/src/one.js'),
    side: expect.stringContaining('- gza/low in packages/x/src/one.js'),
    said,
  });
  const board = () => github.state.issues.find(({ title }) => title === 'gza: task board')?.body ?? '';
  expect(board()).toContain(
    '### Conflicts ahead\n\n- gza/low and gza/side conflict in packages/x/src/one.js',
  );

  await merge(stage, 'gza/low');
  await play();
  expect(board()).toContain('- gza/side and main conflict in packages/x/src/one.js');
  expect(body('gza/side')).toContain('- main in packages/x/src/one.js');
});
