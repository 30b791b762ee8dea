/** The prompt that a step of a task would be sent now. Nothing is written for it. */

import type { Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { StepName } from '../../core/ledger/record/record.ts';
import type { StepJob } from '../engine.ts';
import { baseOf, laneOf } from '../loop/lane-of.ts';
import { needsLane } from './settings-of-view.ts';
import { promptFor } from './step-prompt.ts';

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
