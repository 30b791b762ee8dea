/** One step from its job to its report, on this machine: agent, tree, checks, verdict. Nothing is recorded here. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { claimFile } from '../loop/clone-claim.ts';
import type { Performed } from '../perform/perform-step.ts';
import { writeSession } from '../perform/session-file.ts';
import { brokenStep } from './broken-step.ts';
import { changesFiles } from './settings-of-view.ts';
import type { RunStepInput, Step, StepRun } from './step.ts';
import { leaveFiles } from './step-files.ts';
import { partsHere, type StepParts } from './step-parts.ts';
import { textStep } from './text-step.ts';
import { workStep } from './work-step.ts';

export async function runStep(input: RunStepInput): Promise<StepRun> {
  const { job, workspace } = input;
  const started_at = input.now();
  const clone = await workspace.createClone({
    name: job.session?.clone ?? `${job.id}.${job.step}.${job.claim.slice(0, 12)}`,
    branch: job.lane?.link.branch ?? `gza-look/${job.id}`,
    start: job.lane?.head ?? job.base.commit,
    base: job.base,
    purpose: changesFiles(job.step) ? 'change' : 'review',
  });
  await claimFile(clone).write(job.claim);
  const spool = join(clone.dir, 'spool', 'spool.jsonl');
  await mkdir(dirname(spool), { recursive: true });
  const runs: Performed[] = [];
  const step = { input, parts: countRuns(input.parts ?? partsHere, runs), clone, spool, started_at };
  await leaveFiles(step);
  return conclude(step, runs);
}

/** Once an agent has run, whatever goes wrong is told as the end of its step: it counts as a try, with its cost. */
async function conclude(step: Step, runs: readonly Performed[]): Promise<StepRun> {
  const { job, stateDir } = step.input;
  try {
    const run = await (changesFiles(job.step) ? workStep(step) : textStep(step));
    // A session that did what it should is over; one that was cut short can be gone on with.
    if (run.report.judged.outcome === 'ok') await writeSession(stateDir, job, null);
    return run;
  } catch (thrown) {
    if (runs.length === 0) throw thrown;
    return brokenStep(step, runs, thrown);
  }
}

function countRuns(parts: StepParts, runs: Performed[]): StepParts {
  return {
    ...parts,
    perform: async (input) => {
      const performed = await parts.perform(input);
      runs.push(performed);
      return performed;
    },
  };
}
