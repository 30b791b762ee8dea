/**
 * The half of a step that runs where no agent does. It turns what the agent left into a commit that no ref
 * names yet, and a report for the record. It never executes anything that the agent left.
 */
import { lstat } from 'node:fs/promises';
import { wholeView } from '../../app/tasks/change-task.ts';
import { type Verification, wasCancelled } from '../../core/checks/verification.ts';
import type { Settings } from '../../core/config/config.ts';
import type { Objection } from '../../core/guard/guard-patch.ts';
import { type CommitPurpose, firstLine } from '../../core/markdown/neutralise.ts';
import type { ResultKind } from '../../core/policy/endings.ts';
import { afterRound } from '../../core/policy/until-verified.ts';
import {
  answersToPeople,
  personAnswersPath,
  printPersonAnswers,
  readPersonAnswers,
} from '../../core/review/conversation.ts';
import { parseAnswers } from '../../core/review/finding.ts';
import { claimsOf } from '../../core/review/same-finding.ts';
import { saidDone } from '../../core/spool/promise.ts';
import { questionIn } from '../../core/spool/question.ts';
import { nothingSaid } from '../../core/spool/spool.ts';
import { checkLines, failureForPrompt } from '../../core/text/review.ts';
import type { SharedClone } from '../../workspace/shared-clone.ts';
import { dropClone, markSaved } from '../../workspace/workspace.ts';
import { changesFiles } from '../engine.ts';
import { type Left, whyBroken } from '../left.ts';
import { hasWorkOf } from '../loop/lane-of.ts';
import { answersPath, subjectOf } from '../perform/gather-context.ts';
import { concludeText } from './conclude-text.ts';
import { policyOf, type Saved, saveStep } from './save-step.ts';
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

/**
 * `checks` are the results for the tree that was left, if it was checked. An error here does not throw: the
 * agent has run, so the step is recorded as a try, with its cost.
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
  /** Remove it only after the report is recorded, because until then it may be the only copy of the work. */
  readonly clone: SharedClone | null;
  /** Set when what the agent left could not be used. */
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

/** A usage limit still applies, and a step that was stopped from outside did not fail. */
function judgedBroken({ runs, ended_at }: Left, error: string): Judged {
  const { kind = 'crash', resetAt } = runs.at(-1) ?? {};
  const ran = judgeRun({ kind, resetAt, hasWork: false, blocked: null, now: ended_at });
  if (kind === 'cancelled') return { outcome: 'cancelled', error };
  const { limitedUntil } = ran;
  return { outcome: 'failed', error, ...(limitedUntil === undefined ? {} : { limitedUntil }) };
}

/** Where the clone is kept, if it may hold work that nobody could read. Otherwise it is removed. */
async function whereKept({ clone, job }: ConcludeInput): Promise<string | null> {
  if (clone === null) return null;
  const tree = await lstat(clone.treeDir).catch(() => null);
  if (changesFiles(job.step) && tree?.isDirectory()) return clone.dir;
  await dropClone(clone);
  return null;
}

/** Judges the run alone, before its work. Checks run only if the run ended well. */
export function judgeWorkRun(input: Pick<ConcludeInput, 'project' | 'view'>, left: Left): Judged {
  const [run] = left.runs;
  const { kind = 'crash', error, resetAt } = run ?? {};
  const hasWork = left.patch !== null || left.too_large !== undefined;
  const { blocked } = spoolOf(input, left);
  const steps = input.view.record?.steps;
  return judgeRun({ kind, error, resetAt, hasWork, blocked, steps, now: left.ended_at });
}

/** `isRefused`: the work is in no commit. */
async function concludeWork(
  input: ConcludeInput,
  left: Left,
  checks: Verification | null,
): Promise<{ readonly report: StepReport; readonly isRefused: boolean }> {
  const { job, view, project, repository, clone } = input;
  const settings = project.settings(view.task);
  const ran = judgeWorkRun(input, left);
  const { kind, text: answer = '' } = left.runs[0] ?? {};
  const verification = ran.outcome === 'ok' ? checks : null;
  const saved = await saveStep({
    repository,
    onto: job.lane?.head ?? job.base.commit,
    left,
    purpose: purposeOf(input, ran, verification),
    title: subjectOf(project, view).task.title,
    taskId: job.id,
    ...(answer ? { summary: answer } : {}),
    policy: policyOf(settings, project.config),
    date: new Date(left.ended_at),
    compareWith: job.lane?.compareWith ?? job.base.commit,
    record: view.record,
  });
  const mustChange = job.step === 'implement' && !(await hasWorkOf(repository, job));
  const judged = judgeWork({ ran, kind, answer, saved, verification, settings, mustChange, view, clone });
  const report = await reportOf(input, left, { answer, saved, verification, judged });
  return { report, isRefused: saved.kind === 'refused' };
}

interface WorkFacts extends Pick<ConcludeInput, 'view' | 'clone'> {
  readonly ran: Judged;
  readonly kind: ResultKind | undefined;
  readonly answer: string;
  readonly saved: Saved;
  readonly verification: Verification | null;
  readonly settings: Settings;
  readonly mustChange: boolean;
}

function judgeWork(facts: WorkFacts): Judged {
  const { ran, saved, verification, settings, mustChange, view } = facts;
  if (saved.kind === 'refused') {
    const kept = facts.clone?.dir ?? 'the artifact of the run';
    const detail = `what it left was refused and stays in ${kept}: ${firstLine(saved.why)}`;
    const error = `what it left was refused: ${saved.why}`;
    return { outcome: 'failed', error, stop: { reason: 'refused-changes', detail } };
  }
  // A denied tool may have been the one for asking questions.
  const mayAsk = saved.kind === 'nothing' && (ran.outcome === 'ok' || facts.kind === 'denied');
  const question = mayAsk ? questionIn(facts.answer) : null;
  if (question !== null) return { outcome: 'blocked', error: question };
  if (ran.outcome !== 'ok') return ran;
  if (mustChange && saved.kind === 'nothing') {
    const named = saved.named.length > 0 ? `; not committed: ${saved.named.slice(0, 5).join('; ')}` : '';
    return { outcome: 'failed', error: `the agent said it was done but changed no file${named}` };
  }
  if (verification && wasCancelled(verification)) {
    return { outcome: 'cancelled', error: 'its checks were stopped' };
  }
  if (verification?.baseline) {
    const { commit, failed } = verification.baseline;
    const error = `its checks fail on the untouched base (${commit.slice(0, 12)}) too: ${failed}`;
    return { outcome: 'cancelled', error, ending: 'baseline' };
  }
  const isVerified = verification?.ok !== false;
  const failure = verification && !isVerified ? failureForPrompt(verification) : null;
  if (settings.loop !== 'until-verified') {
    return failure === null ? ran : { outcome: 'failed', error: failure };
  }
  const round = (view.record?.attempts ?? 0) + 1;
  const roundsMax = settings.max_attempts;
  const end = afterRound({ round, roundsMax, isVerified, saidDone: saidDone(facts.answer) });
  if (end.kind === 'done') return ran;
  const because = `round ${round} of ${roundsMax}: ${end.because}`;
  return { outcome: 'failed', error: failure === null ? because : `${because}\n${failure}` };
}

function purposeOf(
  { job, project, view }: ConcludeInput,
  { outcome }: Judged,
  verification: Verification | null,
): CommitPurpose {
  if (outcome !== 'ok') return { kind: 'wip', reason: `the step ended ${outcome}` };
  if (verification && !verification.ok) {
    const reason = wasCancelled(verification) ? 'its checks were stopped' : 'its checks failed';
    return { kind: 'wip', reason };
  }
  if (job.step !== 'improve') return { kind: 'step' };
  const review = subjectOf(project, view).record?.steps?.findLast(({ step }) => step === 'review');
  return { kind: 'improve', cycle: job.cycle, claims: claimsOf(review ?? {}) };
}

interface Done {
  readonly answer: string;
  readonly saved: Saved;
  readonly verification: Verification | null;
  readonly judged: Judged;
}

async function reportOf(input: ConcludeInput, left: Left, done: Done): Promise<StepReport> {
  const { answer, saved, verification, judged } = done;
  const commit = saved.kind === 'saved' ? saved.commit : null;
  const diff = saved.kind === 'saved' ? saved.diff : await currentDiff(input);
  const isTold = verification !== null && !wasCancelled(verification);
  const said = spoolOf(input, left);
  return {
    record: {
      ...recordOf(input.job, left, judged),
      ...(commit ? { head: commit } : input.job.lane ? { head: input.job.lane.head } : {}),
      ...(diff ? { diff } : {}),
      ...(isTold ? { verified: verification.ok, checked: checkLines(verification) } : {}),
      ...(saved.kind === 'saved' ? remarksOn(saved, input.view.record?.waits !== undefined) : {}),
    },
    judged,
    commit,
    ...(judged.ending === 'baseline' && verification?.baseline ? { baseline: verification.baseline } : {}),
    artifacts: [
      ...answersArtifact(input, answer),
      ...(judged.outcome === 'ok' ? await peopleArtifact(input, answer, commit) : []),
    ],
    notes: [...leftOut(saved), ...refusedNotes(said)],
    remarks: await unansweredNotes(input, answer, judged),
    spool: said,
    gist: judged.error?.split('\n')[0] ?? firstLine(answer),
    log: left.log ?? '',
  };
}

function answersArtifact({ project, view, job }: ConcludeInput, answer: string) {
  const answers = job.step === 'improve' ? parseAnswers(answer) : [];
  if (answers.length === 0) return [];
  const { id } = subjectOf(project, view);
  const text = `\`\`\`json\n${JSON.stringify({ answers }, null, 2)}\n\`\`\`\n`;
  return [{ path: answersPath(id, job.cycle), text }];
}

/** Kept per task, not per cycle, because a person may ask for several improves in one cycle. */
async function peopleArtifact({ project, job }: ConcludeInput, answer: string, commit: string | null) {
  const at = commit ?? job.lane?.head;
  if (job.step !== 'improve' || !job.people || !job.lane || at === undefined) return [];
  const fresh = answersToPeople(job.people.points, parseAnswers(answer), at);
  if (fresh.length === 0) return [];
  const path = personAnswersPath(job.id);
  const before = await project.view.artifact(job.lane.link.branch, path);
  return [{ path, text: printPersonAnswers([...readPersonAnswers(before ?? ''), ...fresh]) }];
}

async function unansweredNotes(
  { job, view, project }: ConcludeInput,
  answer: string,
  { outcome }: Judged,
): Promise<string[]> {
  if (job.step !== 'improve' || outcome !== 'ok') return [];
  const subject = subjectOf(project, view);
  const { record } = subject === view ? view : await wholeView(project, subject.id);
  const review = record?.steps?.findLast(({ step }) => step === 'review');
  const settled = new Set(job.people?.settled);
  const findings = (review?.findings ?? []).map((mark) => mark.replace(/^!/, ''));
  const asked = findings.filter((one) => !settled.has(one));
  const answered = new Set(parseAnswers(answer).map(({ fingerprint }) => fingerprint));
  const open = asked.filter((one) => !answered.has(one));
  const points = job.people?.points ?? [];
  const silent = points.filter(({ fingerprint }) => !answered.has(fingerprint));
  const note = (left: number, of: number, what: string) =>
    left === 0 ? [] : [`improve (cycle ${job.cycle}): ${left} of ${of} ${what} were not answered`];
  return [
    ...note(open.length, asked.length, 'findings'),
    ...note(silent.length, points.length, 'comments of people'),
  ];
}

/** Remarks about the patch for the step's record: files that wait for a person, notable files, checks. */
function remarksOn({ waits, remarkable }: Extract<Saved, { kind: 'saved' }>, wasWaiting: boolean) {
  const lines = (isWanted: (one: Objection) => boolean) => {
    const all = remarkable.filter(isWanted).map(({ path, why }) => `${path}: ${why}`.slice(0, 500));
    return [...new Set(all)].slice(0, 50);
  };
  const isCheck = ({ rule }: Objection) => rule === 'checks' || rule === 'dependencies';
  const [checks, named] = [lines(isCheck), lines((one) => !isCheck(one))];
  return {
    ...(waits.length > 0 || wasWaiting ? { waits: [...waits] } : {}),
    ...(named.length > 0 ? { named } : {}),
    ...(checks.length > 0 ? { checks } : {}),
  };
}

const namedShown = 20;

function leftOut({ named }: Saved): string[] {
  if (named.length === 0) return [];
  const more = named.length - namedShown;
  return [`not committed: ${named.slice(0, namedShown).join('; ')}${more > 0 ? `; and ${more} more` : ''}`];
}
