/** Checks of pull requests that a person must let begin: one line of the board for all, as long as they wait. */
import { trapNotice } from '../../core/text/github/notice.ts';
import type { Ci } from '../jobs/ci.ts';
import type { Picked } from './pick.ts';

export async function waitingChecks(
  ci: Ci,
  { project, worlds }: Pick<Picked, 'project' | 'worlds'>,
): Promise<string[]> {
  const atWork = new Set(project.board.claims.map(({ lane }) => lane));
  // What gza still pushes to would have to be approved again.
  const resting = [...worlds.values()].filter(
    ({ branch, pull }) => !atWork.has(branch) && (pull?.state === 'open' || pull?.state === 'draft'),
  );
  if (resting.length === 0) return [];
  const runs = await ci.forge().waitingRuns();
  // These are started by gza, which needs no approval.
  const waiting = runs.filter(({ workflow }) => !project.config.ci_workflow.includes(workflow));
  const heads = new Set(waiting.map(({ commit }) => commit));
  const pulls = resting.flatMap(({ head, pull }) =>
    pull && head !== null && heads.has(head) ? [pull.number] : [],
  );
  if (pulls.length === 0) return [];
  const trap = { kind: 'runs-await-approval', pulls: pulls.toSorted((a, b) => a - b) } as const;
  const page = `${ci.run.url.split('/actions/')[0]}/actions?query=is%3Aaction_required`;
  return [trapNotice(trap, `[All that wait](${page})`)];
}
