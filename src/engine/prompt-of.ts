/** The prompt that a step of a task would be sent now. */
import { buildPrompt } from '../core/build-prompt.ts';
import type { TaskView } from '../core/board.ts';
import { protectedPaths } from '../core/protected-paths.ts';
import type { StepName } from '../core/record.ts';
import { wholeView } from '../commands/change-task.ts';
import type { Project } from '../commands/project.ts';
import { openWork } from '../commands/work-ports.ts';
import { gatherContext } from '../steps/gather-context.ts';
import { readPromptOverrides } from '../steps/prompt-overrides.ts';
import { baseOf, laneOf } from './lane-of.ts';
import { needsLane } from './settings-of-view.ts';
import { checksOf, strategyFor } from './run-step.ts';
import type { StepJob } from './engine.ts';

export async function promptOf(
  project: Project,
  view: TaskView,
  step: StepName,
  cycle: number,
): Promise<string> {
  const { repository } = await openWork(project);
  const whole = await wholeView(project, view.id);
  const base = await baseOf(project, repository);
  const lane = needsLane(step) ? await laneOf(project, repository, whole, base, () => 'new') : null;
  const job: StepJob = { id: view.id, step, cycle, agent: '', timeoutMinutes: 0, lane, base, claim: 'none' };
  const context = await gatherContext({
    project,
    view: whole,
    job,
    repository,
    checks: checksOf(project, whole).map((one) => (typeof one === 'string' ? one : one.join(' '))),
    strategy: strategyFor(whole.record, job) || null,
    protectedPaths: protectedPaths.flatMap(({ globs }) => globs).slice(0, 40),
    humanComments: [],
    commits: 'engine',
  });
  return buildPrompt(context, await readPromptOverrides(repository, base.commit, project.config.prompts_dir));
}
