/** Concludes plan, explore and review: only the text counts. Changed files were discarded and are listed. */

import { firstLine } from '../../core/markdown/neutralise.ts';
import {
  asksAgain,
  gateReview,
  readReview,
  type SettledReview,
  settleReview,
  stepNonce,
} from '../../core/review/read-review.ts';
import { claimLine, claimsKept } from '../../core/review/same-finding.ts';
import { printReview } from '../../core/text/review.ts';
import { withinDeadline } from '../../system/outside.ts';
import { artifactPath, claimOfAgent, isCommand } from '../engine.ts';
import type { Left, RunLeft } from '../left.ts';
import { type FiledPlan, filePlan } from './file-plan.ts';
import {
  type ConcludeInput,
  currentDiff,
  type Judged,
  judgeRun,
  recordOf,
  refusedNotes,
  type StepReport,
  spoolOf,
} from './step-report.ts';

export async function concludeText(input: ConcludeInput, left: Left): Promise<StepReport> {
  const { job, view } = input;
  const answer = answerOf(input, left);
  const { text, settled, artifact } = answer;
  const said = spoolOf(input, left);
  const answered = judgeText(input, left, answer, said.blocked);
  const filed = answered.outcome === 'ok' ? await planFiled(input, text, left.ended_at) : null;
  const judged = judgeFiled(answered, filed);
  const commit = filed?.kind === 'filed' ? filed.commit : null;
  const diff = filed?.kind === 'filed' ? filed.diff : await currentDiff(input);
  const path = artifactPath(view, job.step, job.cycle);
  const isText = answered.outcome === 'ok' || answered.outcome === 'no-verdict';
  // A text that was refused for the repository must not go into its ledger either.
  const isKept = isText && path !== null && filed?.kind !== 'refused';
  const verdict = judged.outcome === 'ok' ? (settled?.verdict ?? null) : null;
  return {
    record: {
      ...recordOf(job, left, judged),
      ...headOf(input, commit),
      ...(diff ? { diff } : {}),
      ...(verdict === null ? {} : { verdict }),
      ...(filed?.kind === 'filed' && filed.said !== '' ? { said: filed.said.slice(0, 2_000) } : {}),
      ...(settled && judged.outcome !== 'failed'
        ? { findings: marksOf(settled), claims: settled.findings.slice(0, claimsKept).map(claimLine) }
        : {}),
    },
    judged,
    commit,
    artifacts: isKept ? [{ path, text: artifact }] : [],
    notes: [...discardedNotes(job.step, left.discarded), ...filedNotes(filed), ...refusedNotes(said)],
    remarks: [],
    spool: said,
    gist: filed && judged.error ? firstLine(judged.error) : settled ? gistOf(settled) : firstLine(text),
    log: left.log ?? '',
  };
}

interface AnswerRead {
  /** The run that decides how the step ended. */
  readonly counts: RunLeft | undefined;
  readonly text: string;
  /** Only for reviews. */
  readonly settled: SettledReview | null;
  /** The text that the ledger keeps. */
  readonly artifact: string;
}

/** Reads the answer again: the agent's side read it, to decide whether to ask again, but is not trusted. */
function answerOf({ job, project }: ConcludeInput, { runs: [first, second] }: Left): AnswerRead {
  const text = first?.text ?? '';
  if (job.step !== 'review') return { counts: first, text, settled: null, artifact: text };
  const nonce = stepNonce({ ...job, claim: claimOfAgent(job) });
  const reading = gateReview(withinDeadline('the review', () => readReview(text, nonce)));
  const isAnswer = second?.kind === 'ok';
  // A review that asked for changes stands, even if the second question, which findings it has, failed.
  const isAlone = second === undefined || !asksAgain(reading) || (!isAnswer && reading.kind === 'verdict');
  if (first?.kind !== 'ok' || isAlone) {
    const settled = settleReview(reading, null);
    return { counts: first, text, settled, artifact: artifactOf(settled, [text]) };
  }
  const answer = withinDeadline('the second review', () => readReview(second.text, nonce));
  // A plain command may not read the prompt and so know no nonce. Its approval counts when it gives it twice.
  const counted = isCommand(job.agent, project.config) ? answer : gateReview(answer);
  const settled = settleReview(reading, isAnswer ? counted : null);
  return { counts: second, text, settled, artifact: artifactOf(settled, [text, second.text]) };
}

/** The review as written, if its text alone gives the verdict. Otherwise the result, with both texts. */
function artifactOf({ verdict, findings }: SettledReview, [first = '', second]: readonly string[]): string {
  const plain = withinDeadline('the review', () => readReview(first));
  const isPlain = plain.kind === 'verdict' && plain.verdict === verdict;
  if (isPlain && second === undefined) return first.endsWith('\n') ? first : `${first}\n`;
  return printReview({ verdict, findings, summary: first, ...(second === undefined ? {} : { second }) });
}

async function planFiled(input: ConcludeInput, text: string, at: string): Promise<FiledPlan | null> {
  const { job, project, view, repository } = input;
  if (job.step !== 'plan' || !job.lane) return null;
  return filePlan({ project, view, lane: job.lane, repository, text, date: new Date(at) });
}

/** A plan without readable tasks is still filed, and a person decides how to go on. */
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

/** A review belongs to the commit it looked at. A plan's branch starts with the commit that files it. */
function headOf({ job }: ConcludeInput, commit: string | null): { head?: string } {
  if (commit !== null) return { head: commit };
  return job.lane && (job.step === 'review' || job.lane.hasBranch) ? { head: job.lane.head } : {};
}

function judgeText(
  { job, view }: ConcludeInput,
  { runs, ended_at }: Left,
  answer: AnswerRead,
  blocked: string | null,
): Judged {
  const { counts, text, settled } = answer;
  const { kind = 'crash', error, resetAt } = counts ?? {};
  const judged = judgeRun({
    kind,
    error,
    resetAt,
    hasWork: false,
    blocked,
    steps: view.record?.steps,
    now: ended_at,
  });
  if (judged.outcome !== 'ok') return judged;
  if (settled?.verdict === null) {
    const path = artifactPath(view, job.step, job.cycle);
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
