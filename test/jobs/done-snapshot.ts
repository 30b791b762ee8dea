/** One lane whose work is done, on a pull request that waits to be merged: played by the first suite of a run that begins there. */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { copyRepository, type Snapshot } from '../github/snapshot.ts';
import type { State } from '../github/state.ts';
import { config, openStage, reopenStage, type Stage, task } from './stage.ts';

export const anyFile = config.replace('src/answer.js', 'src/*.js');

export async function openDone(): Promise<Stage> {
  return reopenStage(await doneSnapshot());
}

export async function doneSnapshot(): Promise<Snapshot> {
  const run = process.env['GZA_TEST_RUN'] ?? '';
  const folder = join(run, 'done');
  if (!existsSync(folder)) await keepDone(run, folder);
  const state = deserialize(readFileSync(join(folder, 'state'))) as State;
  // What is kept is the whole run's.
  return { state, gitDir: join(folder, 'repository.git'), remove: () => {} };
}

async function keepDone(run: string, folder: string): Promise<void> {
  const { github, play } = await openStage({ 'gza.yaml': anyFile });
  try {
    await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
    const said = (await play()).transcript();
    if (!github.state.issues.some((one) => one.pull)) throw new Error(`no pull request was opened:\n${said}`);
    const made = mkdtempSync(join(run, 'making-'));
    copyRepository(github, join(made, 'repository.git'));
    writeFileSync(join(made, 'state'), serialize(github.state));
    try {
      renameSync(made, folder);
    } catch (error) {
      // Where two suites do so at once, the first one's stays.
      if (!existsSync(folder)) throw error;
      rmSync(made, { recursive: true });
    }
  } finally {
    await github.close();
  }
}
