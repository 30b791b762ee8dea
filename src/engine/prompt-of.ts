/** The prompt that a step of a task would be sent now. Nothing is written for it. */

import { wholeView } from '../commands/change-task.ts';
import type { Project } from '../commands/project.ts';
import type { TaskView } from '../core/board.ts';
import type { StepName } from '../core/record.ts';
import { openRepository } from '../workspace/repository.ts';
import type { StepJob } from './engine.ts';
import { baseOf, laneOf } from './lane-of.ts';
import { needsLane } from './settings-of-view.ts';
import { promptFor } from './step-prompt.ts';

export async function promptOf(
  project: Project,
  view: TaskView,
  step: StepName,
  cycle: number,
): Promise<string> {
  const { workTree, commonDir } = project.repository;
  const repository = await openRepository(workTree ?? commonDir);
  const whole = await wholeView(project, view.id);
  const base = await baseOf(project, repository);
  const lane = needsLane(step, project.settings(whole.task))
    ? await laneOf(project, repository, whole, base, () => 'new')
    : null;
  const job: StepJob = { id: view.id, step, cycle, agent: '', timeoutMinutes: 0, lane, base, claim: 'none' };
  return promptFor({ project, view: whole, job, repository });
}
