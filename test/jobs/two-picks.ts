/** The same event twice, and two picks for it side by side, as where a queue does not hold: the slower one writes last. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Github } from '../github/github.ts';
import { type Run, takeId } from '../github/state.ts';
import type { WorkflowOptions } from '../github/workflow-types.ts';
import type { Mishap } from './mishap.ts';
import { unqueued } from './product.ts';

export const twin = 'another pick at the same time';

const waitMsMax = 60_000;

/** At that request the first pick stands still until the other one is through. */
export function pickTwice(
  github: Github,
  product: string,
  run: Run,
  { index }: Mishap,
): Partial<WorkflowOptions> {
  const other: Run = { ...run, id: takeId(github.state), jobs: [] };
  github.state.runs.push(other);
  github.faults.add({
    match: { job: /./, where: ({ runId }) => runId === run.id },
    skip: index,
    effect: { kind: 'run', phase: 'before', run: () => pickOver(other) },
  });
  return { parallel: 2, repositories: { 'gza-dev/gza': unqueued(product) } };
}

async function pickOver({ jobs }: Run): Promise<void> {
  const until = Date.now() + waitMsMax;
  const isOver = () => jobs.some(({ name, status }) => name.endsWith('/ pick') && status === 'completed');
  while (!isOver() && Date.now() < until) await wait(20);
}
