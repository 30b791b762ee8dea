/** An agent's work is done once, wherever the job that lands it dies: the next run takes the artifact of the earlier. */
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { approving, openStage, recordIn, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(900_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const approved = `${approving}task_types:\n  implement: { auto_review: true }\n`;

interface Death {
  /** Whose machine is lost. */
  readonly job: 'land' | 'land review';
  /** At its first request of this kind. */
  readonly operation: string;
  readonly phase: 'before' | 'after';
  readonly times?: number;
}

async function playWith({ job, operation, phase, times = 1 }: Death) {
  stage = await openStage({ 'gza.yaml': approved });
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  let deaths = 0;
  const report = await play({
    kill: ({ name }, step) => {
      if (!name.includes(`/ ${job} (`) || step !== 'land' || deaths >= times) return undefined;
      deaths += 1;
      return { request: 1, operation, phase, machine: true };
    },
  });
  const ran = (kind: string) =>
    report.jobs.filter(({ name, steps }) => steps.length > 0 && name.includes(`/ ${kind} (`));
  const { steps = [], ...record } = await recordIn(stage, 'refs/tasks/gza/answer', 'answer');
  return {
    said: report.transcript(),
    lost: [...ran('land'), ...ran('land review')].filter(({ result }) => result === 'failure').length,
    agents: ran('agent').length + ran('review').length,
    takenOver: ran('take over').length,
    steps: (steps as { step: string; outcome: string }[]).map(({ step, outcome }) => `${step} ${outcome}`),
    closed: record['closed_as'],
  };
}

const whole = { lost: 1, agents: 2, closed: 'done' };
const steps = ['implement ok', 'review ok'];

// Before the push nothing is recorded. From then on the record stands, and the next pick says what is missing; a review
// that was to begin in the same run did not, and is no review.
test.each([
  ['land', 'before', 'git/info-push', { takenOver: 1, steps }],
  ['land', 'after', 'git/push', { takenOver: 0, steps: ['implement ok', 'review lost', 'review ok'] }],
  ['land review', 'before', 'git/info-push', { takenOver: 1, steps }],
  ['land review', 'after', 'git/push', { takenOver: 0, steps }],
] as const)(
  'when the machine of %s is lost %s %s, no agent works twice',
  async (job, phase, operation, wanted) => {
    const { said, ...played } = await playWith({ job, phase, operation });
    expect({ ...played, said }).toEqual({ ...whole, ...wanted, said });
    expect(await brokenInvariants(stage.github)).toEqual([]);
  },
);

test('what no landing survives is taken over three times, and then counts as a death', async () => {
  const { said, ...played } = await playWith({
    job: 'land',
    phase: 'before',
    operation: 'git/info-push',
    times: 4,
  });
  expect({ ...played, said }).toMatchObject({
    takenOver: 3,
    lost: 4,
    agents: 3,
    steps: ['implement lost', 'implement ok', 'review ok'],
    said,
  });
});
