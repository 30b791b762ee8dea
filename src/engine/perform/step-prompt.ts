/** What a step's agent is sent: the same for a run, for `gza prompt` and for a dry run. */
import type { Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { StepName, TaskRecord } from '../../core/ledger/record/record.ts';
import { retryStrategy, sameErrorTimes } from '../../core/policy/retry-strategy.ts';
import { buildPrompt, type PromptOverrides } from '../../core/prompt/build-prompt.ts';
import { promptTemplates } from '../../core/prompt/prompt-templates.ts';
import type { Repository } from '../../git/open-repository.ts';
import { needsLane, type StepJob } from '../engine.ts';
import { baseOf, laneOf } from '../loop/lane-of.ts';
import { gatherContext } from '../perform/gather-context.ts';

export interface PromptInput {
  readonly project: Project;
  /** With all texts. */
  readonly view: TaskView;
  readonly job: StepJob;
  readonly repository: Repository;
  /** Who commits; an agent that does works in the person's own tree. */
  readonly commits?: 'engine' | 'agent';
}

/** What a step of a task would be sent now. Nothing is written for it. */
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
/** One of each kind says enough. */
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

/** Commands that judge a work step, in their order. */
function checksOf(project: Project, view: TaskView): (string | string[])[] {
  const verifyCommand = project.settings(view.task).verify ?? project.config.verify;
  const tests = view.task.test_files?.length ? project.config.test_command : undefined;
  const checks = [tests, verifyCommand].filter((one) => one !== undefined);
  const { setup } = project.config;
  return setup !== undefined && checks.length > 0 ? [setup, ...checks] : checks;
}

/** What to do otherwise than the tries since the last success. */
function strategyFor(record: TaskRecord | null, job: Pick<StepJob, 'step'>): string {
  const steps = record?.steps ?? [];
  const lastGood = steps.findLastIndex(({ outcome }) => outcome === 'ok');
  const failed = steps
    .slice(lastGood + 1)
    .filter(({ step, outcome }) => step === job.step && outcome === 'failed');
  const texts = failed.map(({ error }) => error ?? 'it failed without a reason');
  return retryStrategy(
    failed.map(({ verified }, at) => ({
      error: texts[at] as string,
      sameErrorTimes: sameErrorTimes(texts.slice(0, at + 1)),
      isCheck: verified === false,
      // The last result of the checks has a section of its own.
      isShown: at === failed.length - 1 && verified === false,
    })),
  );
}

/** A repository's own prompts, from the base branch: never from the work under review. */
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
