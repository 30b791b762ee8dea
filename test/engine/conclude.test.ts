/** What was left, as plain data, becomes a report: nothing runs, and no ref moves. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { loadProject } from '../../src/app/project.ts';
import { wholeView } from '../../src/app/tasks/change-task.ts';
import type { StepName } from '../../src/core/ledger/record/record.ts';
import { stepNonce } from '../../src/core/review/read-review.ts';
import { plain } from '../../src/core/text/terminal/lines.ts';
import { conclude } from '../../src/engine/conclude/conclude.ts';
import type { StepJob } from '../../src/engine/engine.ts';
import { emptyLeft, type Left, type RunLeft, runWithout } from '../../src/engine/left.ts';
import { cleanUp, git, repository } from '../ledger/fixture.ts';

afterEach(cleanUp);

const at = '2026-01-02T03:04:05.000Z';
const said = (text: string, more: Partial<RunLeft> = {}): RunLeft => ({
  ...runWithout({ agent: 'claude' }, 'ok', ''),
  error: undefined,
  text,
  costUsd: 2,
  ...more,
});

async function scene(step: StepName) {
  const dir = repository();
  mkdirSync(join(dir, 'tasks'));
  writeFileSync(
    join(dir, 'tasks', 'all.yml'),
    'tasks:\n  - { id: a, type: implement, title: Task a, prompt: Do it. }\n',
  );
  writeFileSync(join(dir, 'seed.txt'), 'seed\n');
  git(dir, 'add', '-A');
  git(dir, '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'Begin');
  const head = git(dir, 'rev-parse', 'HEAD');
  const ports = {
    cwd: dir,
    env: {},
    now: () => at,
    random: () => 'r',
    program: 'gza',
    stdin: async () => null,
    style: plain,
    columns: null,
    progress: () => {},
    signal: new AbortController().signal,
  };
  const project = await loadProject(ports);
  const job: StepJob = {
    id: 'a',
    step,
    cycle: step === 'review' ? 1 : 0,
    agent: 'claude',
    timeoutMinutes: 5,
    lane: { link: { id: 'l', branch: 'gza/a' }, isNew: true, head, hasBranch: false, compareWith: head },
    base: { branch: 'main', commit: head },
    claim: 'c1',
  };
  const left = (runs: readonly RunLeft[], more: Partial<Left> = {}): Left => ({
    ...emptyLeft(job, { started_at: at, ended_at: at }, runs),
    ...more,
  });
  const view = await wholeView(project, 'a');
  const { repository: opened } = project;
  const end = async (of: Left) => {
    const { report } = await conclude({ project, view, job, repository: opened, clone: null }, of, null);
    return report;
  };
  const patchOf = (file: string) => {
    mkdirSync(join(dir, file, '..'), { recursive: true });
    writeFileSync(join(dir, file), 'new\n');
    git(dir, 'add', '-N', file);
    return Buffer.from(`${git(dir, 'diff', '--binary', '--full-index')}\n`);
  };
  return { dir, head, job, left, end, patchOf, close: () => project.ledger.close() };
}

test('a tree becomes one commit on the head of the lane, and no ref moves', async () => {
  const { dir, head, left, end, patchOf, close } = await scene('implement');
  const refs = git(dir, 'for-each-ref');
  const { record, commit } = await end(left([said('Done.')], { patch: patchOf('new.txt') }));
  expect(record).toMatchObject({ outcome: 'ok', cost_usd: 2, head: commit, started_at: at, ended_at: at });
  expect(git(dir, 'rev-parse', `${commit}^`)).toBe(head);
  expect(git(dir, 'show', `${commit}:new.txt`)).toBe('new');
  expect(git(dir, 'for-each-ref')).toBe(refs);
  close();
});

test('what a task may not touch is refused, named, and said to be in the artifact', async () => {
  const { left, end, patchOf, close } = await scene('implement');
  const { judged, commit } = await end(left([said('Done.')], { patch: patchOf('tasks/more.yml') }));
  expect(commit).toBeNull();
  expect(judged).toMatchObject({
    outcome: 'failed',
    error: expect.stringContaining('tasks/more.yml'),
    stop: { reason: 'refused-changes', detail: expect.stringContaining('in the artifact of the run') },
  });
  close();
});

test('what holds no run, no patch or no JSON is a failed try, never a success', async () => {
  const { left, end, close } = await scene('implement');
  expect((await end(left([]))).judged.outcome).toBe('failed');
  expect((await end(left([said('Done.')]))).judged).toMatchObject({
    outcome: 'failed',
    error: 'the agent said it was done but changed no file',
  });
  const garbled = await end(left([said('Done.')], { patch: Buffer.from('no patch\n') }));
  expect(garbled.judged).toMatchObject({ outcome: 'failed', stop: { reason: 'refused-changes' } });
  close();
});

test('what could not be taken is a failed try with its cost; of one that was stopped nothing is held against it', async () => {
  const { left, end, close } = await scene('implement');
  const broken = 'its tree is no folder any more';
  expect((await end(left([said('')], { broken }))).record).toMatchObject({
    outcome: 'failed',
    cost_usd: 2,
    error: `what it left could not be taken: ${broken}`,
  });
  expect((await end(left([said('', { kind: 'cancelled' })], { broken }))).record.outcome).toBe('cancelled');
  close();
});

test('an approval counts with the nonce of its step alone, also where the other machine asked nothing more', async () => {
  const { job, left, end, close } = await scene('review');
  const approval = 'All of it is done as asked.\n\nVerdict: APPROVED\n';
  const without = await end(left([said(approval)]));
  expect(without.record).toMatchObject({ outcome: 'no-verdict' });
  expect(without.record.verdict).toBeUndefined();
  const held = await end(left([said(`${approval}Nonce: ${stepNonce(job)}\n`)]));
  expect(held.record).toMatchObject({ outcome: 'ok', verdict: 'APPROVED', head: job.lane?.head });
  close();
});
