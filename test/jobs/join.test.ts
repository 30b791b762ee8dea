import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { merge, openThree, shown } from './joined-lanes.ts';
import { recordIn, removeProduct, type Stage } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const branches = async () =>
  (await stage.github.data.git.text(['for-each-ref', '--format=%(refname:short)', 'refs/heads'])).split('\n');
const mayBeRewritten = (ref: string) => ref.endsWith('top');

test('what stands on two branches is a draft on a branch that joins them, until both are merged', async () => {
  stage = await openThree();
  const { github, play } = stage;
  await merge(stage, 'gza/low');
  const first = (await play()).transcript();
  expect({ top: shown(stage, 'gza/top'), first }).toEqual({
    top: { base: 'gza/on/top', draft: true },
    first,
  });
  const isIn = await github.data.git.run(['merge-base', '--is-ancestor', 'main', 'gza/on/top']);
  expect({ isIn: isIn.code, first }).toEqual({ isIn: 0, first });
  expect(await github.data.git.text(['diff', '--name-only', 'gza/on/top...gza/top'])).toBe('src/top.js');

  await merge(stage, 'gza/side');
  const second = (await play()).transcript();
  expect({ top: shown(stage, 'gza/top'), second }).toEqual({ top: { base: 'main', draft: false }, second });
  expect(await github.data.git.text(['log', '--format=%s', 'main..gza/top'])).toBe('Task top');
  expect((await recordIn(stage, 'refs/tasks/gza/top', 'top'))['lane']).not.toHaveProperty('joins');
  await merge(stage, 'gza/top');
  await play();
  expect((await branches()).filter((name) => name.startsWith('gza/on/'))).toEqual([]);
  expect(await stage.ledgers()).toBe('refs/tasks/main');
  expect(await brokenInvariants(github, { mayBeRewritten })).toEqual([]);
});
