/** Tasks that build on each other's branches, on the simulated GitHub, where people merge. */
import { expect } from '@jest/globals';
import { config, openStage, type Stage } from './stage.ts';

export const taskLine = (id: string, more = '') =>
  `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Write it.${more} }\n`;
const three = `tasks:\n${taskLine('low')}${taskLine('side')}${taskLine('top', ', depends_on: [low, side]')}`;
/** Each task writes a file of its own. */
export const settings = `${config.replace('src/answer.js', 'src/*.js')}parallel_workers: 3\n`;

export function pullOf({ github }: Stage, head: string) {
  return github.state.issues.filter((one) => one.pull?.head.ref === head && one.state === 'open').at(-1);
}

export function shown(stage: Stage, head: string) {
  const found = pullOf(stage, head)?.pull;
  return found ? { base: found.base, draft: found.draft } : null;
}

export async function merge(stage: Stage, head: string, how = 'squash') {
  const number = pullOf(stage, head)?.number ?? 0;
  await stage.github.as('walter').request('PUT', `/pulls/${number}/merge`, { merge_method: how });
}

export async function openThree(): Promise<Stage> {
  const stage = await openStage({ 'gza.yaml': settings });
  await stage.github.commit({ branch: 'main', files: { 'tasks/three.yml': three } });
  const said = (await stage.play({ parallel: 3 })).transcript();
  expect({ top: shown(stage, 'gza/top'), said }).toEqual({ top: { base: 'gza/on/top', draft: true }, said });
  for (const name of ['low', 'side', 'top'])
    expect(await stage.file('gza/top', `src/${name}.js`)).toContain('42');
  return stage;
}
