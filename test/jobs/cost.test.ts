/** What a task costs on GitHub: machines, pushes, calls of the API, requests of git. A bar that is passed is a failure. */
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import type { Seen } from '../github/faults.ts';
import { approving, config, openStage, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const reviewed = (given: string) => `${given}task_types:\n  implement: { auto_review: true }\n`;

/** Of all jobs that were given a machine, the checkouts' own requests included. */
async function costOf({ github, play }: Stage) {
  const from = github.seen.length;
  const report = await play();
  const asked = github.seen.slice(from).filter(({ job }) => job !== undefined);
  const count = (is: (one: Seen) => boolean) => asked.filter(is).length;
  return {
    said: [report.transcript(), ...asked.map(({ job, operation }) => `${job}: ${operation}`)].join('\n'),
    runs: report.runs.map(({ conclusion }) => conclusion),
    jobs: report.jobs.filter(({ steps }) => steps.length > 0).length,
    pushes: count(({ operation }) => operation === 'git/push'),
    calls: count(({ kind }) => kind !== 'git'),
    git: count(({ kind }) => kind === 'git'),
  };
}

type Cost = Readonly<Record<'jobs' | 'pushes' | 'calls' | 'git', number>>;

function over(cost: Cost, bars: Partial<Cost>): string[] {
  return Object.entries(bars).flatMap(([name, bar]) => {
    const found = cost[name as keyof Cost];
    return found > bar ? [`${name}: ${found}, more than ${bar}`] : [];
  });
}

const labels = () => stage.github.state.issues.find((one) => one.pull)?.labels;

test('a task with one improve is approved in two runs; a comment that needs no agent costs two jobs', async () => {
  stage = await openStage({ 'gza.yaml': reviewed(config) });
  const { github } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const { said, runs, ...cost } = await costOf(stage);
  expect({
    runs,
    labels: labels(),
    over: over(cost, { jobs: 12, pushes: 6, calls: 24, git: 60 }),
    said,
  }).toEqual({
    runs: ['success', 'success'],
    labels: ['gza', 'gza: approved'],
    over: [],
    said,
  });

  const { number = 0 } = github.state.issues.find((one) => one.pull) ?? {};
  await github.as('walter').comment(number, '/gza status');
  const asked = await costOf(stage);
  expect({ over: over(asked, { jobs: 2 }), said: asked.said }).toEqual({ over: [], said: asked.said });
});

test('a task that its first review approves costs one run of six jobs, and an idle wake-up a job with three calls', async () => {
  stage = await openStage({ 'gza.yaml': reviewed(approving) });
  const { github } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const { said, runs, ...cost } = await costOf(stage);
  expect({ runs, labels: labels(), over: over(cost, { jobs: 6, pushes: 3 }), said }).toEqual({
    runs: ['success'],
    labels: ['gza', 'gza: approved'],
    over: [],
    said,
  });
  // The first look notes that the pull request is ready.
  await github.tickSchedule('17 */6 * * *');
  await stage.play();
  await github.tickSchedule('17 */6 * * *');
  const idle = await costOf(stage);
  expect({ over: over(idle, { jobs: 1, pushes: 0, calls: 3 }), said: idle.said }).toEqual({
    over: [],
    said: idle.said,
  });
});
