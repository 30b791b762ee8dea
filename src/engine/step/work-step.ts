/** implement, improve: what counts is the tree that the agent leaves. */
import { join } from 'node:path';
import { judgedByChanges } from '../../agents/adapters/build-result.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import { type Verification, wasCancelled } from '../../core/checks/verification.ts';
import type { CommitPurpose } from '../../core/guard/commit-message.ts';
import { afterRound } from '../../core/policy/until-verified.ts';
import { parseAnswers } from '../../core/review/finding-answer.ts';
import {
  answersToPeople,
  personAnswersPath,
  printPersonAnswers,
  readPersonAnswers,
} from '../../core/review/person-answer.ts';
import { saidDone } from '../../core/spool/promise.ts';
import type { SpoolReading } from '../../core/spool/spool.ts';
import type { Settings } from '../../core/task/settings.ts';
import { failureForPrompt } from '../../core/text/verification.ts';
import { redact } from '../../system/redact.ts';
import { diffId } from '../../workspace/patch/lane-diff.ts';
import { gzaIdentity } from '../../workspace/workspace.ts';
import type { StepJob } from '../engine.ts';
import { hasWorkOf } from '../loop/lane-of.ts';
import { answersPath, subjectOf } from '../perform/gather-context.ts';
import type { Performed } from '../perform/perform-step.ts';
import type { VerifyOptions } from '../perform/verify.ts';
import { importStep, policyOf, type Saved } from '../record/save-step.ts';
import { firstLine, recordOf } from '../record/step-record.ts';
import type { RunStepInput, Step, StepRun } from './step.ts';
import { type Judged, judgeRun } from './step-outcome.ts';
import { promptFor } from './step-prompt.ts';
import { refusedNotes, whatItSaid } from './step-said.ts';

export async function workStep(step: Step): Promise<StepRun> {
  const { input, parts, clone } = step;
  const { job, view, project } = input;
  const settings = project.settings(view.task);
  const performed = await performInClone(step, await promptOfStep(input));
  const said = await whatItSaid(step, performed.secrets);
  const policy = policyOf(settings, project.config.protected);
  // Before the checks: what they write is not the agent's.
  const collected = await parts.collect(clone, policy);
  const run = runOf(performed, collected.kind !== 'empty', said, input);
  const verification = run.judged.outcome === 'ok' ? await verifyTree(step, settings) : null;
  const saved = await importStep(
    {
      clone,
      purpose: purposeOf(job, run.judged, verification),
      title: subjectOf(project, view).task.title,
      taskId: job.id,
      ...(run.answer ? { summary: run.answer } : {}),
      policy,
      author: gzaIdentity,
      date: new Date(input.now()),
      compareWith: job.lane?.compareWith ?? job.base.commit,
      ...(parts.keptIn === undefined ? {} : { kept: parts.keptIn }),
    },
    collected,
  );
  const mustChange = job.step === 'implement' && !(await hasWorkOf(input.workspace.repository, job));
  const judged = judgeWork({ job, run, saved, verification, settings, mustChange, view });
  return reportOf(step, { performed, run, saved, verification, judged, said });
}

interface Ran {
  readonly answer: string;
  readonly judged: Judged;
}

/** What the run alone says, before its work was looked at. */
function runOf(performed: Performed, hasChanges: boolean, said: SpoolReading, { now }: RunStepInput): Ran {
  const { kind, error, resetAt, text } = judgedByChanges(performed.run.result, hasChanges);
  const clean = (one: string) => redact(one, performed.secrets);
  const judged = judgeRun({
    kind,
    error: error === undefined ? undefined : clean(error),
    resetAt,
    hasWork: hasChanges,
    blocked: said.blocked,
    now: now(),
  });
  return { answer: clean(text), judged };
}

interface WorkFacts {
  readonly job: StepJob;
  readonly run: Ran;
  readonly saved: Saved;
  readonly verification: Verification | null;
  readonly settings: Settings;
  readonly mustChange: boolean;
  readonly view: RunStepInput['view'];
}

function judgeWork({ run, saved, verification, settings, mustChange, view }: WorkFacts): Judged {
  if (saved.kind === 'refused') {
    const detail = `what it left was refused and stays in ${saved.kept}: ${firstLine(saved.why)}`;
    const error = `what it left was refused: ${saved.why}`;
    return { outcome: 'failed', error, stop: { reason: 'refused-changes', detail } };
  }
  if (run.judged.outcome !== 'ok') return run.judged;
  if (mustChange && saved.kind === 'nothing') {
    const named = saved.named.length > 0 ? `; not committed: ${saved.named.slice(0, 5).join('; ')}` : '';
    return { outcome: 'failed', error: `the agent said it was done but changed no file${named}` };
  }
  if (verification && wasCancelled(verification)) {
    return { outcome: 'cancelled', error: 'its checks were stopped' };
  }
  const isVerified = verification?.ok !== false;
  const failure = verification && !isVerified ? failureForPrompt(verification) : null;
  if (settings.loop !== 'until-verified') {
    return failure === null ? run.judged : { outcome: 'failed', error: failure };
  }
  const round = (view.record?.attempts ?? 0) + 1;
  const roundsMax = settings.max_attempts;
  const end = afterRound({ round, roundsMax, isVerified, saidDone: saidDone(run.answer) });
  if (end.kind === 'done') return run.judged;
  const because = `round ${round} of ${roundsMax}: ${end.because}`;
  return { outcome: 'failed', error: failure === null ? because : `${because}\n${failure}` };
}

function purposeOf(job: StepJob, { outcome }: Judged, verification: Verification | null): CommitPurpose {
  if (outcome !== 'ok') return { kind: 'wip', reason: `the step ended ${outcome}` };
  if (verification && !verification.ok) {
    const reason = wasCancelled(verification) ? 'its checks were stopped' : 'its checks failed';
    return { kind: 'wip', reason };
  }
  return job.step === 'improve' ? { kind: 'improve', cycle: job.cycle } : { kind: 'step' };
}

interface Done {
  readonly performed: Performed;
  readonly run: Ran;
  readonly saved: Saved;
  readonly verification: Verification | null;
  readonly judged: Judged;
  readonly said: SpoolReading;
}

async function reportOf(step: Step, done: Done): Promise<StepRun> {
  const { performed, run, saved, verification, judged, said } = done;
  const { input } = step;
  const commit = saved.kind === 'saved' ? saved.commit : null;
  const diff = saved.kind === 'saved' ? saved.diff : await currentDiff(input);
  const isTold = verification !== null && !wasCancelled(verification);
  return {
    clone: saved.kind === 'refused' ? null : saved.clone,
    report: {
      record: {
        ...recordOf(step, [performed], judged),
        ...(commit ? { head: commit } : input.job.lane ? { head: input.job.lane.head } : {}),
        ...(diff ? { diff } : {}),
        ...(isTold ? { verified: verification.ok } : {}),
      },
      judged,
      commit,
      artifacts: [
        ...answersArtifact(input, run.answer),
        ...(judged.outcome === 'ok' ? await peopleArtifact(input, run.answer, commit) : []),
      ],
      notes: [...leftOut(saved), ...refusedNotes(said)],
      remarks: await unansweredNotes(input, run.answer, judged),
      spool: said,
      gist: judged.error?.split('\n')[0] ?? firstLine(run.answer),
      logPath: performed.logPath,
    },
  };
}

export async function currentDiff({ job, workspace }: RunStepInput): Promise<string | null> {
  if (!job.lane) return null;
  return diffId(workspace.repository, { base: job.lane.compareWith, head: job.lane.head });
}

function answersArtifact({ project, view, job }: RunStepInput, answer: string) {
  const { answers } = job.step === 'improve' ? parseAnswers(answer) : { answers: [] };
  if (answers.length === 0) return [];
  const { id } = subjectOf(project, view);
  const text = `\`\`\`json\n${JSON.stringify({ answers }, null, 2)}\n\`\`\`\n`;
  return [{ path: answersPath(id, job.cycle), text }];
}

/** Kept by task, not by cycle: a person may ask for several improves in one. */
async function peopleArtifact({ project, job }: RunStepInput, answer: string, commit: string | null) {
  const at = commit ?? job.lane?.head;
  if (job.step !== 'improve' || !job.people || !job.lane || at === undefined) return [];
  const fresh = answersToPeople(job.people.points, parseAnswers(answer).answers, at);
  if (fresh.length === 0) return [];
  const path = personAnswersPath(job.id);
  const before = await project.view.artifact(job.lane.link.branch, path);
  return [{ path, text: printPersonAnswers([...readPersonAnswers(before ?? ''), ...fresh]) }];
}

async function unansweredNotes(
  { job, view, project }: RunStepInput,
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
  const answered = new Set(parseAnswers(answer).answers.map(({ fingerprint }) => fingerprint));
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

const namedShown = 20;

function leftOut({ named }: Saved): string[] {
  if (named.length === 0) return [];
  const more = named.length - namedShown;
  return [`not committed: ${named.slice(0, namedShown).join('; ')}${more > 0 ? `; and ${more} more` : ''}`];
}

export async function promptOfStep({ project, view, job, workspace }: RunStepInput): Promise<string> {
  return promptFor({ project, view, job, repository: workspace.repository });
}

export async function performInClone(
  { input, parts, clone, spool }: Step,
  prompt: string,
  again?: { readonly session: StepJob['session']; readonly freshPrompt: string },
): Promise<Performed> {
  const { project, caller, stateDir, signal, sleep, runner, onEvent, onLine } = input;
  const job = again ? jobIn(input.job, again.session) : input.job;
  return parts.perform({
    job,
    prompt,
    ...(again ? { freshPrompt: again.freshPrompt } : {}),
    clone,
    config: project.config,
    ...(runner === undefined ? {} : { runner }),
    caller,
    stateDir,
    spool,
    signal,
    sleep,
    ...(onEvent ? { onEvent } : {}),
    ...(onLine ? { onLine } : {}),
  });
}

function jobIn(job: StepJob, session: StepJob['session']): StepJob {
  const { session: before, ...rest } = job;
  return session ? { ...rest, session } : before ? rest : job;
}

const checkMinutesMax = 30;
const checkIdleMinutesMax = 10;

async function verifyTree({ input, parts, clone }: Step, settings: Settings): Promise<Verification> {
  const { signal, onLine } = input;
  return parts.verify({
    ...verifyOptions(input, settings),
    treeDir: clone.treeDir,
    signal,
    ...(onLine ? { onLine } : {}),
  });
}

/** Which checks judge the task's work. */
export function verifyOptions(
  { view, project, stateDir, job, caller }: VerifyInput,
  settings: Settings,
): Omit<VerifyOptions, 'treeDir'> {
  // An improve task has none of its own: what must hold is what the task promised whose work it improves.
  const { files_to_create, test_files } = subjectOf(project, view).task;
  const verifyCommand = settings.verify ?? project.config.verify;
  return {
    task: { ...(files_to_create ? { files_to_create } : {}), ...(test_files ? { test_files } : {}) },
    commands: {
      ...(project.config.setup === undefined ? {} : { setup: project.config.setup }),
      ...(project.config.test_command === undefined ? {} : { test: project.config.test_command }),
      ...(verifyCommand === undefined ? {} : { verify: verifyCommand }),
    },
    limits: { timeoutMs: checkMinutesMax * 60_000, idleMs: checkIdleMinutesMax * 60_000 },
    logPath: join(stateDir, 'logs', `${job.id}-${job.claim.slice(0, 8)}-verify.log`),
    env: caller,
  };
}

type VerifyInput = Pick<RunStepInput, 'view' | 'project' | 'stateDir' | 'job' | 'caller'>;
