/**
 * The agent's job: runs an agent once at the claimed commit and writes down the result for the later jobs.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isGzaError } from '../../core/errors.ts';
import { whyFailed } from '../../core/system-error.ts';
import { changesFiles } from '../../engine/engine.ts';
import { emptyLeft, type Left, runWithout } from '../../engine/left.ts';
import { stateDirOf } from '../../engine/loop/state-dir.ts';
import { perform } from '../../engine/perform/perform.ts';
import type { JobContext } from './job-context.ts';
import { writeLeft } from './left-files.ts';
import { type OpenJob, openJob } from './open-job.ts';

export async function agentJob(ci: JobContext): Promise<void> {
  const opened = await openJob(ci);
  if (!opened) return ci.say('The claim is not held any more, so nothing is done.');
  const { job } = opened;
  const what =
    job.isRecheck === true ? 'only the checks, no agent' : `${job.step} of ${job.id} by ${job.agent}`;
  ci.say(`${what}, at most ${job.timeoutMinutes} minutes`);
  const started_at = ci.ports.now();
  const dir = leftDir(ci);
  const write = async (left: Left) => {
    await writeLeft(dir, left);
    reportLeft(ci, dir, left);
  };
  const empty = (...runs: Left['runs']) => emptyLeft(job, { started_at, ended_at: ci.ports.now() }, runs);
  if (job.isRecheck === true) return write(empty());
  try {
    const left = await leftBy(ci, opened);
    await write(left);
    if (left.broken !== undefined) ci.warn(`what it left could not be taken: ${left.broken}`);
    const last = left.runs.at(-1);
    if (last) ci.say(`It ended: ${last.kind}${last.error ? ` (${last.error.split('\n')[0]})` : ''}`);
  } catch (error) {
    // No agent ran. This is written down too, so that the landing job can record the failure.
    await write(empty(runWithout(job, isGzaError(error) ? 'config' : 'crash', whyFailed(error))));
    if (!isGzaError(error)) throw error;
    ci.warn(error.message);
  }
}

async function leftBy(ci: JobContext, { job, project, view, workspace }: OpenJob): Promise<Left> {
  const { ports } = ci;
  const { left } = await perform({
    project,
    view,
    job,
    workspace,
    caller: ports.env,
    stateDir: stateDirOf(project),
    now: ports.now,
    signal: ports.signal,
    // The prefix keeps an agent from giving commands to the runner.
    onLine: (line) => ci.say(`| ${line}`),
    sleep: async (ms, signal) => {
      await wait(ms, undefined, { signal }).catch(() => {});
    },
  });
  return left;
}

export function leftDir(ci: Pick<JobContext, 'input' | 'temp'>): string {
  return ci.input('left') || join(ci.temp, 'gza-left');
}

/** Sets the outputs for the later jobs. `left` is null when there is no result. */
export function reportLeft(ci: Pick<JobContext, 'output'>, dir: string, left: Left | null): void {
  ci.output('left', dir);
  ci.output('changed', String(left !== null && left.patch !== null));
  ci.output('checks', String(left !== null && changesFiles(left.step)));
}
