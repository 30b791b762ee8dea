/**
 * The half of a step that runs where an agent may run: a clone, a prompt, the agent, and what it left, as
 * plain data. It judges and records nothing; conclude.ts does that, in CI on another machine.
 */

import { lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { judgedByChanges } from '../../agents/adapters/build-result.ts';
import type { AgentEvent } from '../../agents/agents.ts';
import type { Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { StepName, TaskRecord } from '../../core/ledger/record/record.ts';
import { retryStrategy, sameErrorTimes } from '../../core/policy/retry-strategy.ts';
import { buildPrompt, type PromptOverrides } from '../../core/prompt/build-prompt.ts';
import { promptTemplates } from '../../core/prompt/prompt-templates.ts';
import { asksAgain, gateReview, readReview, stepNonce } from '../../core/review/read-review.ts';
import { secondQuestion } from '../../core/text/review.ts';
import { contextText, showText } from '../../core/text/terminal/outline.ts';
import type { Repository } from '../../git/repository.ts';
import { readPlainFile, withinDeadline } from '../../system/outside.ts';
import { redact } from '../../system/redacted-log.ts';
import { agentCommitSubjects } from '../../workspace/patch/collect-patch.ts';
import type { SharedClone } from '../../workspace/shared-clone.ts';
import { discardClone, type Workspace } from '../../workspace/workspace.ts';
import { collectStep, policyOf } from '../conclude/save-step.ts';
import { changesFiles, needsLane, type StepJob } from '../engine.ts';
import {
  brokenLeft,
  filesLeft,
  type Left,
  leftMax,
  nothingLeft,
  runLeft,
  whyBroken,
  withholdSecrets,
} from '../left.ts';
import { baseOf, laneOf } from '../loop/lane-of.ts';
import { type Asked, askAgent, leftAfter } from './ask-agent.ts';
import { artifactTexts, dependencyChain, gatherContext, outlineIds, subjectOf } from './gather-context.ts';
import { questionsLeft, readSpool, stepFiles } from './spool-file.ts';

export interface PerformInput {
  readonly project: Project;
  /** The task with its full texts. */
  readonly view: TaskView;
  readonly job: StepJob;
  readonly workspace: Workspace;
  /** A command line of the person's own, for the agent `runner`. */
  readonly runner?: string | undefined;
  /** This program's environment. The agent's is built from it. */
  readonly caller: Readonly<Record<string, string | undefined>>;
  /** Folder for logs, HOMEs and sessions. */
  readonly stateDir: string;
  readonly now: () => string;
  readonly signal: AbortSignal;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onEvent?: (event: AgentEvent) => void;
  readonly onLine?: (line: string) => void;
}

export interface Performed {
  readonly left: Left;
  /** The clone that the agent worked in; already removed after a read-only step. */
  readonly clone: SharedClone;
}

/** Throws only as long as no agent has run. After that, any error becomes part of the result. */
export async function perform(input: PerformInput): Promise<Performed> {
  const { job, project, view, workspace, signal } = input;
  const { step } = job;
  const started_at = input.now();
  const prompting = promptFor({ project, view, job, repository: workspace.repository });
  // The error is not lost: it is thrown where the prompt is awaited.
  prompting.catch(() => {});
  const clone = await workspace.createClone({
    name: job.session?.clone ?? `${job.id}.${step}.${job.claim.slice(0, 12)}`,
    branch: job.lane?.link.branch ?? `gza-look/${job.id}`,
    start: job.lane?.head ?? job.base.commit,
    base: job.base,
    purpose: changesFiles(step) ? 'change' : 'review',
  });
  await claimFile(clone).write(job.claim);
  const spool = join(clone.dir, 'spool', 'spool.jsonl');
  await mkdir(dirname(spool), { recursive: true });
  await leaveFiles(input, clone, spool);
  const prompt = await prompting;
  const asked: Asked[] = [];
  const found = await (async (): Promise<Partial<Left>> => {
    try {
      await ask({ ...input, config: project.config, clone, spool }, prompt, asked);
      return await collectLeft(input, clone, spool, asked);
    } catch (thrown) {
      if (asked.length === 0) throw thrown;
      return { runs: runsOf(asked), broken: whyBroken(thrown, clone.dir, asked.at(-1)?.secrets) };
    }
  })();
  const named = { task: job.id, claim: job.claim, step, started_at, ended_at: input.now() };
  const left: Left = { ...nothingLeft, ...named, runs: [], log: asked.at(-1)?.logPath, ...found };
  const all = found.broken === undefined ? left : brokenLeft(left, found.broken, signal);
  return { left: withholdSecrets(all, asked.at(-1)?.secrets ?? []), clone };
}

/** If a review's verdict is unusable, asks once more, briefly, in the same session if possible. */
async function ask(input: Parameters<typeof askAgent>[0], prompt: string, asked: Asked[]): Promise<void> {
  const { job, clone, signal } = input;
  const first = await askAgent(input, prompt);
  asked.push(first);
  const { kind, sessionId, sessionTotals } = first.run.result;
  if (job.step !== 'review' || kind !== 'ok' || signal.aborted) return;
  const { text } = runLeft(first.run, first.secrets);
  const nonce = stepNonce(job);
  const reading = gateReview(withinDeadline('the review', () => readReview(text, nonce)));
  if (!asksAgain(reading)) return;
  const session = sessionId && { id: sessionId, clone: clone.record.name, totals: sessionTotals };
  const left = leftAfter(job, first.run);
  if (left === null) return;
  const { session: _before, ...fresh } = left;
  const again = { ...input, isShort: true as const, job: session ? { ...fresh, session } : fresh };
  const short = secondQuestion(reading, nonce, null);
  asked.push(await askAgent(again, short, secondQuestion(reading, nonce, text)));
}

async function collectLeft(
  { job, project, view }: PerformInput,
  clone: SharedClone,
  spool: string,
  asked: readonly Asked[],
): Promise<Partial<Left>> {
  const { secrets = [] } = asked.at(-1) ?? {};
  const { text, isCut } = await readSpool(spool);
  const asks = await questionsLeft(clone.treeDir, job.id, stepNonce(job));
  const said = { spool: asks + text, spool_cut: isCut };
  await rm(spool, { force: true });
  if (!changesFiles(job.step)) {
    const { discarded } = await discardClone(clone);
    const shown = discarded.slice(0, leftMax.list).map((path) => path.slice(0, leftMax.path));
    return { ...said, runs: runsOf(asked), discarded: shown };
  }
  const collected = await collectStep(clone, policyOf(project.settings(view.task), project.config));
  const hasChanges = collected.kind !== 'empty';
  const subjects = (await agentCommitSubjects(clone)).map((subject) =>
    redact(subject, secrets).slice(0, leftMax.subject),
  );
  return { ...said, runs: runsOf(asked, hasChanges), ...filesLeft(collected), subjects };
}

function runsOf(asked: readonly Asked[], hasChanges?: boolean): Left['runs'] {
  return asked.map(({ run, secrets }) => {
    const result = hasChanges === undefined ? run.result : judgedByChanges(run.result, hasChanges);
    return runLeft({ ...run, result }, secrets);
  });
}

const claimBytesMax = 1000;

/** The file next to a clone's record that names its claim, so that a sweep knows whose work it holds. */
export function claimFile({ dir }: Pick<SharedClone, 'dir'>) {
  const file = join(dir, 'claim');
  return {
    write: (claim: string) => writeFile(file, claim),
    /** Empty when no claim was written, so no agent has worked there. */
    read: async () =>
      ((await readPlainFile(file, claimBytesMax).catch(() => null))?.toString('utf8') ?? '').trim(),
  };
}

/**
 * Writes files that an agent may read during a step, because its prompt is bounded and it has no ledger.
 * Next to the spool is what `git tasks context` and `git tasks show` print; in the work tree, ignored by
 * git, are whole plans and reviews.
 */
async function leaveFiles(
  { project, view }: PerformInput,
  { treeDir }: SharedClone,
  spool: string,
): Promise<void> {
  const { context, tasks } = stepFiles(spool);
  const chain = await dependencyChain(project, view);
  const ids = new Set([view.id, ...outlineIds(project, view), ...chain.map(({ id }) => id)]);
  await writeFile(context, contextText(project.board, ids, { bytesMax: null }));
  const near = new Set([
    view.id,
    subjectOf(project, view).id,
    ...view.children,
    ...chain.map(({ id }) => id),
  ]);
  const texts: Record<string, string> = {};
  for (const id of near)
    if (project.board.views.has(id)) texts[id] = showText(await wholeView(project, id), null);
  await writeFile(tasks, JSON.stringify(texts));
  for (const { path, text } of await artifactTexts(project, view, chain)) {
    if (await isOwnFolder(treeDir, path)) await writeFile(join(treeDir, '.gza', path), text);
  }
}

/** A link in the work tree must not redirect the file, and an existing file belongs to the repository. */
async function isOwnFolder(treeDir: string, path: string): Promise<boolean> {
  const folders = ['.gza', dirname(join('.gza', path))];
  for (const folder of folders) {
    const found = await lstat(join(treeDir, folder)).catch(() => null);
    if (found && !found.isDirectory()) return false;
    if (!found) await mkdir(join(treeDir, folder));
  }
  return (await lstat(join(treeDir, '.gza', path)).catch(() => null)) === null;
}

/** Input for an agent's prompt. A run, `gza prompt` and a dry run build the same prompt. */
interface PromptInput {
  readonly project: Project;
  /** The task with its full texts. */
  readonly view: TaskView;
  readonly job: StepJob;
  readonly repository: Repository;
  /** Who commits. An agent that commits works in the person's own tree. */
  readonly commits?: 'engine' | 'agent';
}

/** The prompt that a step of a task would get now. Building it writes nothing. */
export async function promptOf(
  project: Project,
  view: TaskView,
  step: StepName,
  cycle: number,
): Promise<string> {
  const { repository } = project;
  const whole = await wholeView(project, view.id);
  const base = await baseOf(project, repository);
  const lane = needsLane(step, project.settings(whole.task))
    ? await laneOf(project, repository, whole, base, () => 'new')
    : null;
  const job: StepJob = { id: view.id, step, cycle, agent: '', timeoutMinutes: 0, lane, base, claim: 'none' };
  return promptFor({ project, view: whole, job, repository });
}

const protectedShown = 10;
/** The prompt names one example of each kind of protected file. */
const protectedNamed = [
  '.github/workflows/',
  'tasks/',
  'gza.yaml',
  'CODEOWNERS',
  'AGENTS.md',
  '.claude/',
  '.husky/',
];

export async function promptFor(input: PromptInput): Promise<string> {
  const { project, view, job, repository, commits = 'engine' } = input;
  const isEngine = commits === 'engine';
  const context = await gatherContext({
    project,
    view,
    job,
    repository,
    checks: checksOf(project, view).map((one) => (typeof one === 'string' ? one : one.join(' '))),
    strategy: isEngine ? strategyFor(view.record, job) || null : null,
    protectedPaths: isEngine
      ? [...project.config.protected.paths.slice(0, protectedShown), ...protectedNamed]
      : [],
    humanComments: job.step === 'improve' ? (job.people?.points ?? []) : [],
    commits,
  });
  return buildPrompt(
    context,
    await readPromptOverrides(repository, job.base.commit, project.config.prompts_dir),
  );
}

/** The commands that check a work step, in order. */
function checksOf(project: Project, view: TaskView): (string | string[])[] {
  const verifyCommand = project.settings(view.task).verify ?? project.config.verify;
  const tests = view.task.test_files?.length ? project.config.test_command : undefined;
  const checks = [tests, verifyCommand].filter((one) => one !== undefined);
  const { setup } = project.config;
  return setup !== undefined && checks.length > 0 ? [setup, ...checks] : checks;
}

/** What to do differently after the failures since the last success. */
function strategyFor(record: TaskRecord | null, job: Pick<StepJob, 'step'>): string {
  const steps = record?.steps ?? [];
  const lastGood = steps.findLastIndex(({ outcome }) => outcome === 'ok');
  const failed = steps
    .slice(lastGood + 1)
    .filter(({ step, outcome }) => step === job.step && outcome === 'failed');
  if (failed.length === 0) return '';
  const texts = failed.map(({ error }) => error ?? 'it failed without a reason');
  return retryStrategy(
    failed.map(({ verified }, at) => ({
      error: texts[at] as string,
      sameErrorTimes: sameErrorTimes(texts.slice(0, at + 1)),
      isCheck: verified === false,
      // The prompt shows the last result of the checks in a section of its own.
      isShown: at === failed.length - 1 && verified === false,
    })),
  );
}

/** Size limit of a repository's own prompts. They come from the base branch, never from reviewed work. */
const bytesMax = 200_000;

async function readPromptOverrides(
  { objects }: Repository,
  commit: string,
  dir = '.gza/prompts',
): Promise<PromptOverrides> {
  const folder = dir.replace(/\/+$/, '');
  const overrides: Record<string, { text: string; file: string }> = {};
  if ((await objects.read(`${commit}:${folder}`))?.type !== 'tree') return overrides;
  for (const name of Object.keys(promptTemplates)) {
    const file = `${folder}/${name}.md`;
    const found = await objects.read(`${commit}:${file}`);
    if (found?.type === 'blob' && found.data.length <= bytesMax)
      overrides[name] = { text: found.data.toString('utf8'), file };
  }
  return overrides;
}
