import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { merge, openThree, pullOf, settings, shown, taskLine } from './joined-lanes.ts';
import { openStage, recordIn, removeProduct, type Stage } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const mayBeRewritten = (ref: string) => ref.endsWith('top');

test('merged into the branch that joins, it is not merged: it is opened again against the default branch', async () => {
  stage = await openThree();
  const { github, play } = stage;
  // Somebody says that it is ready, and merges it.
  Object.assign(pullOf(stage, 'gza/top')?.pull ?? {}, { draft: false });
  await merge(stage, 'gza/top', 'merge');
  await github.data.git.text(['update-ref', '-d', 'refs/heads/gza/top']);
  const first = (await play()).transcript();
  const open = (await recordIn(stage, 'refs/tasks/gza/top', 'top'))['merged_at'];
  expect({ open, first }).toEqual({ open: undefined, first });
  await merge(stage, 'gza/low');
  await merge(stage, 'gza/side', 'rebase');
  const said = (await play()).transcript();
  expect({ top: shown(stage, 'gza/top'), said }).toEqual({ top: { base: 'main', draft: false }, said });
  expect(await github.data.git.text(['diff', '--name-only', 'main...gza/top'])).toBe('src/top.js');
  await merge(stage, 'gza/top');
  await play();
  expect((await recordIn(stage, 'refs/tasks/main', 'top'))['merged_at']).toBeDefined();
  expect(await brokenInvariants(github, { mayBeRewritten })).toEqual([]);
});

test('what stands on a branch only for its files goes to the base when that is dropped', async () => {
  stage = await openStage({ 'gza.yaml': settings });
  const { github, play } = stage;
  const shares = ', files_to_modify: [src/shared.js]';
  const two = `tasks:\n${taskLine('low', shares)}${taskLine('high', shares)}`;
  await github.commit({ branch: 'main', files: { 'tasks/two.yml': two } });
  const first = (await play()).transcript();
  expect({ base: shown(stage, 'gza/high')?.base, first }).toEqual({ base: 'gza/low', first });
  await github
    .as('walter')
    .request('PATCH', `/pulls/${pullOf(stage, 'gza/low')?.number ?? 0}`, { state: 'closed' });
  const second = (await play()).transcript();
  expect({ high: shown(stage, 'gza/high'), second }).toEqual({
    high: { base: 'main', draft: false },
    second,
  });
  expect(await github.data.git.text(['diff', '--name-only', 'main...gza/high'])).toBe('src/high.js');
  expect(await brokenInvariants(github, { mayBeRewritten: (ref) => ref.endsWith('high') })).toEqual([]);
});
