/** The agent's job: one run at the claimed commit, and what it left, written down for those that come after. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isGzaError } from '../../core/errors.ts';
import { whyFailed } from '../../core/system-error.ts';
import { stateDirOf } from '../../engine/loop/state-dir.ts';
import { runStep } from '../../engine/step/run-step.ts';
import { changesFiles } from '../../engine/step/settings-of-view.ts';
import { leftOf, newRecording, recordingParts } from '../left/recorded-parts.ts';
import { writeLeft } from '../left/step-left.ts';
import type { Ci } from './ci.ts';
import { openJob } from './open-job.ts';

export async function agentJob(ci: Ci): Promise<void> {
  const { ports } = ci;
  const opened = await openJob(ci);
  if (!opened) {
    ci.say('The claim is not held any more, so nothing is done.');
    return;
  }
  const { job, project, view, workspace } = opened;
  const recording = newRecording();
  const started_at = ports.now();
  const dir = ci.input('left') || join(ci.temp, 'gza-left');
  ci.output('left', dir);
  const what =
    job.isRecheck === true ? 'only the checks, no agent' : `${job.step} of ${job.id} by ${job.agent}`;
  ci.say(`${what}, at most ${job.timeoutMinutes} minutes`);
  try {
    if (job.isRecheck !== true) {
      const run = await runStep({
        project,
        view,
        job,
        workspace,
        parts: recordingParts(recording),
        caller: ports.env,
        stateDir: stateDirOf(project),
        now: ports.now,
        signal: ports.signal,
        // Prefixed, so that no line of an agent is a command to the runner.
        onLine: (line) => ci.say(`| ${line}`),
        sleep: async (ms, signal) => {
          await wait(ms, undefined, { signal }).catch(() => {});
        },
      });
      recording.broken = run.broken ?? null;
      if (run.broken !== undefined) ci.warn(run.report.judged.error ?? run.broken);
    }
  } catch (error) {
    // No agent ran. That has a record too: the landing job says what became of it.
    recording.runs.push(neverRun(job.agent, isGzaError(error) ? 'config' : 'crash', whyFailed(error)));
    if (!isGzaError(error)) throw error;
    ci.warn(error.message);
  } finally {
    const left = leftOf(recording, {
      task: job.id,
      claim: job.claim,
      step: job.step,
      started_at,
      ended_at: ports.now(),
    });
    await writeLeft(dir, left);
    ci.output('changed', String(left.patch !== null));
    ci.output('checks', String(changesFiles(job.step)));
  }
  const last = recording.runs.at(-1);
  if (last) ci.say(`It ended: ${last.kind}${last.error ? ` (${last.error.split('\n')[0]})` : ''}`);
}

function neverRun(name: string, kind: 'config' | 'crash', error: string) {
  return { agent: { name }, kind, text: '', error, turns: 0, usage: null, costUsd: null };
}
