/** plan, explore, review: what counts is the text; whatever it changed is thrown away and named. */
import { redact } from '../agents/redact.ts';
import { neutraliseText } from '../core/neutralise.ts';
import { type ReviewReading, readReview } from '../core/read-review.ts';
import { printReview, problemsRequest, verdictRequest } from '../core/text/review.ts';
import type { Performed } from '../steps/perform-step.ts';
import type { FiledPlan } from './file-plan.ts';
import { artifactPath } from './settings-of-view.ts';
import type { Step, StepRun } from './step.ts';
import { type Judged, judgeRun } from './step-outcome.ts';
import { firstLine, recordOf } from './step-record.ts';
import { refusedNotes, whatItSaid } from './step-said.ts';
import { currentDiff, performInClone, promptOfStep } from './work-step.ts';

export async function textStep(step: Step): Promise<StepRun> {
  const { input, clone } = step;
  const { job, view } = input;
  const asked = await ask(step);
  const { runs, text, reading } = asked;
  const said = await whatItSaid(step, asked.counts.secrets);
  const answered = judgeText(asked, said.blocked, input.now());
  const filed = answered.outcome === 'ok' ? await planFiled(step, text) : null;
  const judged = judgeFiled(answered, filed);
  const commit = filed?.kind === 'filed' ? filed.commit : null;
  const diff = filed?.kind === 'filed' ? filed.diff : await currentDiff(input);
  const { discarded } = await step.parts.discard(clone);
  const path = artifactPath(view, job.step, job.cycle);
  const isText = answered.outcome === 'ok' || answered.outcome === 'no-verdict';
  // What must not be in the repository must not be in its ledger.
  const isKept = isText && path !== null && filed?.kind !== 'refused';
  const isVerdict = reading?.kind === 'verdict' && judged.outcome === 'ok';
  return {
    clone: null,
    report: {
      record: {
        ...recordOf(step, runs, judged),
        ...headOf(step, commit),
        ...(diff ? { diff } : {}),
        ...(isVerdict ? { verdict: reading.verdict } : {}),
        ...(reading && judged.outcome !== 'failed' ? { findings: marksOf(reading) } : {}),
      },
      judged,
      commit,
      artifacts: isKept ? [{ path, text: reading ? reviewText(reading, text) : text }] : [],
      notes: [...discardedNotes(job.step, discarded), ...filedNotes(filed), ...refusedNotes(said)],
      remarks: [],
      spool: said,
      gist: filed && judged.error ? firstLine(judged.error) : reading ? gistOf(reading) : firstLine(text),
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
  /** The run whose answer counts. */
  readonly counts: Performed;
  readonly text: string;
  readonly reading: ReviewReading | null;
}

/** A review whose verdict cannot be read is asked once more, with what was wrong. */
async function ask(step: Step): Promise<Asked> {
  const prompt = await promptOfStep(step.input);
  const first = await performInClone(step, prompt);
  const text = answerOf(first);
  if (step.input.job.step !== 'review') return { runs: [first], counts: first, text, reading: null };
  const reading = readReview(text);
  const isClear = reading.kind === 'verdict' && reading.problems.length === 0;
  if (first.run.result.kind !== 'ok' || isClear || step.input.signal.aborted) {
    return { runs: [first], counts: first, text, reading };
  }
  const second = await performInClone(step, againPrompt(prompt, text, reading));
  const runs = [first, second];
  const again = answerOf(second);
  const readAgain = readReview(again);
  // Only an answer that is better is taken for the first one.
  const isBetter = second.run.result.kind === 'ok' && readAgain.kind === 'verdict';
  if (!isBetter && reading.kind === 'verdict') return { runs, counts: first, text, reading };
  return { runs, counts: second, text: again, reading: readAgain };
}

function answerOf({ run, secrets }: Performed): string {
  return redact(run.result.text, secrets);
}

const quotedMax = 20_000;

function againPrompt(prompt: string, text: string, reading: ReviewReading): string {
  const wrong = reading.kind === 'verdict' ? problemsRequest(reading.problems) : verdictRequest(reading);
  const quoted = neutraliseText(text.slice(0, quotedMax), 'comment');
  return `${prompt}\n\nYou have answered this already:\n\n${quoted}\n\n${wrong}\n`;
}

function judgeText({ counts, text, reading }: Asked, blocked: string | null, now: string): Judged {
  const { kind, error, resetAt } = counts.run.result;
  const judged = judgeRun({
    kind,
    error: error === undefined ? undefined : redact(error, counts.secrets),
    resetAt,
    hasWork: false,
    blocked,
    now,
  });
  if (judged.outcome !== 'ok') return judged;
  if (reading && reading.kind !== 'verdict') {
    return { outcome: 'no-verdict', error: `no verdict given: ${reading.why}` };
  }
  return text.trim() === '' ? { outcome: 'failed', error: 'it gave an empty answer' } : judged;
}

/** The review as it was written; where nobody could read its verdict, that is said. */
function reviewText(reading: ReviewReading, text: string): string {
  if (reading.kind === 'verdict') return text.endsWith('\n') ? text : `${text}\n`;
  return printReview({ verdict: null, findings: reading.findings, summary: text });
}

function marksOf({ findings }: ReviewReading): string[] {
  return findings.map(({ severity, fingerprint }) => `${severity === 'blocker' ? '!' : ''}${fingerprint}`);
}

function gistOf(reading: ReviewReading): string {
  if (reading.kind !== 'verdict') return reading.why;
  const first = reading.findings.find(({ severity }) => severity === 'blocker') ?? reading.findings[0];
  return first ? firstLine(first.claim) : '';
}

const discardedShown = 20;

function discardedNotes(step: string, discarded: readonly string[]): string[] {
  if (discarded.length === 0) return [];
  const more = discarded.length - discardedShown;
  const shown = discarded.slice(0, discardedShown).join(', ');
  return [`${step} may not change files; thrown away: ${shown}${more > 0 ? ` and ${more} more` : ''}`];
}
