/**
 * The half of a step that runs where no agent does: what was left becomes a commit that no ref names yet, and a report
 * for the record. It never runs what it is given.
 */

import { lstat } from 'node:fs/promises';
import type { Verification } from '../../core/checks/verification.ts';
import { firstLine } from '../../core/markdown/one-line.ts';
import { nothingSaid } from '../../core/spool/spool.ts';
import { dropClone, markSaved } from '../../workspace/remove-clone.ts';
import type { SharedClone } from '../../workspace/shared-clone.ts';
import { changesFiles } from '../engine.ts';
import { type Left, whyBroken } from '../left.ts';
import { concludeText } from './conclude-text.ts';
import { concludeWork } from './conclude-work.ts';
import { type Judged, judgeRun } from './step-outcome.ts';
import { type ConcludeInput, recordOf, type StepReport } from './step-report.ts';

/**
 * `checks`: of the tree that was left, where it was checked. Once an agent has run, whatever goes wrong is told as
 * the end of its step: it counts as a try, with its cost.
 */
export async function conclude(
  input: ConcludeInput,
  left: Left,
  checks: Verification | null,
): Promise<Concluded> {
  if (left.broken !== undefined) return concludeBroken(input, left, left.broken);
  const { clone, job } = input;
  try {
    if (!changesFiles(job.step)) return { report: await concludeText(input, left), clone: null };
    const { report, isRefused } = await concludeWork(input, left, checks);
    if (clone === null || isRefused) return { report, clone: null };
    return { report, clone: await markSaved(clone, report.commit ?? clone.record.start) };
  } catch (thrown) {
    return concludeBroken(input, left, whyBroken(thrown, clone?.dir));
  }
}

export interface Concluded {
  readonly report: StepReport;
  /** To be removed once the report is recorded: until then it may be the only place that holds the work. */
  readonly clone: SharedClone | null;
  /** What was left could not be taken. */
  readonly isBroken?: boolean;
}

async function concludeBroken(input: ConcludeInput, left: Left, why: string): Promise<Concluded> {
  const { job } = input;
  const kept = await whereKept(input);
  const error = `what it left could not be taken: ${why}${kept ? `\nWhat it left stays in ${kept}` : ''}`;
  const judged = judgedBroken(left, error);
  const report = {
    record: { ...recordOf(job, left, judged), ...(job.lane?.hasBranch ? { head: job.lane.head } : {}) },
    judged,
    commit: null,
    artifacts: [],
    notes: [],
    remarks: [],
    spool: nothingSaid,
    gist: firstLine(error),
    log: left.log ?? '',
  };
  return { report, clone: null, isBroken: true };
}

/** A limit still holds, and who was stopped from outside did not fail. */
function judgedBroken({ runs, ended_at }: Left, error: string): Judged {
  const { kind = 'crash', resetAt } = runs.at(-1) ?? {};
  const ran = judgeRun({ kind, resetAt, hasWork: false, blocked: null, now: ended_at });
  if (kind === 'cancelled') return { outcome: 'cancelled', error };
  const { limitedUntil } = ran;
  return { outcome: 'failed', error, ...(limitedUntil === undefined ? {} : { limitedUntil }) };
}

/** The clone, where it may hold work: nobody could look. */
async function whereKept({ clone, job }: ConcludeInput): Promise<string | null> {
  if (clone === null) return null;
  const tree = await lstat(clone.treeDir).catch(() => null);
  if (changesFiles(job.step) && tree?.isDirectory()) return clone.dir;
  await dropClone(clone);
  return null;
}
