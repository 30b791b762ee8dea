/** One step from its job to its report, on this machine: agent, tree, checks, verdict. Nothing is recorded here. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentEvent } from '../agents/agents.ts';
import { redact } from '../agents/redact.ts';
import { buildPrompt } from '../core/build-prompt.ts';
import type { TaskView } from '../core/board.ts';
import { parseAnswers } from '../core/finding-answer.ts';
import { neutraliseText } from '../core/neutralise.ts';
import { saidDone } from '../core/promise.ts';
import { protectedPaths } from '../core/protected-paths.ts';
import { type ReviewReading, readReview } from '../core/read-review.ts';
import type { StepRecord, TaskRecord } from '../core/record.ts';
import { retryStrategy } from '../core/retry-strategy.ts';
import type { Settings } from '../core/settings.ts';
import { type SpoolReading, parseSpool } from '../core/spool.ts';
import { failureForPrompt } from '../core/text/verification.ts';
import { printReview, problemsRequest, verdictRequest } from '../core/text/review.ts';
import type { Verification } from '../core/verification.ts';
import type { Project } from '../commands/project.ts';
import { answersPath, gatherContext, subjectOf } from '../steps/gather-context.ts';
import type { Performed } from '../steps/perform-step.ts';
import { readPromptOverrides } from '../steps/prompt-overrides.ts';
import type { VerifyOptions } from '../steps/verify.ts';
import { diffId } from '../workspace/lane-diff.ts';
import { removeClone } from '../workspace/remove-clone.ts';
import type { SharedClone } from '../workspace/shared-clone.ts';
import { type Workspace, gzaIdentity } from '../workspace/workspace.ts';
import type { StepJob } from './engine.ts';
import { type Saved, policyOf } from './save-step.ts';
import { artifactPath, changesFiles } from './settings-of-view.ts';
import { type Judged, judgeRun } from './step-outcome.ts';
import { type StepParts, partsHere } from './step-parts.ts';

export interface RunStepInput {
  readonly project: Project;
  /** With all texts. */
  readonly view: TaskView;
  readonly job: StepJob;
  readonly workspace: Workspace;
  readonly runner?: string;
  /** Who does its parts; default all of it here. */
  readonly parts?: StepParts;
  readonly caller: Readonly<Record<string, string | undefined>>;
  readonly stateDir: string;
  readonly now: () => string;
  readonly signal: AbortSignal;
  readonly onEvent?: (event: AgentEvent) => void;
  readonly onLine?: (line: string) => void;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** What a step came to, as plain data for record-step.ts. */
export interface StepReport {
  readonly record: StepRecord;
  readonly judged: Judged;
  /** The new head of the lane's branch, when files were saved. */
  readonly commit: string | null;
  readonly artifacts: readonly { readonly path: string; readonly text: string }[];
  readonly notes: readonly string[];
  readonly spool: SpoolReading;
  readonly gist: string;
  readonly logPath: string;
}

export async function runStep(input: RunStepInput): Promise<StepReport> {
  const { job, workspace } = input;
  const started_at = input.now();
  const clone = await workspace.createClone({
    name: `${job.id}.${job.step}.${job.claim.slice(0, 12)}`,
    branch: job.lane?.link.branch ?? `gza-look/${job.id}`,
    start: job.lane?.head ?? job.base.commit,
    base: job.base,
    purpose: changesFiles(job.step) ? 'change' : 'review',
  });
  const spool = join(clone.dir, 'spool', 'spool.jsonl');
  await mkdir(join(clone.dir, 'spool'), { recursive: true });
  const step = { input, parts: input.parts ?? partsHere, clone, spool, started_at };
  return changesFiles(job.step) ? workStep(step) : textStep(step);
}

interface Step {
  readonly input: RunStepInput;
  readonly parts: StepParts;
  readonly clone: SharedClone;
  readonly spool: string;
  readonly started_at: string;
}

/** implement, improve: what counts is the tree it leaves. */
async function workStep(step: Step): Promise<StepReport> {
  const { input, clone } = step;
  const { job, view, project } = input;
  const settings = project.settings(view.task);
  const performed = await perform(step, await promptFor(step));
  const said = await whatItSaid(step);
  const { result } = performed.run;
  const answer = redact(result.text, performed.secrets);
  const first = judgeRun({
    ...judgeFacts(result),
    hasWork: true,
    mustChange: false,
    blocked: said.blocked,
    now: input.now(),
  });
  const isDone = first.outcome === 'ok';
  const verification = isDone ? await verifyTree(step, settings) : null;
  const saved = await step.parts.save({
    clone,
    purpose: purposeOf(job, isDone, verification, result.kind),
    title: subjectOf(project, view).task.title,
    taskId: job.id,
    ...(answer ? { summary: answer } : {}),
    policy: policyOf(settings, project.config.protected.except),
    author: gzaIdentity,
    date: new Date(input.now()),
    compareWith: job.lane?.compareWith ?? job.base.commit,
  });
  const judged = judgeWork({ step, said, saved, verification, answer });
  const answers = job.step === 'improve' ? answersArtifact(step, answer) : [];
  const notes = [...leftOut(saved), ...refusedNotes(said), ...unansweredNotes(input, answer)];
  if (saved.kind !== 'refused') await removeClone(clone);
  const commit = saved.kind === 'saved' ? saved.commit : null;
  const diff = saved.kind === 'saved' ? saved.diff : await currentDiff(input);
  return {
    record: {
      ...recordOf(step, performed, judged),
      ...(commit ? { head: commit } : job.lane ? { head: job.lane.head } : {}),
      ...(diff ? { diff } : {}),
      ...(verification ? { verified: verification.ok } : {}),
    },
    judged,
    commit,
    artifacts: answers,
    notes,
    spool: said,
    gist: judged.error?.split('\n')[0] ?? firstLine(answer),
    logPath: performed.logPath,
  };

  function judgeFacts({ kind, error, resetAt }: typeof result) {
    return { kind, error: error === undefined ? undefined : redact(error, performed.secrets), resetAt };
  }
  function judgeWork(facts: WorkFacts): Judged {
    return judgeWorkStep(facts, settings, judgeFacts(result));
  }
}

interface WorkFacts {
  readonly step: Step;
  readonly said: SpoolReading;
  readonly saved: Saved;
  readonly verification: Verification | null;
  readonly answer: string;
}

type RunFacts = Pick<Parameters<typeof judgeRun>[0], 'kind' | 'error' | 'resetAt'>;

function judgeWorkStep(facts: WorkFacts, settings: Settings, run: RunFacts): Judged {
  const { step, said, saved, verification, answer } = facts;
  const { job, now } = step.input;
  if (saved.kind === 'refused') {
    const detail = `what it left was refused:\n${saved.why}`;
    return {
      outcome: 'failed',
      error: detail,
      stop: { reason: 'refused-changes', detail: firstLine(saved.why) },
    };
  }
  // An improve that changes nothing is seen by the loop as no progress, not as an agent's failure.
  const mustChange = job.step === 'implement' && job.lane?.hasBranch !== true;
  const hasWork = saved.kind === 'saved';
  const judged = judgeRun({ ...run, hasWork, mustChange, blocked: said.blocked, now: now() });
  if (judged.outcome !== 'ok') return judged;
  if (verification && !verification.ok) return { outcome: 'failed', error: failureForPrompt(verification) };
  if (settings.loop === 'until-verified' && !saidDone(answer)) {
    return { outcome: 'failed', error: 'the checks pass, but it did not say <promise>DONE</promise>' };
  }
  return judged;
}

function purposeOf(job: StepJob, isDone: boolean, verification: Verification | null, kind: string) {
  if (!isDone) return { kind: 'wip', reason: `the step was cut short (${kind})` } as const;
  if (verification && !verification.ok) return { kind: 'wip', reason: 'its checks failed' } as const;
  return job.step === 'improve'
    ? ({ kind: 'improve', cycle: job.cycle } as const)
    : ({ kind: 'step' } as const);
}

async function currentDiff({ job, workspace }: RunStepInput): Promise<string | null> {
  if (!job.lane) return null;
  return diffId(workspace.repository, { base: job.lane.compareWith, head: job.lane.head });
}

function answersArtifact({ input }: Step, answer: string): { path: string; text: string }[] {
  const { project, view, job } = input;
  const { answers } = parseAnswers(answer);
  if (answers.length === 0) return [];
  const { id } = subjectOf(project, view);
  const text = `\`\`\`json\n${JSON.stringify({ answers }, null, 2)}\n\`\`\`\n`;
  return [{ path: answersPath(id, job.cycle), text }];
}

function unansweredNotes({ job, view, project }: RunStepInput, answer: string): string[] {
  if (job.step !== 'improve') return [];
  const findings =
    subjectOf(project, view).record?.steps?.findLast(({ step }) => step === 'review')?.findings ?? [];
  const answered = new Set(parseAnswers(answer).answers.map(({ fingerprint }) => fingerprint));
  const open = findings.filter((mark) => !answered.has(mark.replace(/^!/, '')));
  return open.length === 0 || findings.length === 0
    ? []
    : [`improve (cycle ${job.cycle}): ${open.length} of ${findings.length} findings were not answered`];
}

function leftOut(saved: Saved): string[] {
  if (saved.named.length === 0) return [];
  const shown = saved.named.slice(0, 20).join('; ');
  return [`not committed: ${shown}${saved.named.length > 20 ? `; and ${saved.named.length - 20} more` : ''}`];
}

function refusedNotes({ refused }: SpoolReading): string[] {
  if (refused.length === 0) return [];
  return [
    `not filed: ${refused
      .slice(0, 5)
      .map(({ why }) => why)
      .join('; ')}`,
  ];
}

/** plan, explore, review: what counts is the text; whatever it changed is thrown away and named. */
async function textStep(step: Step): Promise<StepReport> {
  const { input, clone } = step;
  const { job, view } = input;
  const prompt = await promptFor(step);
  let performed = await perform(step, prompt);
  let text = redact(performed.run.result.text, performed.secrets);
  let reading = job.step === 'review' ? readReview(text) : null;
  const runs = [performed];
  if (reading && performed.run.result.kind === 'ok' && needsAnotherWord(reading)) {
    performed = await perform(step, againPrompt(prompt, text, reading));
    runs.push(performed);
    const second = redact(performed.run.result.text, performed.secrets);
    const again = readReview(second);
    // Only an answer that is better is taken for the first one.
    if (again.kind === 'verdict' || reading.kind !== 'verdict') [text, reading] = [second, again];
  }
  const said = await whatItSaid(step);
  const { kind, error, resetAt } = performed.run.result;
  const judgedRun = judgeRun({
    kind,
    error,
    resetAt,
    hasWork: false,
    mustChange: false,
    blocked: said.blocked,
    now: input.now(),
  });
  const judged = judgedRun.outcome === 'ok' ? judgeText(reading, text) : judgedRun;
  const { discarded } = await step.parts.discard(clone);
  const path = artifactPath(view, job.step, job.cycle);
  const isKept = (judged.outcome === 'ok' || judged.outcome === 'no-verdict') && path !== null;
  const diff = job.lane ? await currentDiff(input) : null;
  return {
    record: {
      ...recordOf(step, performed, judged, runs),
      ...(job.lane ? { head: job.lane.head } : {}),
      ...(diff === null ? {} : { diff }),
      ...(reading?.kind === 'verdict' && judged.outcome === 'ok' ? { verdict: reading.verdict } : {}),
      ...(reading
        ? {
            findings: reading.findings.map(
              ({ severity, fingerprint }) => `${severity === 'blocker' ? '!' : ''}${fingerprint}`,
            ),
          }
        : {}),
    },
    judged,
    commit: null,
    artifacts: isKept ? [{ path, text: reading ? reviewText(reading, text) : text }] : [],
    notes: [
      ...(discarded.length > 0
        ? [`${job.step} may not change files; thrown away: ${discarded.slice(0, 20).join(', ')}`]
        : []),
      ...refusedNotes(said),
    ],
    spool: said,
    gist: reading ? gistOf(reading) : firstLine(text),
    logPath: performed.logPath,
  };
}

function needsAnotherWord(reading: ReviewReading): boolean {
  return reading.kind !== 'verdict' || reading.problems.length > 0;
}

/** Asked once more, with what was wrong. */
function againPrompt(prompt: string, text: string, reading: ReviewReading): string {
  const wrong = reading.kind === 'verdict' ? problemsRequest(reading.problems) : verdictRequest(reading);
  return `${prompt}\n\nYou have answered this already:\n\n${neutraliseText(text.slice(0, 20_000), 'comment')}\n\n${wrong}\n`;
}

function judgeText(reading: ReviewReading | null, text: string): Judged {
  if (reading && reading.kind !== 'verdict') {
    return { outcome: 'no-verdict', error: `no verdict given: ${reading.why}` };
  }
  return text.trim() === '' ? { outcome: 'failed', error: 'it gave an empty answer' } : { outcome: 'ok' };
}

/** The review as it was written; where nobody could read its verdict, that is said. */
function reviewText(reading: ReviewReading, text: string): string {
  if (reading.kind === 'verdict') return text.endsWith('\n') ? text : `${text}\n`;
  return printReview({ verdict: null, findings: reading.findings, summary: text });
}

function gistOf(reading: ReviewReading): string {
  if (reading.kind !== 'verdict') return reading.why;
  const first = reading.findings.find(({ severity }) => severity === 'blocker') ?? reading.findings[0];
  return first ? firstLine(first.claim) : '';
}

function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

async function promptFor({ input }: Step): Promise<string> {
  const { project, view, job, workspace } = input;
  const checks = checksOf(project, view).map((one) => (typeof one === 'string' ? one : one.join(' ')));
  const context = await gatherContext({
    project,
    view,
    job,
    repository: workspace.repository,
    checks,
    strategy: strategyFor(view.record, job) || null,
    protectedPaths: protectedPaths.flatMap(({ globs }) => globs).slice(0, 40),
    humanComments: [],
    commits: 'engine',
  });
  const overrides = await readPromptOverrides(
    workspace.repository,
    job.base.commit,
    project.config.prompts_dir,
  );
  return buildPrompt(context, overrides);
}

/** Commands that judge a work step. */
export function checksOf(project: Project, view: TaskView): (string | string[])[] {
  const verifyCommand = project.settings(view.task).verify ?? project.config.verify;
  const tests = view.task.test_files?.length ? project.config.test_command : undefined;
  return [tests, verifyCommand].filter((one) => one !== undefined);
}

export function strategyFor(record: TaskRecord | null, job: StepJob): string {
  const steps = record?.steps ?? [];
  const lastGood = steps.findLastIndex(({ outcome }) => outcome === 'ok');
  const failed = steps
    .slice(lastGood + 1)
    .filter(({ step, outcome }) => step === job.step && outcome === 'failed');
  return retryStrategy(
    failed.map(({ error = 'it failed without a reason' }, at) => ({
      error,
      sameErrorTimes: failed.slice(0, at + 1).filter((one) => (one.error ?? '') === error).length,
    })),
  );
}

async function perform(step: Step, prompt: string): Promise<Performed> {
  const { input, parts, clone, spool } = step;
  const { job, project, caller, stateDir, signal, sleep, runner, onEvent, onLine } = input;
  return parts.perform({
    job,
    prompt,
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

async function whatItSaid({ input, parts, spool }: Step): Promise<SpoolReading> {
  const { project, view } = input;
  const { board } = project;
  const lane = view.record?.lane?.branch;
  const laneTasks = [...board.views.values()].filter(
    ({ id, record }) => id === view.id || (lane && record?.lane?.branch === lane),
  );
  const { text, isCut } = await parts.spool(spool);
  const reading = parseSpool(text, {
    runTask: view.id,
    laneTasks: new Set(laneTasks.map(({ id }) => id)),
    checklist: new Set(view.children),
    idsKnown: new Set(board.views.keys()),
    capLeft: capLeft(project, view),
    isCut,
  });
  await rm(spool, { force: true });
  return reading;
}

const agentTasksMax = 20;

/** Tasks that agents may still file under the root of this one. */
function capLeft({ board }: Project, view: TaskView): number {
  const root = rootOf(view);
  let filed = 0;
  for (const { record } of board.views.values()) if (record?.key?.startsWith(`agent:${root}:`)) filed += 1;
  return Math.max(0, agentTasksMax - filed);
}

const checkMinutesMax = 30;
const checkIdleMinutesMax = 10;

/** Tasks that a task filed by an agent brings about count for the one that a person asked for. */
export function rootOf({ id, record }: Pick<TaskView, 'id' | 'record'>): string {
  return /^agent:([^:]+):/.exec(record?.key ?? '')?.[1] ?? id;
}

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
  {
    view,
    project,
    stateDir,
    job,
    caller,
  }: Pick<RunStepInput, 'view' | 'project' | 'stateDir' | 'job' | 'caller'>,
  settings: Settings,
): Omit<VerifyOptions, 'treeDir'> {
  const { files_to_create, test_files } = view.task;
  const verifyCommand = settings.verify ?? project.config.verify;
  return {
    task: { ...(files_to_create ? { files_to_create } : {}), ...(test_files ? { test_files } : {}) },
    commands: {
      ...(project.config.test_command === undefined ? {} : { test: project.config.test_command }),
      ...(verifyCommand === undefined ? {} : { verify: verifyCommand }),
    },
    limits: { timeoutMs: checkMinutesMax * 60_000, idleMs: checkIdleMinutesMax * 60_000 },
    logPath: join(stateDir, 'logs', `${job.id}-${job.claim.slice(0, 8)}-verify.log`),
    env: caller,
  };
}

function recordOf(
  { input, started_at }: Step,
  { run }: Performed,
  judged: Judged,
  runs: readonly Performed[] = [],
): StepRecord {
  const { job, now } = input;
  const all = runs.length > 0 ? runs.map((one) => one.run.result) : [run.result];
  const sum = (of: (result: (typeof all)[number]) => number | undefined | null) =>
    all.reduce((total, one) => total + (of(one) ?? 0), 0);
  const cost = sum((one) => one.costUsd);
  const inputTokens = sum((one) => (one.usage ? one.usage.input + one.usage.cachedInput : 0));
  const outputTokens = sum((one) => (one.usage ? one.usage.output + one.usage.reasoning : 0));
  return {
    step: job.step,
    outcome: judged.outcome,
    started_at,
    ended_at: now(),
    agent: job.agent,
    ...(job.cycle > 0 ? { cycle: job.cycle } : {}),
    ...(run.agent.version ? { agent_version: run.agent.version } : {}),
    ...(job.model ? { model: job.model } : {}),
    ...(judged.error ? { error: judged.error } : {}),
    ...(cost > 0 ? { cost_usd: cost } : {}),
    ...(inputTokens > 0 ? { input_tokens: inputTokens } : {}),
    ...(outputTokens > 0 ? { output_tokens: outputTokens } : {}),
    ...(run.result.turns > 0 ? { turns: run.result.turns } : {}),
    ...(run.result.sessionId ? { session: run.result.sessionId } : {}),
  };
}
