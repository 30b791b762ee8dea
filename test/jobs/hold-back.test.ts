import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { openDone } from './done-snapshot.ts';
import { removeProduct, type Stage } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

test('a person’s commits hold gza back until it is asked; a merge of the base and an applied suggestion do not', async () => {
  stage = await openDone();
  const { github, play } = stage;
  const { git } = github.data;
  const number = github.state.issues.find((one) => one.pull)?.number ?? 0;
  const made = async () =>
    (await git.text(['log', '--format=%an %s', 'main..gza/answer']))
      .split('\n')
      .filter((line) => line.startsWith('gza'));
  const begun = (await made()).length;

  const main = await github.commit({ branch: 'main', files: { 'other.txt': 'x\n' }, by: 'walter' });
  const head = (await github.data.commit('gza/answer')) ?? '';
  const tree = await git.text(['merge-tree', '--write-tree', head, main]);
  const env = {
    GIT_AUTHOR_NAME: 'walter',
    GIT_AUTHOR_EMAIL: 'walter@example.com',
    GIT_COMMITTER_NAME: 'GitHub',
    GIT_COMMITTER_EMAIL: 'noreply@github.com',
  };
  const commit = async (parents: readonly string[], message: string) => {
    const args = ['commit-tree', tree, ...parents.flatMap((one) => ['-p', one]), '-m', message];
    return (await git.text(args, { env })).trim();
  };
  const merged = await commit([head, main], "Merge branch 'main' into gza/answer");
  const applied = await commit([merged], 'Apply suggestions from code review');
  await git.text(['update-ref', 'refs/heads/gza/answer', applied]);
  await github.as('walter').comment(number, '/gza add "Write more"');
  const first = (await play()).transcript();
  expect({ made: (await made()).length, first }).toEqual({ made: begun + 1, first });

  await github.commit({ branch: 'gza/answer', files: { 'notes.md': 'By hand.\n' }, by: 'walter' });
  await github.as('walter').comment(number, '/gza add "Write still more"');
  await play();
  expect((await made()).length).toBe(begun + 1);
  const board = github.state.issues.find((one) => one.title === 'gza: task board');
  expect(board?.body).toMatch(/### Waiting for a person\n\n.*Write still more.*\n?.*/);

  await github.as('walter').comment(number, '/gza work');
  const last = (await play()).transcript();
  expect({ made: (await made()).length, last }).toEqual({ made: begun + 2, last });
  expect(await stage.file('gza/answer', 'notes.md')).toBe('By hand.\n');
  expect(await brokenInvariants(github)).toEqual([]);
});
