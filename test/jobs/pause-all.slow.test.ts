/** Everything held back, by a comment and by a box of the board. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import type { Claim } from '../../src/core/ledger/record/record.ts';
import type { JobContext } from '../../src/github/jobs/job-context.ts';
import { vainRuns } from '../../src/github/jobs/next.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { config, openStage, recordIn, removeProduct, type Stage, scriptedAgent, task } from './stage.ts';

jest.setTimeout(600_000);

/** Its agent is a shell script. */
const slowly = config.replace(/command: .*/, 'command: [sh, agent.sh]');

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

test('/gza pause all starts nothing more, whoever pushes, until /gza resume all; the board has a box for each', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play } = stage;
  const { state } = github;
  const ran = async () => {
    const { jobs } = await play();
    return jobs.filter(({ name, steps }) => steps.length > 0 && name.includes('/ agent (')).length;
  };
  const board = () => state.issues.find(({ title }) => title === 'gza: task board');
  const waits = 'type: plan\ntitle: Gate\nprompt: Say how.\nassigned_agent: someone\n';
  await github.commit({ branch: 'main', files: { 'tasks/gate.yml': waits } });
  expect(await ran()).toBe(0);
  const number = board()?.number ?? 0;

  await github.as('walter').comment(number, '/gza pause all');
  expect(await ran()).toBe(0);
  expect(board()?.body).toContain('**Everything is paused by walter.**');
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  expect(await ran()).toBe(0);
  expect(board()?.body).toContain('everything is paused by walter');

  // Who may only read changes nothing, with a comment as with a tick.
  await github.as('rita').comment(number, '/gza resume all');
  expect(await ran()).toBe(0);
  await github.as('walter').tick(number, 'gza:box resume-all');
  expect(await ran()).toBe(1);
  expect(board()?.body).not.toContain('Everything is paused');

  await github.as('walter').tick(number, 'gza:box pause-all');
  expect(await ran()).toBe(0);
  expect(board()?.body).toContain('gza:box resume-all');
  expect(board()?.body).not.toContain('[x]');
  await github.commit({ branch: 'main', files: { 'tasks/more.yml': task.replace('Answer', 'More') } });
  expect(await ran()).toBe(0);
  await github.as('walter').comment(number, '/gza resume all');
  expect(await ran()).toBeGreaterThan(0);
  expect(await brokenInvariants(github)).toEqual([]);
});

test.each([
  ['/gza pause all', '/gza resume all', ['implement cancelled', 'implement ok'], 'half'],
  // The claim is over at once, so what it did stays in the artifact of its run.
  ['/gza stop answer', '/gza resume answer', ['implement ok'], undefined],
])(
  '%s ends the agent that is at work, keeps what it did, and is gone on with',
  async (words, on, wanted, half) => {
    const signs = mkdtempSync(join(tmpdir(), 'gza-signs-'));
    const [at, went] = [join(signs, 'at'), join(signs, 'went')];
    const agent = `if [ -e ${went} ]; then exec node ${JSON.stringify(scriptedAgent)}; fi
echo half > half.txt; touch ${went} ${at}; sleep 100 & wait\n`;
    stage = await openStage({ 'gza.yaml': slowly, 'agent.sh': agent });
    const { github, play, file } = stage;
    await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
    const watch = setInterval(() => {
      const board = github.state.issues.find(({ title }) => title === 'gza: task board');
      if (!board || !existsSync(at)) return;
      rmSync(at);
      void github.as('walter').comment(board.number, words);
    }, 50);
    const report = await play({ parallel: 2, inProcess: false });
    clearInterval(watch);
    const said = report.transcript();
    expect({ runs: report.runs.map(({ conclusion }) => conclusion)[0], said }).toEqual({
      runs: 'cancelled',
      said,
    });
    expect(await file('gza/answer', 'half.txt').then((text) => text?.trim())).toBe(half);

    const board = github.state.issues.find(({ title }) => title === 'gza: task board');
    await github.as('walter').comment(board?.number ?? 0, on);
    const later = (await play()).transcript();
    const { steps } = (await recordIn(stage, 'refs/tasks/gza/answer', 'answer')) as {
      steps: { step: string; outcome: string }[];
    };
    expect({ steps: steps.map(({ step, outcome }) => `${step} ${outcome}`), later }).toEqual({
      steps: wanted,
      later,
    });
    expect(await file('gza/answer', 'src/answer.js')).toBe('export const answer = 42;\n');
    rmSync(signs, { recursive: true });
    expect(await brokenInvariants(github)).toEqual([]);
  },
);

test('a run in which another lane goes on is not cancelled', async () => {
  const claim = (id: string, run: number) => ({ id, run: `github:${run}:1` }) as Claim;
  const [a, b, c] = [claim('a', 5), claim('b', 5), claim('c', 6)];
  const stopped = (before: Claim[], after: Claim[], isPaused: boolean, dead: string[] = []) =>
    vainRuns({ run: { id: 9 } } as JobContext, { before, after, isPaused }, new Set(dead)).map(
      (one) => 'cancel' in one && one.cancel,
    );
  expect(stopped([a, b, c], [b], false)).toEqual([6]);
  expect(stopped([a, b, c], [a, b, c], true)).toEqual([5, 6]);
  expect(stopped([a, b, c], [], false, ['a', 'b', 'c'])).toEqual([]);
  expect(stopped([claim('x', 9)], [], false)).toEqual([]);
});
