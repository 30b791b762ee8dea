import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { config, openStage, recordIn, removeProduct, type Stage } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const task = (id: string, more = '') =>
  `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Write it.${more} }\n`;
const three = `tasks:\n${task('low')}${task('side')}${task('top', ', depends_on: [low, side]')}`;
/** Each task writes a file of its own. */
const settings = `${config.replace('src/answer.js', 'src/*.js')}parallel_workers: 3\n`;

const pullOf = (head: string) =>
  stage.github.state.issues.filter((one) => one.pull?.head.ref === head && one.state === 'open').at(-1);
const shown = (head: string) => {
  const found = pullOf(head)?.pull;
  return found ? { base: found.base, draft: found.draft } : null;
};
const merge = async (head: string, how = 'squash') =>
  stage.github
    .as('walter')
    .request('PUT', `/pulls/${pullOf(head)?.number ?? 0}/merge`, { merge_method: how });
const mayBeRewritten = (ref: string) => ref.endsWith('top');

async function openThree() {
  stage = await openStage({ 'gza.yaml': settings });
  await stage.github.commit({ branch: 'main', files: { 'tasks/three.yml': three } });
  const said = (await stage.play({ parallel: 3 })).transcript();
  expect({ top: shown('gza/top'), said }).toEqual({ top: { base: 'gza/on/top', draft: true }, said });
  for (const name of ['low', 'side', 'top'])
    expect(await stage.file('gza/top', `src/${name}.js`)).toContain('42');
}

test('merged into the branch that joins, it is not merged: it is opened again against the default branch', async () => {
  await openThree();
  const { github, play } = stage;
  // Somebody says that it is ready, and merges it.
  Object.assign(pullOf('gza/top')?.pull ?? {}, { draft: false });
  await merge('gza/top', 'merge');
  await github.data.git.text(['update-ref', '-d', 'refs/heads/gza/top']);
  const first = (await play()).transcript();
  const open = (await recordIn(stage, 'refs/tasks/gza/top', 'top'))['merged_at'];
  expect({ open, first }).toEqual({ open: undefined, first });
  await merge('gza/low');
  await merge('gza/side', 'rebase');
  const said = (await play()).transcript();
  expect({ top: shown('gza/top'), said }).toEqual({ top: { base: 'main', draft: false }, said });
  expect(await github.data.git.text(['diff', '--name-only', 'main...gza/top'])).toBe('src/top.js');
  await merge('gza/top');
  await play();
  expect((await recordIn(stage, 'refs/tasks/main', 'top'))['merged_at']).toBeDefined();
  expect(await brokenInvariants(github, { mayBeRewritten })).toEqual([]);
});

test('what stands on a branch only for its files goes to the base when that is dropped', async () => {
  stage = await openStage({ 'gza.yaml': settings });
  const { github, play } = stage;
  const shares = ', files_to_modify: [src/shared.js]';
  const two = `tasks:\n${task('low', shares)}${task('high', shares)}`;
  await github.commit({ branch: 'main', files: { 'tasks/two.yml': two } });
  const first = (await play()).transcript();
  expect({ base: shown('gza/high')?.base, first }).toEqual({ base: 'gza/low', first });
  await github.as('walter').request('PATCH', `/pulls/${pullOf('gza/low')?.number ?? 0}`, { state: 'closed' });
  const second = (await play()).transcript();
  expect({ high: shown('gza/high'), second }).toEqual({ high: { base: 'main', draft: false }, second });
  expect(await github.data.git.text(['diff', '--name-only', 'main...gza/high'])).toBe('src/high.js');
  expect(await brokenInvariants(github, { mayBeRewritten: (ref) => ref.endsWith('high') })).toEqual([]);
});
