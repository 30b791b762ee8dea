/** What the jobs after pick have in common: the ledgers as they were fetched, and the job of their claim. */

import { loadProject, openProject, type Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import { openWork } from '../../engine/work-ports.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { type ClaimedJob, readJob } from '../pick/step-job.ts';
import type { Ci } from './ci.ts';

export interface OpenJob extends ClaimedJob {
  readonly project: Project;
  readonly view: TaskView;
  readonly workspace: Workspace;
}

/** Null when the claim is not held any more: someone took the task over, or stopped it. */
export async function openJob(ci: Ci): Promise<OpenJob | null> {
  const id = ci.input('claim');
  if (!/^[\w-]{1,100}$/.test(id)) {
    throw new GzaError('usage', `the input claim names no claim: ${JSON.stringify(id.slice(0, 100))}`, {
      hint: 'It is one of the ids that pick puts into its output `matrix`.',
    });
  }
  const opened = await openProject(ci.ports);
  const project = await loadProject(ci.ports, opened);
  const claimed = await readJob(project.view, id);
  if (!claimed) return null;
  return {
    ...claimed,
    project,
    view: await wholeView(project, claimed.job.id),
    workspace: await openWork(project),
  };
}
