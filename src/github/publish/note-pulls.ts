import * as z from 'zod';
import type { Project } from '../../app/project.ts';
import { writeToTask } from '../../app/tasks/change-task.ts';
import type { PullFacts } from '../api/forge.ts';
import type { Ci } from '../jobs/ci.ts';
import { parseJson } from '../jobs/parse-json.ts';
import type { LaneWorld } from '../pick/lane-world.ts';

const shape = z.strictObject({
  number: z.int().min(1),
  url: z.string().max(2_000),
  state: z.enum(['draft', 'open', 'merged', 'closed']),
});
type Noted = z.infer<typeof shape>;

/** Numbers and states of pull requests are kept with the tasks, so that they can be told without the forge. */
export async function notePulls(
  project: Project,
  worlds: ReadonlyMap<string, LaneWorld>,
  ci: Pick<Ci, 'ports'>,
): Promise<void> {
  for (const { pull, tasks } of worlds.values()) {
    if (!pull) continue;
    for (const view of tasks) {
      const known = view.record?.pull_request;
      if (known?.number !== pull.number || known.state !== pull.state) await note(ci, project, view.id, pull);
    }
  }
}

async function note({ ports }: Pick<Ci, 'ports'>, project: Project, id: string, pull: Noted): Promise<void> {
  const { number, url, state } = pull;
  await writeToTask(project, id, ports, (_record, stamp) => [
    { kind: 'pull-request', ...stamp, id, pull_request: { number, url, state } },
  ]);
}

const toldShape = z.strictObject({
  pull: shape.nullable(),
  /** Status context → what stands there. */
  statuses: z.record(z.string().max(100), z.string().max(400)),
});

/** For the job of the same run that lands next: what this one told came after its push. */
export function printToldNow(pull: PullFacts | null, statuses: Readonly<Record<string, string>>): string {
  const noted = pull && { number: pull.number, url: pull.url, state: pull.state };
  return JSON.stringify({ pull: noted, statuses });
}

export function toldBefore(ci: Pick<Ci, 'input'>): z.infer<typeof toldShape> {
  return toldShape.safeParse(parseJson(ci.input('told'))).data ?? { pull: null, statuses: {} };
}

export async function noteToldPull(
  ci: Pick<Ci, 'ports' | 'input'>,
  project: Project,
  id: string,
): Promise<void> {
  const { pull } = toldBefore(ci);
  if (pull && project.board.views.get(id)?.record?.pull_request === undefined)
    await note(ci, project, id, pull);
}
