import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import type { Snapshot } from '../github/snapshot.ts';
import { takeId } from '../github/state.ts';
import { doneSnapshot } from './done-snapshot.ts';
import { config, recordIn, removeProduct, reopenStage, type Stage } from './stage.ts';

jest.setTimeout(600_000);

/** One lane whose work is done, on a pull request that waits to be merged. */
let done: Snapshot;
let stage: Stage;
let number = 0;
beforeAll(async () => {
  done = await doneSnapshot();
  number = done.state.issues.find((one) => one.pull)?.number ?? 0;
});
afterEach(() => stage.github.close());
afterAll(removeProduct);

const later = { 'tasks/later.yml': 'type: implement\ntitle: Later\nprompt: Write it.\n' };

const dispatch = (inputs: Record<string, string>) =>
  stage.github.as('walter').request('POST', '/actions/workflows/gza.yml/dispatches', { ref: 'main', inputs });

const answer = () => stage.file('gza/answer', 'src/answer.js');
const once = 'export const answer = 42;\n';
const openPulls = () =>
  stage.github.state.issues.filter((one) => one.pull && one.state === 'open').map(({ title }) => title);

/** A push of which nobody was told. */
async function pushUnseen(): Promise<void> {
  stage.github.state.loseEvents = 1;
  await stage.github.commit({ branch: 'main', files: later });
}

interface Trigger {
  readonly event: string;
  readonly what: string;
  readonly wake: () => Promise<unknown>;
  readonly found: () => Promise<unknown>;
  readonly wanted: unknown;
}

const improved = `${once}// cycle 0: apples, in kilos\n`;

const triggers: readonly Trigger[] = [
  {
    event: 'push',
    what: 'a new task file is worked on',
    wake: () => stage.github.commit({ branch: 'main', files: later }),
    found: async () => openPulls(),
    wanted: ['Answer', 'Later'],
  },
  {
    event: 'schedule',
    what: 'a push that nobody was told of is seen',
    wake: async () => {
      await pushUnseen();
      await stage.github.tickSchedule('17 */6 * * *');
    },
    found: async () => openPulls(),
    wanted: ['Answer', 'Later'],
  },
  {
    event: 'repository_dispatch',
    what: 'it wakes as any other event',
    wake: async () => {
      await pushUnseen();
      const client_payload = { ended: 'x' };
      await stage.github.as('olive').request('POST', '/dispatches', { event_type: 'gza', client_payload });
    },
    found: async () => openPulls(),
    wanted: ['Answer', 'Later'],
  },
  {
    event: 'workflow_dispatch',
    what: 'without fields it only wakes',
    wake: async () => {
      await pushUnseen();
      await dispatch({});
    },
    found: async () => openPulls(),
    wanted: ['Answer', 'Later'],
  },
  {
    event: 'workflow_dispatch',
    what: 'task, command and guidance are obeyed',
    wake: () => dispatch({ task: 'answer', command: 'improve', guidance: 'say it in kilos' }),
    found: answer,
    wanted: improved,
  },
  {
    event: 'workflow_dispatch',
    what: 'a task alone is worked on, also one that waits for a person',
    wake: async () => {
      await pushUnseen();
      await dispatch({ task: 'later', command: 'stop' });
      await dispatch({ task: 'later' });
    },
    found: async () => openPulls(),
    wanted: ['Answer', 'Later'],
  },
  {
    event: 'workflow_dispatch',
    what: 'all open tasks of a group are worked on, also one that waits for a person',
    wake: async () => {
      stage.github.state.loseEvents = 1;
      const later = 'type: implement\ntitle: Later\nprompt: Write it.\ngroup: fruit\n';
      await stage.github.commit({ branch: 'main', files: { 'tasks/later.yml': later } });
      await dispatch({ task: 'later', command: 'stop' });
      await dispatch({ group: 'vegetables' });
      await dispatch({ group: 'fruit' });
    },
    found: async () => openPulls(),
    wanted: ['Answer', 'Later'],
  },
  {
    event: 'workflow_dispatch',
    what: 'what is asked counts also when other picks wait before and behind it',
    wake: async () => {
      await stage.github.tickSchedule('17 */6 * * *');
      await dispatch({ task: 'answer', command: 'improve', guidance: 'say it in kilos' });
      await stage.github.tickSchedule('17 */6 * * *');
    },
    found: answer,
    wanted: improved,
  },
  {
    event: 'repository_dispatch',
    what: 'an end of claims that nobody holds is nothing',
    wake: async () => {
      const client_payload = { ended: ['c1', 'c2'], more: 1 };
      await stage.github.as('olive').request('POST', '/dispatches', { event_type: 'gza', client_payload });
    },
    found: async () => [await answer(), openPulls()],
    wanted: [once, ['Answer']],
  },
  {
    event: 'issue_comment',
    what: 'a command is obeyed',
    wake: () => stage.github.as('walter').comment(number, 'Hm.\n\n/gza improve say it in kilos'),
    found: answer,
    wanted: `${improved}// heard walter: Hm.\n`,
  },
  {
    event: 'issue_comment',
    what: 'a task that is added on the board is one of its own',
    wake: async () => {
      const board = stage.github.state.issues.find(({ title }) => title === 'gza: task board');
      await stage.github.as('walter').comment(board?.number ?? 0, '/gza add "Write more"');
    },
    found: async () => openPulls(),
    wanted: ['Answer', 'Write more'],
  },
  {
    event: 'pull_request_review_comment',
    what: 'a command on a line is obeyed',
    wake: async () => {
      const commit_id = await stage.github.data.commit('gza/answer');
      await stage.github.as('walter').request('POST', `/pulls/${number}/comments`, {
        body: '/gza improve say it in kilos',
        commit_id,
        path: 'src/answer.js',
        line: 1,
        side: 'RIGHT',
      });
    },
    found: answer,
    wanted: improved,
  },
  {
    event: 'pull_request_target',
    what: 'a ticked box is obeyed',
    wake: async () => {
      await stage.github.as('walter').comment(number, 'Once more.');
      await stage.github.as('walter').tick(number, 'Improve');
    },
    found: answer,
    wanted: `${once}// cycle 0: apples\n// heard walter: Once more.\n`,
  },
  {
    event: 'issues',
    what: 'a box that is ticked on the board is obeyed',
    wake: async () => {
      const gate = 'type: plan\ntitle: Gate\nprompt: Say how.\nassigned_agent: someone\n';
      await stage.github.commit({ branch: 'main', files: { 'tasks/gate.yml': gate } });
      await stage.play();
      const board = stage.github.state.issues.find(({ title }) => title === 'gza: task board');
      await stage.github.as('walter').tick(board?.number ?? 0, 'gza:box skip gate');
    },
    found: async () => {
      const { closed_as, closed_reason } = await recordIn(stage, 'refs/tasks/main', 'gate');
      return [closed_as, closed_reason];
    },
    wanted: ['skipped', 'skipped by walter'],
  },
  {
    event: 'pull_request_target',
    what: 'what was merged comes home',
    wake: () => stage.github.as('walter').merge(number),
    found: () => stage.ledgers(),
    wanted: 'refs/tasks/main',
  },
  {
    event: 'pull_request_target',
    what: 'what was closed comes home as dropped',
    wake: () => stage.github.as('walter').close(number),
    found: () => stage.ledgers(),
    wanted: 'refs/tasks/main',
  },
];

/** All that anyone can see; not the runs. */
async function everything() {
  const { state, data } = stage.github;
  const { issues, comments, reviews, reactions, statuses } = state;
  const kept = { issues, comments, reviews, reactions, statuses };
  return [structuredClone(kept), await data.git.text(['for-each-ref'])];
}

test.each(triggers)('$event: $what, and told again of it changes nothing', async (trigger) => {
  stage = await reopenStage(done);
  const { github, play } = stage;
  const from = github.state.runs.length;
  await trigger.wake();
  const woken = github.state.runs.slice(from);
  expect(woken.map(({ event }) => event)).toContain(trigger.event);
  const said = (await play()).transcript();
  expect({ found: await trigger.found(), said }).toEqual({ found: trigger.wanted, said });

  // The pull request is ready now, which the next pick notes.
  await github.tickSchedule('17 */6 * * *');
  await play();
  const before = await everything();
  // A run that is started anew; and the event delivered twice, which for a dispatch would be a second wish.
  const doubled = woken.filter(({ event }) => event !== 'workflow_dispatch');
  const queued = { status: 'queued', conclusion: null, jobs: [] } as const;
  for (const run of doubled)
    github.state.runs.push({ ...run, ...queued, id: takeId(github.state), jobs: [] });
  for (const run of woken) Object.assign(run, { ...queued, attempt: 2, jobs: [] });
  const again = (await play()).transcript();
  expect({ now: await everything(), again }).toEqual({ now: before, again });
  expect(await brokenInvariants(github)).toEqual([]);
});

test('who starts the workflow by hand is answered in the summary of a green run, whatever it was that cannot be', async () => {
  stage = await reopenStage(done);
  const { github, play } = stage;
  const gate = 'type: plan\ntitle: Gate\nprompt: Say how.\nassigned_agent: someone\n';
  github.state.loseEvents = 1;
  await github.commit({ branch: 'main', files: { 'tasks/gate.yml': gate } });
  const asked: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ task: 'anwser' }, /there is no task "anwser": did you mean answer\?/],
    [{ task: 'answer' }, /answer is completed already; `reopen`/],
    [{ command: 'improve' }, /The fields `task`, `group` and `milestone` are empty/],
    [{ group: 'fruit', milestone: 'm1' }, /no task is open in the group fruit and the milestone m1/],
    [{ group: '<b>', milestone: 'm'.repeat(300) }, /no task is open in the group/],
    [{ task: 'gate' }, /gate does not start now: .*someone/],
    [{ task: 'x'.repeat(300), guidance: 'y'.repeat(20_000) }, /there is no task "x+"/],
  ];
  for (const [inputs] of asked) await dispatch(inputs);
  const report = await play();
  const picks = report.jobs.filter(({ name }) => name === 'gza / pick');
  const said = picks.map(({ steps }) => steps.map(({ summary }) => summary).join(''));
  expect({ ended: report.runs.map(({ conclusion }) => conclusion), said }).toEqual({
    ended: asked.map(() => 'success'),
    said: asked.map(([, words]) => expect.stringMatching(words)),
  });
  const warned = picks.map(({ steps }) =>
    steps.flatMap(({ annotations }) => annotations.map((one) => one.level)),
  );
  expect(warned).toEqual(asked.map(() => ['warning']));
  expect(await answer()).toBe(once);
});

test('a dry run says what would start, and changes nothing at all', async () => {
  stage = await reopenStage(done);
  await pushUnseen();
  const before = await everything();
  await dispatch({ dry_run: 'true' });
  const report = await stage.play();
  const [only, ...others] = report.jobs.filter(({ result }) => result !== 'skipped');
  const summary = only?.steps.at(-1)?.summary ?? '';
  expect({ now: await everything(), others, summary, said: report.transcript() }).toMatchObject({
    now: before,
    others: [],
    summary: expect.stringMatching(/Would start 1 task; nothing was written[^]*later.*would start/),
  });
});

test('a task that is at work already is not begun a second time by hand', async () => {
  stage = await reopenStage(done);
  await stage.github.commit({ branch: 'main', files: later });
  await dispatch({ task: 'later' });
  const report = await stage.play({
    choose: (ready) => ready.find(({ name }) => name.endsWith('/ pick')) ?? ready[0],
  });
  const [, second] = report.jobs.filter(({ name }) => name === 'gza / pick');
  const { steps } = await recordIn(stage, 'refs/tasks/gza/later', 'later');
  expect({ summary: second?.steps.at(-1)?.summary, steps, said: report.transcript() }).toMatchObject({
    summary: expect.stringMatching(/later does not start now: scripted works on it/),
    steps: [{ step: 'implement', outcome: 'ok' }],
  });
});

test('what is none of gza’s business starts no machine, and a 👀 that GitHub refuses is said and holds nothing up', async () => {
  stage = await reopenStage(done);
  const { github, play } = stage;
  github.state.users['helper[bot]'] = { login: 'helper[bot]', id: 7001, type: 'Bot' };
  github.state.roles['helper[bot]'] = 'write';
  await github.as('walter').comment(number, 'Nice work.');
  await github.as('helper[bot]').comment(number, '/gza improve');
  const made = await github.as('walter').request('POST', '/issues', { title: 'Talk', body: '' });
  const talk = Number(made.body['number']);
  await github.as('walter').request('PATCH', `/issues/${talk}`, { body: 'More.' });
  const files = { 'notes.md': 'By hand.\n' };
  await github.commit({ branch: 'by-hand', from: 'main', files, by: 'walter' });
  const theirs = await github.as('walter').openPull('by-hand', { title: 'By hand', body: 'x' });
  await github.as('walter').close(theirs);
  const from = github.seen.length;
  const quiet = await play();
  const ended = quiet.runs.map(({ event, conclusion }) => `${event} ${conclusion}`);
  expect({ ended, steps: quiet.jobs.flatMap(({ steps }) => steps), said: quiet.transcript() }).toEqual({
    ended: [
      'issue_comment skipped',
      'issue_comment skipped',
      'issues skipped',
      'pull_request_target skipped',
    ],
    steps: [],
    said: quiet.transcript(),
  });
  expect(github.seen.slice(from)).toEqual([]);

  // A word of the address is no command; and who is asked to slow down for long does not wait for it.
  await github.as('walter').comment(talk, 'See https://example.com/gza for more.');
  await github.as('walter').comment(talk, '/gza status');
  const refusal = { status: 403, body: { message: 'Slow down' }, headers: { 'retry-after': '600' } };
  github.faults.add({ match: { job: /intake$/ }, effect: { kind: 'answer', answer: refusal } });
  const report = await play();
  const said = report.transcript();
  expect({ ended: report.runs.map(({ conclusion }) => conclusion), said }).toEqual({
    ended: ['success', 'success'],
    said: expect.stringMatching(
      /No comment with a command woke.*The comment got no 👀, and pick answers it/s,
    ),
  });
  expect(github.state.reactions.map(({ content }) => content)).toEqual(['rocket']);
});

test('what a person said is heard by the next try too, when the first one broke, also after the task was done', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gza-broke-'));
  try {
    stage = await reopenStage(done);
    const guidance = `say it in kilos; break first, see ${join(folder, 'broke')}.`;
    await dispatch({ task: 'answer', command: 'improve', guidance });
    const said = (await stage.play()).transcript();
    expect({ found: await answer(), said }).toEqual({ found: improved, said });
    expect(await brokenInvariants(stage.github)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('under a configuration with a mistake no agent starts, and what was asked for waits for its end', async () => {
  stage = await reopenStage(done);
  const { github, play } = stage;
  const sound = config.replace('src/answer.js', 'src/*.js');
  await github.commit({ branch: 'main', files: { 'gza.yaml': `${sound}verfy: npm test\n` } });
  await dispatch({ task: 'answer', command: 'improve', guidance: 'say it in kilos' });
  const said = (await play()).transcript();
  expect({ found: await answer(), said }).toEqual({ found: once, said });
  expect(said).toMatch(/No agent starts: gza\.yaml:\d+: verfy is not a field/);
  await github.commit({ branch: 'main', files: { 'gza.yaml': sound } });
  const again = (await play()).transcript();
  expect({ found: await answer(), again }).toEqual({ found: improved, again });
});
