import { afterAll, expect, test } from '@jest/globals';
import { isMerged } from '../../src/workspace/branch/is-merged.ts';
import { commitFiles, git, removeScratchDirs, scratchRepo } from './scratch-repo.ts';

afterAll(removeScratchDirs);

const text = (...more: string[]) => ['one', 'two', 'three', 'four', 'five', ...more, ''].join('\n');

/** A lane of two commits beside a base that moved on. */
async function laneRepo() {
  const repo = await scratchRepo({ 'a.txt': text(), 'b.txt': 'b\n' });
  const run = (...args: string[]) => git(repo.dir, ...args);
  run('checkout', '-q', '-b', 'lane');
  commitFiles(repo.dir, { 'a.txt': text('six') }, 'First');
  const head = commitFiles(repo.dir, { 'c.txt': 'c\n', 'x.bin': Buffer.from([0, 1, 2]) }, 'Second');
  run('checkout', '-q', 'main');
  commitFiles(repo.dir, { 'b.txt': 'moved on\n' }, 'Elsewhere');
  return { ...repo, head, run, is: () => isMerged(repo.workspace.repository, { base: 'main', head }) };
}

test('a lane is merged when its commits are in the base, or its diff as one commit, or each of its commits', async () => {
  const by: readonly (readonly [string, (repo: Awaited<ReturnType<typeof laneRepo>>) => void])[] = [
    ['merge', ({ run }) => run('merge', '-q', '--no-edit', 'lane')],
    [
      'squash',
      ({ run }) => {
        run('merge', '-q', '--squash', 'lane');
        run('commit', '-qm', 'Squashed');
      },
    ],
    [
      'rebase',
      ({ run, dir }) => void [run('cherry-pick', 'main..lane'), commitFiles(dir, { 'a.txt': 'later\n' })],
    ],
  ];
  for (const [how, merge] of by) {
    const repo = await laneRepo();
    expect([how, await repo.is()]).toEqual([how, false]);
    merge(repo);
    expect([how, await repo.is()]).toEqual([how, true]);
  }
});

test('what only resembles a lane is not taken for it', async () => {
  const likes: Record<string, (repo: Awaited<ReturnType<typeof laneRepo>>) => void> = {
    'one of its commits': ({ run }) => run('cherry-pick', 'lane~1'),
    'its files with more in them': ({ run, dir }) => {
      run('merge', '-q', '--squash', 'lane');
      commitFiles(dir, { 'd.txt': 'd\n' }, 'Squashed, and more');
    },
    'another indentation': ({ run, dir }) => {
      run('merge', '-q', '--squash', 'lane');
      commitFiles(dir, { 'a.txt': text(' six') }, 'Squashed');
    },
    'other bytes': ({ run, dir }) => {
      run('merge', '-q', '--squash', 'lane');
      commitFiles(dir, { 'x.bin': Buffer.from([0, 1, 3]) }, 'Squashed');
    },
    'a commit before the lane began': ({ run }) => {
      run('merge', '-q', '--squash', 'lane');
      run('commit', '-qm', 'Squashed');
      run('revert', '--no-edit', 'HEAD');
      run('checkout', '-q', '-B', 'lane');
      run('revert', '--no-edit', 'HEAD');
    },
  };
  for (const [what, make] of Object.entries(likes)) {
    const repo = await laneRepo();
    make(repo);
    const head = git(repo.dir, 'rev-parse', 'lane');
    const merged = await isMerged(repo.workspace.repository, { base: 'main', head });
    expect([what, merged]).toEqual([what, false]);
  }
});

test('a lane that stood on another is told by its own commits, where that one was squashed', async () => {
  const repo = await laneRepo();
  repo.run('checkout', '-q', '-b', 'upper', 'lane');
  const head = commitFiles(repo.dir, { 'd.txt': 'd\n' }, 'Upper');
  repo.run('checkout', '-q', 'main');
  repo.run('merge', '-q', '--squash', 'lane');
  repo.run('commit', '-qm', 'Squashed lane');
  const { repository } = repo.workspace;
  const upper = { base: 'main', head, from: repo.run('rev-parse', 'lane') };
  expect(await isMerged(repository, upper)).toBe(false);
  repo.run('cherry-pick', 'upper');
  expect(await isMerged(repository, upper)).toBe(true);
  expect(await isMerged(repository, { base: 'main', head })).toBe(false);
});
