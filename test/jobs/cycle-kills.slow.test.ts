import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { takeSnapshot } from '../github/snapshot.ts';
import { isWrite } from './mishap.ts';
import { config, openStage, recordIn, removeProduct, reopenStage, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

test('a landing that is killed at any of its writes leaves what goes on, without the work done again', async () => {
  stage = await openStage({ 'gza.yaml': `${config}task_types:\n  implement: { auto_review: true }\n` });
  await stage.github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const snapshot = takeSnapshot(stage.github);
  const isLand = (name = '') => /\/ land \(/.test(name);
  await stage.play({ stopAfter: 1 });
  const requests = stage.github.seen.filter(({ job }) => isLand(job));
  const writes = requests.flatMap((one, at) => (isWrite(one) ? [at + 1] : []));
  expect(writes.length).toBeGreaterThan(1);
  for (const request of writes) {
    await stage.github.close();
    stage = await reopenStage(snapshot);
    let isKilled = false;
    const report = await stage.play({
      kill: ({ name }, step) => {
        if (isKilled || !isLand(name) || step !== 'land') return undefined;
        isKilled = true;
        return { request, phase: 'after', machine: true };
      },
    });
    await stage.github.tickSchedule('17 */6 * * *');
    const said = [report.transcript(), (await stage.play()).transcript()].join('\n');
    const record = await recordIn(stage, 'refs/tasks/gza/answer', 'answer');
    const all = ((record['steps'] ?? []) as { step: string; outcome: string }[]).map(
      ({ step, outcome }) => `${step} ${outcome}`,
    );
    const ended = all.filter((one) => !one.startsWith('review lost') && !one.startsWith('review cancelled'));
    expect({ request, isKilled, ended, said }).toEqual({
      request,
      isKilled: true,
      ended: ['implement ok', 'review ok', 'improve ok', 'review ok'],
      said,
    });
    const ledger = (await stage.github.data.file('refs/tasks/main', 'ledger.json'))?.toString('utf8');
    expect((JSON.parse(ledger ?? '{}') as { claims?: unknown[] }).claims ?? []).toEqual([]);
    expect(await brokenInvariants(stage.github)).toEqual([]);
  }
});
