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
const branches = async () =>
  (await stage.github.data.git.text(['for-each-ref', '--format=%(refname:short)', 'refs/heads'])).split('\n');
const mayBeRewritten = (ref: string) => ref.endsWith('top');

async function openThree() {
  stage = await openStage({ 'gza.yaml': settings });
  await stage.github.commit({ branch: 'main', files: { 'tasks/three.yml': three } });
  const said = (await stage.play({ parallel: 3 })).transcript();
  expect({ top: shown('gza/top'), said }).toEqual({ top: { base: 'gza/on/top', draft: true }, said });
  for (const name of ['low', 'side', 'top'])
    expect(await stage.file('gza/top', `src/${name}.js`)).toContain('42');
}

test('what stands on two branches is a draft on a branch that joins them, until both are merged', async () => {
  await openThree();
  const { github, play } = stage;
  await merge('gza/low');
  const first = (await play()).transcript();
  expect({ top: shown('gza/top'), first }).toEqual({ top: { base: 'gza/on/top', draft: true }, first });
  const isIn = await github.data.git.run(['merge-base', '--is-ancestor', 'main', 'gza/on/top']);
  expect({ isIn: isIn.code, first }).toEqual({ isIn: 0, first });
  expect(await github.data.git.text(['diff', '--name-only', 'gza/on/top...gza/top'])).toBe('src/top.js');

  await merge('gza/side');
  const second = (await play()).transcript();
  expect({ top: shown('gza/top'), second }).toEqual({ top: { base: 'main', draft: false }, second });
  expect(await github.data.git.text(['log', '--format=%s', 'main..gza/top'])).toBe('Task top');
  expect((await recordIn(stage, 'refs/tasks/gza/top', 'top'))['lane']).not.toHaveProperty('joins');
  await merge('gza/top');
  await play();
  expect((await branches()).filter((name) => name.startsWith('gza/on/'))).toEqual([]);
  expect(await stage.ledgers()).toBe('refs/tasks/main');
  expect(await brokenInvariants(github, { mayBeRewritten })).toEqual([]);
});
