/** A claim is for a work step and its review, in one run; who ends it wakes pick where there is something for it. */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, expect, jest } from '@jest/globals';
import type { Event } from '../../src/core/ledger/event.ts';
import { addSeconds } from '../../src/core/time.ts';
import { syncLedgers } from '../../src/ledger/sync/sync.ts';
import type { Seen } from '../github/faults.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { takeId } from '../github/state.ts';
import { cleanUp, folder, git, ledgerOf, write } from '../ledger/fixture.ts';
import { approving, config, openStage, recordIn, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const [worked, reviewedOnce, improved] = ['implement ok', 'review ok', 'improve ok'];

/** Its reviewer asks for a change once. */
const reviewed = `${config}task_types:\n  implement: { auto_review: true }\n`;
const approved = `${approving}task_types:\n  implement: { auto_review: true }\n`;

interface Meta {
  readonly claims?: readonly unknown[];
  readonly marks?: Readonly<Record<string, string>>;
}

const meta = async () =>
  JSON.parse(
    (await stage.github.data.file('refs/tasks/main', 'ledger.json'))?.toString('utf8') ?? '{}',
  ) as Meta;
const ran = (jobs: readonly { readonly name: string; readonly steps: readonly unknown[] }[], kind: string) =>
  jobs.filter(({ name, steps }) => steps.length > 0 && name.includes(`/ ${kind} (`)).length;
async function steps(): Promise<string[]> {
  const ledgers = (await stage.ledgers()).split('\n').toReversed();
  const all = await Promise.all(ledgers.map((ledger) => recordIn(stage, ledger, 'answer')));
  const found = all.find((one) => one['steps'] !== undefined)?.['steps'] ?? [];
  return (found as { step: string; outcome: string }[]).map(({ step, outcome }) => `${step} ${outcome}`);
}

const said = {
  // Its work stays in the artifact of the run.
  '/gza stop answer': [],
  '/gza pause all': [worked],
  '/gza improve answer say it in kilos': [worked, improved, reviewedOnce],
};

/** A person's comment, read between a work step and its review. */
export async function commentBetween(words: keyof typeof said): Promise<void> {
  const wanted = said[words];
  stage = await openStage({ 'gza.yaml': approved });
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  let isSaid = false;
  const report = await play({
    beforeStep: async ({ name }) => {
      const board = github.state.issues.find(({ title }) => title === 'gza: task board');
      if (!isSaid && board && name.includes('/ verify')) {
        isSaid = true;
        await github.as('walter').comment(board.number, words);
      }
      return undefined;
    },
    // The comment is read while the lane is at work.
    choose: (ready) => ready.find(({ name }) => /\/ (intake|pick)$/.test(name)) ?? ready[0],
  });
  const log = report.transcript();
  const first = report.jobs.filter(({ runId }) => runId === report.runs[0]?.id);
  expect({ first: ran(first, 'review'), all: ran(report.jobs, 'review'), log }).toEqual({
    first: 0,
    all: wanted.filter((one) => one === reviewedOnce).length,
    log,
  });
  expect(await steps()).toEqual(wanted);
  const { claims = [], marks = {} } = await meta();
  expect([claims, Object.keys(marks).filter((name) => name.startsWith('job:'))]).toEqual([[], []]);
  expect(await brokenInvariants(github)).toEqual([]);
}

const wish = JSON.stringify({ step: 'improve', guidance: 'say it in kilos', by: 'walter' });
const events = {
  stop: (at: string): Event => {
    const asked = { reason: 'asked', detail: 'wait for me', at };
    return { kind: 'stop', at, by: 'walter', id: 'answer', stop: asked };
  },
  improve: (at: string): Event => ({ kind: 'mark', at, name: 'command:answer', value: wish }),
  limit: (at: string): Event => ({ kind: 'limit', at, agent: 'scripted', until: addSeconds(at, 3600) }),
  spend: (at: string): Event => ({ kind: 'spend', at, why: 'another lane', spent_usd: 50 }),
};

/** Somebody else writes into a ledger on the remote. */
async function writeElsewhere(branch: string, event: Event): Promise<void> {
  const dir = folder();
  git(dir, 'clone', '-q', stage.github.gitDir, '.');
  const ledger = await ledgerOf(dir, { base: 'main' });
  const options = { remote: 'origin', push: true, tell: () => {} };
  await syncLedgers(ledger, options);
  await write(ledger, branch, event);
  await syncLedgers(ledger, options);
  ledger.close();
}

/** An event that somebody else writes at a moment of the landing. */
export async function eventAtLanding(
  when: 'before the landing' | 'while it pushes',
  name: keyof typeof events,
): Promise<void> {
  const wanted = name === 'improve' ? [worked, improved, reviewedOnce] : [worked];
  stage = await openStage({ 'gza.yaml': `${approved}budget: { day: 40 }\n` });
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const branch = name === 'stop' ? 'gza/answer' : 'main';
  const run = () => writeElsewhere(branch, events[name](new Date().toISOString()));
  const isLate = when === 'while it pushes';
  const match = { operation: isLate ? 'git/info-push' : 'git/info-fetch', job: /\/ land \(/ };
  github.faults.add({ match, effect: { kind: 'run', phase: isLate ? 'after' : 'before', run } });
  const report = await play();
  const said = report.transcript();
  const first = report.jobs.filter(({ runId }) => runId === report.runs[0]?.id);
  expect({
    first: ran(first, 'review'),
    reviews: ran(report.jobs, 'review'),
    steps: await steps(),
    said,
  }).toEqual({
    first: 0,
    reviews: wanted.filter((one) => one === reviewedOnce).length,
    steps: wanted,
    said,
  });
  const { claims = [], marks = {} } = await meta();
  expect([claims, Object.keys(marks).filter((name) => name.startsWith('job:'))]).toEqual([[], []]);
  expect(github.faults.unused()).toEqual([]);
  expect(await brokenInvariants(github)).toEqual([]);
  cleanUp();
}

/** The wake-up for the improve, by which the landing of the review ends its claim. */
export async function wakeUpThatIs(what: 'lost' | 'doubled'): Promise<void> {
  stage = await openStage({ 'gza.yaml': reviewed });
  const { github, play } = stage;
  const { state } = github;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  github.faults.add({
    match: { operation: 'repos/create-dispatch-event' },
    effect: {
      kind: 'run',
      phase: what === 'lost' ? 'before' : 'after',
      run: () => {
        const run = state.runs.findLast(({ status }) => status === 'queued');
        if (what === 'lost') state.loseEvents = 1;
        else if (run) state.runs.push({ ...run, id: takeId(state), jobs: [] });
      },
    },
  });
  const said = [(await play()).transcript()];
  for (let tick = 0; tick < (what === 'lost' ? 1 : 0); tick += 1) {
    // Nothing goes on by itself: the schedule is the net.
    expect(await steps()).toEqual([worked, reviewedOnce]);
    await github.tickSchedule('17 */6 * * *');
    said.push((await play()).transcript());
  }
  const all = [worked, reviewedOnce, improved, reviewedOnce];
  expect({ steps: await steps(), said }).toEqual({ steps: all, said });
  expect((await meta()).claims ?? []).toEqual([]);
  expect(github.faults.unused()).toEqual([]);
  expect(await brokenInvariants(github)).toEqual([]);
}

const plan = (title: string, more = '') => `type: plan\ntitle: ${title}\nprompt: plan it well.\n${more}`;
const isWake = ({ operation }: Seen) => operation === 'repos/create-dispatch-event';

/** Two landings that end at once: after both pushes, or one after the other. */
export async function twoLandings(isCrossed: boolean): Promise<void> {
  stage = await openStage({ 'gza.yaml': `${config}parallel_workers: 2\n` });
  const { github, play } = stage;
  const files = {
    'tasks/a.yml': plan('A'),
    'tasks/b.yml': plan('B'),
    'tasks/c.yml': plan('C', 'depends_on: [a, b]\n'),
  };
  if (isCrossed) {
    // What a landing fetches after its push waits until the other one has pushed too.
    const afterPush = ({ job, operation }: Seen) =>
      operation === 'git/info-fetch' &&
      github.seen.some((one) => one.job === job && one.operation === 'git/push' && one.status < 300);
    const until = async () => {
      for (let tries = 0; tries < 600 && ((await meta()).claims ?? []).length > 0; tries += 1) await wait(50);
    };
    github.faults.add({
      match: { job: /\/ land \((a|b)\)/, where: afterPush },
      times: 2,
      effect: { kind: 'run', phase: 'before', run: until },
    });
  }
  await github.commit({ branch: 'main', files });
  const report = await play(isCrossed ? { parallel: 2 } : {});
  const said = report.transcript();
  const { closed_as } = await recordIn(stage, 'refs/tasks/main', 'c');
  expect({ closed_as, next: ran(report.jobs, 'next'), said }).toEqual({ closed_as: 'done', next: 0, said });
  const wakes = github.seen.filter(isWake).map(({ job }) => job?.replace(/.*\/ /, ''));
  // After the last nothing is there for a pick.
  expect({ wakes: wakes.length, said }).toEqual({ wakes: isCrossed ? 2 : 1, said });
  if (isCrossed) expect(github.faults.unused()).toEqual([]);
  expect(await brokenInvariants(github)).toEqual([]);
}

export async function cancelBetween(): Promise<void> {
  stage = await openStage({ 'gza.yaml': approved });
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  let isCancelled = false;
  const report = await play({
    beforeStep: async ({ name, runId }) => {
      if (isCancelled || !name.includes('/ review')) return undefined;
      isCancelled = true;
      await github.as('olive').request('POST', `/actions/runs/${runId}/cancel`);
      return undefined;
    },
  });
  const said = report.transcript();
  expect({ steps: await steps(), said }).toMatchObject({
    steps: [worked, expect.stringMatching(/^review (cancelled|lost)$/), reviewedOnce],
    said,
  });
  const { claims = [] } = await meta();
  expect(claims).toEqual([]);
  expect(await brokenInvariants(github)).toEqual([]);
}
