/** plan, explore, review: what counts is the text; whatever it changed is thrown away and named. */

import { claimLine, claimsKept } from '../../core/review/same-finding.ts';
import type { SettledReview } from '../../core/review/settle-review.ts';
import { redact } from '../../system/redact.ts';
import type { Performed } from '../perform/perform-step.ts';
import { firstLine, recordOf } from '../record/step-record.ts';
import { answerOf, askReview } from './ask-review.ts';
import type { FiledPlan } from './file-plan.ts';
import { artifactPath } from './settings-of-view.ts';
import type { RunStepInput, Step, StepRun } from './step.ts';
import { type Judged, judgeRun } from './step-outcome.ts';
import { refusedNotes, whatItSaid } from './step-said.ts';
import { currentDiff, performInClone, promptOfStep } from './work-step.ts';

export async function textStep(step: Step): Promise<StepRun> {
  const { input, clone } = step;
  const { job, view } = input;
  const asked = await ask(step);
  const { runs, text, settled, artifact } = asked;
  const said = await whatItSaid(step, asked.counts.secrets);
  const answered = judgeText(asked, said.blocked, input);
  const filed = answered.outcome === 'ok' ? await planFiled(step, text) : null;
  const judged = judgeFiled(answered, filed);
  const commit = filed?.kind === 'filed' ? filed.commit : null;
  const diff = filed?.kind === 'filed' ? filed.diff : await currentDiff(input);
  const { discarded } = await step.parts.discard(clone);
  const path = artifactPath(view, job.step, job.cycle);
  const isText = answered.outcome === 'ok' || answered.outcome === 'no-verdict';
  // What must not be in the repository must not be in its ledger.
  const isKept = isText && path !== null && filed?.kind !== 'refused';
  const verdict = judged.outcome === 'ok' ? (settled?.verdict ?? null) : null;
  return {
    clone: null,
    report: {
      record: {
        ...recordOf(step, runs, judged),
        ...headOf(step, commit),
        ...(diff ? { diff } : {}),
        ...(verdict === null ? {} : { verdict }),
        ...(settled && judged.outcome !== 'failed'
          ? { findings: marksOf(settled), claims: settled.findings.slice(0, claimsKept).map(claimLine) }
          : {}),
      },
      judged,
      commit,
      artifacts: isKept ? [{ path, text: artifact }] : [],
      notes: [...discardedNotes(job.step, discarded), ...filedNotes(filed), ...refusedNotes(said)],
      remarks: [],
      spool: said,
      gist: filed && judged.error ? firstLine(judged.error) : settled ? gistOf(settled) : firstLine(text),
      logPath: runs.at(-1)?.logPath ?? '',
    },
  };
}

async function planFiled({ input, parts }: Step, text: string): Promise<FiledPlan | null> {
  const { job, project, view, workspace } = input;
  if (job.step !== 'plan' || !job.lane) return null;
  const { repository } = workspace;
  return parts.filePlan({ project, view, lane: job.lane, repository, text, date: new Date(input.now()) });
}

/** A plan that no tasks can be read from is there to be looked at; a person says how to go on. */
function judgeFiled(judged: Judged, filed: FiledPlan | null): Judged {
  if (filed?.kind === 'refused') {
    const detail = `the plan was not filed: ${filed.why}`;
    return { outcome: 'failed', error: detail, stop: { reason: 'refused-changes', detail } };
  }
  if (filed?.kind !== 'filed' || filed.unbroken === null) return judged;
  const detail = `no task file came of the plan: ${filed.unbroken}`;
  return { outcome: 'blocked', error: detail, stop: { reason: 'no-breakdown', detail } };
}

const filedCharsMax = 4000;

function filedNotes(filed: FiledPlan | null): string[] {
  return filed?.kind === 'filed' && filed.said !== '' ? [filed.said.slice(0, filedCharsMax)] : [];
}

/** A review is of a head that is there; a plan's branch begins with what was filed. */
function headOf({ input: { job } }: Step, commit: string | null): { head?: string } {
  if (commit !== null) return { head: commit };
  return job.lane && (job.step === 'review' || job.lane.hasBranch) ? { head: job.lane.head } : {};
}

interface Asked {
  readonly runs: readonly Performed[];
  /** The run that says how the step ended. */
  readonly counts: Performed;
  readonly text: string;
  /** Of a review. */
  readonly settled: SettledReview | null;
  readonly artifact: string;
}

async function ask(step: Step): Promise<Asked> {
  const prompt = await promptOfStep(step.input);
  if (step.input.job.step === 'review') return askReview(step, prompt);
  const run = await performInClone(step, prompt);
  const text = answerOf(run);
  return { runs: [run], counts: run, text, settled: null, artifact: text };
}

function judgeText(
  { runs, counts, text, settled }: Asked,
  blocked: string | null,
  input: RunStepInput,
): Judged {
  const { kind, error, resetAt } = counts.run.result;
  const judged = judgeRun({
    kind,
    error: error === undefined ? undefined : redact(error, counts.secrets),
    resetAt,
    hasWork: false,
    blocked,
    now: input.now(),
  });
  if (judged.outcome !== 'ok') return judged;
  if (settled?.verdict === null) {
    const path = artifactPath(input.view, input.job.step, input.job.cycle);
    const texts = runs.length > 1 ? 'both texts are' : 'the text is';
    return { outcome: 'no-verdict', error: `no verdict given, ${texts} in .gza/${path}: ${settled.why}` };
  }
  return text.trim() === '' ? { outcome: 'failed', error: 'it gave an empty answer' } : judged;
}

function marksOf({ findings }: SettledReview): string[] {
  return findings.map(({ severity, fingerprint }) => `${severity === 'blocker' ? '!' : ''}${fingerprint}`);
}

function gistOf({ verdict, why, findings }: SettledReview): string {
  if (verdict === null) return why;
  const first = findings.find(({ severity }) => severity === 'blocker') ?? findings[0];
  return first ? firstLine(first.claim) : '';
}

const discardedShown = 20;

function discardedNotes(step: string, discarded: readonly string[]): string[] {
  if (discarded.length === 0) return [];
  const more = discarded.length - discardedShown;
  const shown = discarded.slice(0, discardedShown).join(', ');
  return [`${step} may not change files; thrown away: ${shown}${more > 0 ? ` and ${more} more` : ''}`];
}
