/** Each way in which the job of an agent may end badly: what is recorded, what is kept, and that it goes on. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { config, openStage, recordIn, removeProduct, type Stage, scriptedAgent, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
let signs: string;
beforeEach(() => void (signs = mkdtempSync(join(tmpdir(), 'gza-signs-'))));
afterEach(async () => {
  rmSync(signs, { recursive: true });
  await stage.github.close();
});
afterAll(removeProduct);

/** What the agent does at its first run; after that it does its work. */
const files = (first: string) => ({
  'gza.yaml': config.replace(/command: .*/, 'command: [sh, agent.sh]'),
  'agent.sh': `if [ -e ${signs}/went ]; then exec node ${JSON.stringify(scriptedAgent)}; fi
touch ${signs}/went; mkdir -p src; echo half > half.txt
${first}\n`,
});

interface Recorded {
  readonly steps?: readonly { readonly step: string; readonly outcome: string }[];
  readonly attempts?: number;
  readonly error?: string;
  readonly stop?: { readonly reason: string; readonly detail: string };
}
const recorded = async (
  id: string,
): Promise<Recorded & { readonly ended: readonly string[] | undefined }> => {
  const record: Recorded = await recordIn(stage, `refs/tasks/gza/${id}`, id);
  return { ...record, ended: record.steps?.map(({ step, outcome }) => `${step} ${outcome}`) };
};

test('a run that a person cancels ends also an agent that will not hear of it, and what it did is gone on with', async () => {
  stage = await openStage(
    files(`trap '' INT TERM; touch ${signs}/at; for i in $(seq 100); do sleep 1; done`),
  );
  const { github, play, file } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const watch = setInterval(() => {
    if (!existsSync(join(signs, 'at'))) return;
    clearInterval(watch);
    void github.as('olive').request('POST', `/actions/runs/${github.state.runs[0]?.id}/cancel`);
  }, 50);
  const said = (await play({ inProcess: false })).transcript();
  clearInterval(watch);
  const { ended, attempts } = await recorded('answer');
  expect({ ended, attempts, said }).toEqual({
    ended: ['implement cancelled', 'implement ok'],
    attempts: undefined,
    said,
  });
  expect(await file('gza/answer', 'half.txt')).toBe('half\n');
  expect(await brokenInvariants(github)).toEqual([]);
});

test('a job whose process is killed counts as a death and spends no attempt', async () => {
  stage = await openStage(files('kill -9 $PPID; sleep 1'));
  const { github, play, file } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const report = await play({ inProcess: false });
  const said = report.transcript();
  const { ended, attempts } = await recorded('answer');
  expect({ ended, attempts, said }).toEqual({
    ended: ['implement lost', 'implement ok'],
    attempts: undefined,
    said,
  });
  expect(await file('gza/answer', 'src/answer.js')).toBe('export const answer = 42;\n');
  expect(await brokenInvariants(github)).toEqual([]);
});

test.each([
  [
    'asks instead of working',
    'git tasks note "$GZA_TASK" "blocked: which unit?"',
    ['implement blocked'],
    /which unit\?/,
  ],
  [
    'says that it is done and changed nothing',
    'rm half.txt; echo "All done."',
    ['implement failed', 'implement ok'],
    null,
  ],
  [
    'closes its output',
    'exec >&- 2>&-; echo "export const answer = 1;" > src/answer.js',
    ['implement ok'],
    null,
  ],
])('an agent that %s', async (_, first, wanted, question) => {
  stage = await openStage(files(first));
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const said = (await play()).transcript();
  const { ended, stop } = await recorded('answer');
  expect({ ended, said }).toEqual({ ended: wanted, said });
  if (question) expect(stop?.detail).toMatch(question);
  else expect(stop).toBeUndefined();
  expect(await brokenInvariants(github)).toEqual([]);
});

test('two runs at once have one agent', async () => {
  stage = await openStage(files(`exec node ${JSON.stringify(scriptedAgent)}`));
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  await github.tickSchedule('17 */6 * * *');
  const report = await play({ parallel: 2, inProcess: false });
  const said = report.transcript();
  const agents = report.jobs.filter(({ name, steps }) => name.includes('/ agent (') && steps.length > 0);
  const { ended } = await recorded('answer');
  expect({ agents: agents.length, ended, said }).toEqual({ agents: 1, ended: ['implement ok'], said });
  expect(await brokenInvariants(github)).toEqual([]);
});
