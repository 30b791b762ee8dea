import type { Project } from '../../app/project.ts';
import { writeToTask } from '../../app/tasks/change-task.ts';
import type { Ci } from '../jobs/ci.ts';
import type { LaneWorld } from '../pick/lane-world.ts';

/** Numbers and states of pull requests are kept with the tasks, so that they can be told without the forge. */
export async function notePulls(
  project: Project,
  worlds: ReadonlyMap<string, LaneWorld>,
  { ports }: Ci,
): Promise<void> {
  for (const { pull, tasks } of worlds.values()) {
    if (!pull) continue;
    const { number, url, state } = pull;
    for (const view of tasks) {
      const known = view.record?.pull_request;
      if (known?.number === number && known.state === state) continue;
      await writeToTask(project, view.id, ports, (_record, stamp) => [
        { kind: 'pull-request', ...stamp, id: view.id, pull_request: { number, url, state } },
      ]);
    }
  }
}
