/** What can go wrong at a request of a run, at a step of it, or with the run itself; and how it is made to. */
import { serverError } from '../github/answers.ts';
import type { FaultEffect, Seen } from '../github/faults.ts';
import type { Github } from '../github/github.ts';
import { type Run, type State, takeId } from '../github/state.ts';
import type { WorkflowOptions } from '../github/workflow-types.ts';
import { lag, lagging, lostAndLagging } from './lagging-reads.ts';
import { jobOf, type Mishap } from './mishap.ts';
import { impatient } from './product.ts';
import type { Stage } from './stage.ts';
import { beforeStep, stepMishaps } from './step-mishaps.ts';
import { troubles } from './troubles.ts';
import { pickTwice, twin } from './two-picks.ts';

/** `kill` of the machine that runs this step, right after this request of it. */
function killAt(requests: readonly Seen[], { index, seen }: Mishap): NonNullable<WorkflowOptions['kill']> {
  const own = requests.filter((one) => one.job === seen.job);
  const request = own.indexOf(requests[index] ?? seen) + 1;
  // Both landings are the same step.
  const wanted = jobOf(seen).replace('land review', 'land');
  let isDone = false;
  return (job, step) => {
    if (jobOf({ job: job.name }) !== jobOf(seen) || step !== wanted || isDone) return undefined;
    isDone = true;
    return { request, phase: 'after', machine: true };
  };
}

/** Arms it; what it returns goes to the play. */
export function arrange(
  { github, product }: Pick<Stage, 'github' | 'product'>,
  requests: readonly Seen[],
  mishap: Mishap,
  before: State,
): Partial<WorkflowOptions> {
  const [run] = github.state.runs.filter(({ status }) => status === 'queued');
  switch (mishap.kind) {
    case 'kill':
      return { kill: killAt(requests, mishap) };
    case 'event lost':
      github.state.runs = github.state.runs.filter((one) => one !== run);
      return {};
    case 'event twice':
      return again(github, run);
    case 'event of before, late':
      return again(
        github,
        before.runs.find(({ status }) => status === 'queued'),
      );
    case lagging:
      lag(github, requests, mishap);
      return {};
    case lostAndLagging:
      lag(github, requests, mishap);
      return armed(github, mishap, { kind: 'answer-after', answer: serverError });
    case twin:
      return run ? pickTwice(github, product, run, mishap) : {};
  }
  const atStep = stepMishaps[mishap.kind];
  if (atStep) return { beforeStep: beforeStep(github, mishap, atStep) };
  const trouble = troubles[mishap.kind];
  if (!trouble) throw new Error(`no mishap is called ${mishap.kind}`);
  armed(github, mishap, trouble.effect(github, before), trouble.times);
  return trouble.isSlow ? { repositories: { 'gza-dev/gza': impatient(product) } } : {};
}

/** With the payload that it had then. */
function again({ state }: Github, run: Run | undefined): Partial<WorkflowOptions> {
  if (run) state.runs.push({ ...run, id: takeId(state), jobs: [] });
  return {};
}

function armed(github: Github, { index }: Mishap, effect: FaultEffect, times = 1): Partial<WorkflowOptions> {
  github.faults.add({ match: { job: /./ }, skip: index, times, effect });
  return {};
}
