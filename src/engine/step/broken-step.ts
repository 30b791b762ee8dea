/** A step that could not be concluded although its agent had run: a failed try, with what it cost and why. */
import { lstat } from 'node:fs/promises';
import { nothingSaid } from '../../core/spool/spool.ts';
import { whyFailed } from '../../core/system-error.ts';
import { redact } from '../../system/redact.ts';
import { dropClone } from '../../workspace/remove-clone.ts';
import type { Performed } from '../perform/perform-step.ts';
import { writeSession } from '../perform/session-file.ts';
import { firstLine, recordOf } from '../record/step-record.ts';
import { changesFiles } from './settings-of-view.ts';
import type { Step, StepRun } from './step.ts';
import { type Judged, judgeRun } from './step-outcome.ts';

const errorMax = 4000;

export async function brokenStep(step: Step, runs: readonly Performed[], thrown: unknown): Promise<StepRun> {
  const { job } = step.input;
  const kept = await whereKept(step);
  // Nobody goes on in a clone that cannot be read.
  await writeSession(step.input.stateDir, job, null).catch(() => {});
  const last = runs.at(-1);
  // What matters is at the end of the path, and lists cut long lines.
  const told = whyFailed(thrown).replaceAll(`${step.clone.dir}/`, '');
  const why = redact(told, last?.secrets ?? []).slice(0, errorMax);
  const error = `what it left could not be taken: ${why}${kept ? `\nWhat it left stays in ${kept}` : ''}`;
  const judged = judgedBroken(step, last, error);
  return {
    clone: null,
    broken: why,
    report: {
      record: { ...recordOf(step, runs, judged), ...(job.lane?.hasBranch ? { head: job.lane.head } : {}) },
      judged,
      commit: null,
      artifacts: [],
      notes: [],
      remarks: [],
      spool: nothingSaid,
      gist: firstLine(error),
      logPath: last?.logPath ?? '',
    },
  };
}

/** A limit still holds, and who was stopped from outside did not fail. */
function judgedBroken({ input }: Step, last: Performed | undefined, error: string): Judged {
  if (input.signal.aborted) return { outcome: 'cancelled', error };
  const { kind = 'crash', resetAt } = last?.run.result ?? {};
  const { limitedUntil } = judgeRun({ kind, resetAt, hasWork: false, blocked: null, now: input.now() });
  return { outcome: 'failed', error, ...(limitedUntil === undefined ? {} : { limitedUntil }) };
}

/** The clone, where it may hold work: nobody could look. */
async function whereKept({ input, parts, clone }: Step): Promise<string | null> {
  const tree = await lstat(clone.treeDir).catch(() => null);
  if (changesFiles(input.job.step) && tree?.isDirectory() && parts.keptIn === undefined) return clone.dir;
  await dropClone(clone);
  return null;
}
