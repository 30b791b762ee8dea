import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { config, openStage, recordIn, removeProduct, type Stage } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

test('a file that waits opens a draft with a review that names it, and /gza approve lets it pass', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play } = stage;
  const task = 'type: implement\ntitle: Answer\nprompt: Write the answer, and a registry.\n';
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const report = await play();
  const pull = () => github.state.issues.find(({ title }) => title.includes('Answer'));
  const number = pull()?.number ?? 0;
  expect({ pull: pull(), transcript: report.transcript() }).toMatchObject({
    pull: { pull: { draft: true }, body: expect.stringContaining('**waits for a person**: .npmrc') },
  });
  const found = await recordIn(stage, 'refs/tasks/gza/answer', 'answer');
  expect(found).toMatchObject({ stop: { reason: 'changes-wait' }, waits: [{ path: '.npmrc' }] });
  expect(await stage.file('gza/answer', '.npmrc')).toBe('registry=https://one.example\n');
  const reviews = JSON.stringify(github.state);
  expect(reviews).toContain('These changes wait for a person');
  await github.as('walter').comment(number, '/gza approve');
  const after = await play();
  const allowed = await recordIn(stage, 'refs/tasks/gza/answer', 'answer');
  expect({ allowed, transcript: after.transcript() }).toMatchObject({
    allowed: { allowed: [{ path: '.npmrc' }] },
  });
  expect((allowed as { stop?: unknown }).stop).toBeUndefined();
  expect(await brokenInvariants(github)).toEqual([]);
});

test('its box lets pass what people saw when they ticked it, and nothing that changed since', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play } = stage;
  const task = 'type: implement\ntitle: Answer\nprompt: Write the answer, and a registry.\n';
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  await play();
  const pull = () => github.state.issues.find(({ title }) => title.includes('Answer'));
  const record = () => recordIn(stage, 'refs/tasks/gza/answer', 'answer');
  const body = pull()?.body ?? '';
  const [box = '', at = ''] =
    /- \[ \] <!-- gza:box approve answer at ([0-9a-f]{12}) -->Let 1 changed file pass/.exec(body) ?? [];
  const head = await github.data.git.text(['rev-parse', 'gza/answer']);
  expect({ body, at }).toEqual({ body, at: head.slice(0, 12) });
  const number = pull()?.number ?? 0;
  // As it was printed before the last step changed what waits.
  const older = body.replace(box, box.replace('[ ]', '[x]').replace(at, '0'.repeat(12)));
  await github.as('walter').request('PATCH', `/issues/${number}`, { body: older });
  await play();
  expect(await record()).toMatchObject({ stop: { reason: 'changes-wait' } });
  await github.as('walter').tick(number, 'gza:box approve');
  const after = await play();
  expect({ record: await record(), transcript: after.transcript() }).toMatchObject({
    record: { allowed: [{ path: '.npmrc' }] },
  });
  expect(pull()?.body).not.toContain('gza:box approve');
});
